"""Every kind of run that sections ask for, once and short, on the lab's hosts."""

import math
from pathlib import Path

import pytest

from analysis.results import read_memtier_json, read_middleware
from remote.experiment.manifest import read_manifest
from remote.experiment.run import Run
from remote.experiment.section_file import read_section
from remote.services import middleware
from tests.helpers.runs import measure_accepted

PROFILE = """
[profiles.smoke]
repetitions = 1
warm_up_s = 1
stable_s = 3
cool_down_s = 1
"""
TWO_SERVERS = """
[hosts]
clients = 1
servers = 2
[generator]
instances_per_client = 2
clients_per_thread = 4
[factors]
workload = ["get"]
"""
TWO_MIDDLEWARES = """
[hosts]
clients = 3
servers = 3
[generator]
instances_per_client = 2
clients_per_thread = 2
ratio = "1:1"
[factors]
workload = ["mixed"]
num_middlewares = [2]
workers = [8]
"""
SHARDED = """
[hosts]
clients = 2
middlewares = 1
servers = 3
[generator]
clients_per_thread = 2
[middleware]
workers = 8
[factors]
workload = ["multi-get"]
multi_get_keys = [9]
sharded = [{sharded}]
"""
RING = """
[hosts]
clients = 2
middlewares = 1
servers = 3
[generator]
clients_per_thread = 4
ratio = "1:9"
key_bytes = 16
value_bytes = 128
[middleware]
routing = "consistent-hash"
dispatch = "pipelined"
workers = 8
[factors]
workload = ["mixed"]
replicas = [2]
"""
OPEN = """
[hosts]
clients = 2
middlewares = 1
servers = 1
[generator]
clients_per_thread = 32
[middleware]
workers = 8
[factors]
workload = ["set"]
arrival_rate_per_s = [400]
"""
FOREIGN = """
time_dilation = 8
[hosts]
clients = 2
middlewares = 1
servers = 2
[generator]
clients_per_thread = 4
[middleware]
observed = "packets"
[factors]
workload = ["get"]
middleware = ["nutcracker"]
"""
PAUSED = """
[hosts]
clients = 2
middlewares = 1
servers = 2
[generator]
clients_per_thread = 2
[middleware]
workers = 8
[factors]
workload = ["set"]
"""


@pytest.fixture
def measure(fleet, tmp_path):
    """Measure the only configuration of a section's text and return the accepted run's folder."""

    def run_once(text: str, pauses: str = "") -> Path:
        (tmp_path / "x.toml").write_text(text + PROFILE + pauses)
        section = read_section("x", "smoke", folder=tmp_path)
        (config,) = section.configs()
        run = Run(section=section, config=config, repetition=1, campaign_dir=tmp_path)
        measure_accepted(fleet, run)
        return run.folder

    return run_once


def counts(folder: Path) -> dict[str, str]:
    checks = read_manifest(folder).checks
    return {check.name: check.detail for check in checks if check.name.endswith("_counts")}


def seconds_of(folder: Path, name: str) -> list[int]:
    seconds = read_memtier_json(folder / name).run.seconds
    return [int(n) for n in seconds.groupby("second")["requests"].sum()]


def arrivals_at(path: Path) -> int:
    """How many requests were due in all seconds of a run, whenever they were sent and answered."""
    run = read_memtier_json(path).run
    kinds = ("Unsent arrivals", "Unanswered requests")
    return int(run.seconds["requests"].sum()) + sum(run.extras.get(kind, 0) for kind in kinds)


@pytest.mark.selected
def test_each_instance_sends_to_a_server_of_its_own(measure):
    folder = measure(TWO_SERVERS)
    manifest = read_manifest(folder)
    assert manifest.targets == {"c1": ["s1", "s2"]}
    assert manifest.num_clients == 8
    kinds = ("s1_sets", "s1_keys", "s2_sets", "s2_keys")
    assert set(counts(folder)) == {f"{kind}_counts" for kind in kinds}
    assert sum(seconds_of(folder, "c1/memtier-1.json.gz")) > 100


@pytest.mark.selected
def test_two_middlewares_share_the_clients_and_write_to_all_servers(measure):
    folder = measure(TWO_MIDDLEWARES)
    manifest = read_manifest(folder)
    assert manifest.targets == {host: ["m1", "m2"] for host in ("c1", "c2", "c3")}
    assert manifest.num_clients == 12
    for host in ("m1", "m2"):
        assert read_middleware(folder / host / "middleware").windows["requests"].sum() > 0
    starts = {
        read_memtier_json(path).run.started_epoch_ms // 1000
        for path in folder.glob("c*/memtier-*.json.gz")
    }
    assert starts == {manifest.start_at_epoch_s}


@pytest.mark.parametrize("sharded", [pytest.param("true", marks=pytest.mark.selected), "false"])
def test_multi_gets_are_answered_whole(measure, sharded):
    folder = measure(SHARDED.format(sharded=sharded))
    windows = read_middleware(folder / "m1/middleware").windows
    assert set(windows["request_type"]) == {"set", "multi-get-9"}
    assert windows["misses"].sum() == 0
    assert "servers_keys_counts" in counts(folder)


@pytest.mark.selected
def test_replicas_are_written_to_as_many_servers(measure):
    folder = measure(RING)
    assert "servers_sets_counts" in counts(folder)
    manifest = read_manifest(folder)
    assert manifest.settings["replicas"] == 2
    (job,) = [job for job in manifest.jobs if job.name == "middleware"]
    for option in ("--routing consistent-hash", "--dispatch pipelined", "--replicas 2 "):
        assert option in job.command
    assert f"--admin 198.18.0.21:{middleware.ADMIN_PORT}" in job.command


@pytest.mark.selected
def test_open_loop_offers_its_rate_whatever_the_replies_do(measure, fleet):
    folder = measure(OPEN)
    arrivals = sum(arrivals_at(folder / f"c{n}/memtier-0.json.gz") for n in (1, 2))
    expected = 400 * (1 + 3 + 1) / fleet.inventory.time_dilation
    assert arrivals == pytest.approx(expected, abs=5 * math.sqrt(expected))


@pytest.mark.selected
def test_a_middleware_of_others_is_observed_by_its_packets(measure):
    manifest = read_manifest(measure(FOREIGN))
    assert manifest.config["middleware"] == "nutcracker"
    assert "m1/packets" in {str(Path(name).parent) for name in manifest.files}


@pytest.mark.selected
def test_pauses_stand_in_the_manifest_and_in_the_trace(measure):
    folder = measure(PAUSED, "pauses = [{ server = 2, at_s = 1, for_s = 1.5 }]")
    manifest = read_manifest(folder)
    (pause,) = manifest.pauses
    due_s = manifest.start_at_epoch_s + 1 + 1
    assert pause.host == "s2"
    assert due_s - 0.1 < pause.began_epoch_s < pause.ended_epoch_s
    lasted_ms = 1000 * (pause.ended_epoch_s - pause.began_epoch_s)
    longest_ms = read_middleware(folder / "m1/middleware").windows["response_time_max_ms"].max()
    assert longest_ms > lasted_ms / 2
