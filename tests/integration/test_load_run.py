"""Runs under load, for real: generators, middleware, memcached and monitors on the lab's hosts."""

import itertools
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from analysis.tidy import tidy_campaign
from remote.campaign import DATA_DIR, Campaign, measure_run
from remote.errors import RemoteError
from remote.jobs import JOB_MARK
from remote.load_run import LoadSession
from remote.manifest import read_manifest
from remote.provision import provision
from remote.run import Collected, Run, store
from remote.section import Section

pytestmark = pytest.mark.integration

SECTION = """
title = "A short run"
[hosts]
clients = 3
middlewares = {middlewares}
servers = 1
[generator]
threads_per_instance = 2
[factors]
workload = ["{workload}"]
clients_per_thread = [4]
{workers}
[profiles.smoke]
repetitions = 1
warm_up_s = 1
stable_s = 2
cool_down_s = 1
"""
LINK_LIMIT_OPS_PER_S = 100e6 / 8 / 4096  # what a server's 100 Mbit/s carry of 4096 B values


def plan(folder: Path, workload: str, middlewares: int) -> Run:
    workers = "workers = [8]" if middlewares else ""
    text = SECTION.format(workload=workload, middlewares=middlewares, workers=workers)
    (folder / "9.9.toml").write_text(text)
    section = Section.read("9.9", "smoke", folder=folder)
    return Run(section=section, config=section.configs()[0], repetition=1, campaign_dir=folder)


def jobs_running() -> list[str]:
    """Command lines of the processes on this machine, in the lab or not, that jobs have started."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if f"\0{JOB_MARK}=".encode() in b"\0" + (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except (OSError, ValueError):
            continue
    return found


def wait_for_generators(process: subprocess.Popen[bytes] | None = None) -> None:
    """Return when generators are running."""
    deadline = time.monotonic() + 60
    while not any("memtier" in line for line in jobs_running()):
        assert process is None or process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < deadline, "no generator was started"
        time.sleep(0.1)


@pytest.mark.parametrize(
    ("workload", "middlewares"), list(itertools.product(["set", "get"], [0, 1]))
)
def test_run_is_accepted_and_its_numbers_agree(fleet, tmp_path, workload, middlewares):
    run = plan(tmp_path, workload, middlewares)
    with LoadSession(fleet, run.section, provision(fleet, fleet.inventory.hosts)) as session:
        reason = measure_run(session, run, identity(fleet))
    assert reason == ""
    assert read_manifest(run.folder)["status"] == "accepted"
    assert jobs_running() == []

    (row,) = tidy_campaign(tmp_path, ["9.9"]).runs.to_dict("records")
    throughput = row["client_throughput_ops_per_s"]
    assert throughput > 100
    if workload == "get":
        assert throughput < LINK_LIMIT_OPS_PER_S * 1.02
        assert row["client_miss_rate"] == 0
    predicted = row["num_clients"] / (row["client_response_time_ms"] / 1000)
    assert throughput == pytest.approx(predicted, rel=0.1)
    if middlewares:
        assert row["middleware_throughput_ops_per_s"] > 100
        assert row["middleware_response_time_ms"] < row["client_response_time_ms"]


def identity(fleet):
    rates = {h.name: h.rate_mbit_per_s for h in fleet.inventory.hosts}
    topology = {"name": "azure", "time_dilation": 1.0, "rates_mbit_per_s": rates}
    git = {"commit": "0" * 40, "dirty": False}
    return {"campaign": "t", "fleet": "local-lab", "topology": topology, "git": git}


def kill_memcached(server):
    wait_for_generators()
    server.run("pkill -KILL memcached")


def test_run_whose_server_dies_is_not_accepted_and_is_kept(fleet, tmp_path):
    run = plan(tmp_path, "set", 1)
    collected = Collected()
    tools = provision(fleet, fleet.inventory.hosts)
    with LoadSession(fleet, run.section, tools) as session:
        killer = threading.Thread(target=kill_memcached, args=[fleet["s1"]])
        killer.start()
        try:
            with pytest.raises(RemoteError, match=r"s1: .*port 11211 does not answer"):
                session.measure(run, collected)
        finally:
            killer.join()
    folder = store(run, collected, {"campaign": "t"}, error="s1 died")
    assert read_manifest(folder)["status"] == "failed"
    assert list(folder.glob("c1/memtier-0.*"))
    assert jobs_running() == []


@pytest.fixture
def campaign():
    name = f"test-{os.getpid()}"
    yield name
    shutil.rmtree(DATA_DIR / name, ignore_errors=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_ends_everything_and_the_next_call_resumes(fleet, campaign, number):
    command = [Path(sys.executable).with_name("lab"), "run", "2.1", "--campaign", campaign]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    opened = Campaign.open(campaign)
    deadline = time.monotonic() + 60
    while not list(opened.path.glob("2.1/*/rep-1/manifest.json")):
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.1)
    wait_for_generators(process)
    process.send_signal(number)
    _, error = process.communicate(timeout=20)
    assert process.returncode == 130
    assert b"interrupted; what was measured is kept" in error
    assert jobs_running() == []
    opened = Campaign.open(campaign)
    done = len(opened.runs("2.1")) - len(opened.missing("2.1"))
    assert done == len(list(opened.path.glob("2.1/*/rep-*/manifest.json"))) > 0
