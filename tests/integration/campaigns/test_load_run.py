"""Runs under load, for real: generators, middleware, memcached and monitors on the lab's hosts."""

import itertools
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from analysis.results.dstat import read_dstat
from analysis.tables.tidying import tidy_campaign
from records.paths import DATA
from remote.campaign.attempts import measure_once
from remote.errors import CommandFailed
from remote.experiment.manifest import read_manifest
from remote.experiment.run import Run
from remote.experiment.section_file import read_section
from remote.experiment.sessions.load import LoadSession
from remote.hosts.provision import provision
from remote.processors import wake_up_bound_us
from tests.helpers.running import jobs_running, wait_for_generators
from tests.helpers.runs import measure_accepted, measure_in, new_manifest

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
    section = read_section("9.9", "smoke", folder=folder)
    return Run(section=section, config=section.configs()[0], repetition=1, campaign_dir=folder)


def start_lab(*arguments: str) -> subprocess.Popen[bytes]:
    command = [str(Path(sys.executable).with_name("lab")), *arguments]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def wait_for(process: subprocess.Popen[bytes], condition: Callable[[], object]) -> None:
    """Return when `condition` holds, as it must while `process` runs."""
    deadline = time.monotonic() + 300
    while not condition():
        assert process.poll() is None, process.stderr.read().decode()
        assert time.monotonic() < deadline
        time.sleep(0.1)


def manifests(campaign: str) -> dict[Path, bytes]:
    """The manifests of the accepted runs."""
    paths = (DATA / campaign).glob("*/*/rep-*/manifest.json")
    return {path: path.read_bytes() for path in paths if re.fullmatch(r"rep-\d+", path.parent.name)}


@pytest.mark.parametrize(
    ("workload", "middlewares"), list(itertools.product(["set", "get"], [0, 1]))
)
def test_run_is_accepted_and_its_numbers_agree(fleet, tmp_path, workload, middlewares):
    run = plan(tmp_path, workload, middlewares)
    measure_accepted(fleet, run)
    assert read_manifest(run.folder).status == "accepted"
    assert jobs_running() == []

    (row,) = tidy_campaign(tmp_path, ["9.9"]).runs.to_dict("records")
    throughput = row["client_throughput_ops_per_s"]
    assert throughput > 0
    if workload == "get":
        assert throughput < LINK_LIMIT_OPS_PER_S * 1.02
        assert row["client_miss_rate"] == 0
    predicted = row["num_clients"] / (row["client_response_time_ms"] / 1000)
    assert throughput == pytest.approx(predicted, rel=0.1)
    if middlewares:
        assert row["middleware_throughput_ops_per_s"] > 0
        assert row["middleware_response_time_ms"] < row["client_response_time_ms"]


@pytest.mark.selected
def test_monitors_run_on_and_each_run_has_its_part(fleet, tmp_path):
    first = plan(tmp_path, "set", 1)
    second = replace(first, repetition=2)
    with LoadSession(fleet, first.section, provision(fleet, fleet.inventory.hosts)) as session:
        measure_in(session, fleet, first)
        monitors = f"{fleet['c1'].host.work_dir}/jobs/9.9-monitors"
        fleet["c1"].run(f"pkill -KILL -P $(cat {monitors}/dool.pid)")
        rejected = measure_once(session, second, new_manifest(fleet))
        assert "c1: dool ended with 137" in rejected
        measure_in(session, fleet, second)
        assert len([line for line in jobs_running() if line.startswith("python3 -m dool")]) == 5
    assert jobs_running() == []
    before = [folder for folder in second.folder.parent.iterdir() if folder != second.folder]
    assert {first.folder, second.folder.with_name("rep-2.rejected-1")} <= set(before)
    for host in ("c1", "c2", "s1"):
        seconds = set(epochs_of(second.folder, host))
        assert seconds
        for folder in before:
            assert seconds.isdisjoint(epochs_of(folder, host)), folder.name


def epochs_of(folder, host):
    return list(read_dstat(folder / host / "dool.csv.gz")["epoch_s"])


def test_disk_that_fills_up_is_named_and_the_attempt_is_kept(fleet, tmp_path):
    run = plan(tmp_path, "set", 0)
    filler = f"{fleet['c1'].host.work_dir}/filler"
    tools = provision(fleet, fleet.inventory.hosts)
    fill = threading.Thread(target=fill_disk, args=[fleet["c1"], filler])
    fill.start()
    try:
        with (
            LoadSession(fleet, run.section, tools) as session,
            pytest.raises(CommandFailed, match=r"c1: .*No space left(.|\n)*free space there"),
        ):
            measure_once(session, run, new_manifest(fleet))
    finally:
        fill.join()
        fleet["c1"].run(f"rm -f {filler} {filler}.rest")
    (attempt,) = run.attempts()
    assert attempt["status"] == "failed"
    assert any(name.startswith("c2/memtier-0") for name in attempt["files"])
    assert jobs_running() == []


def fill_disk(client, filler):
    wait_for_generators()
    folder = client.host.work_dir
    room = f"$(df --output=avail --block-size=1 {folder} | tail -n 1)"
    fill = f"fallocate --length {room} {filler}; dd if=/dev/zero of={filler}.rest bs=4k"
    client.run(f"{{ {fill}; }} 2>/dev/null", check=False)


@pytest.fixture
def campaign():
    name = f"test-{os.getpid()}"
    yield name
    shutil.rmtree(DATA / name, ignore_errors=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt_ends_everything(fleet, campaign, number):
    bound_us = wake_up_bound_us()
    process = start_lab("run", "2.1", "--campaign", campaign)
    wait_for(process, lambda: manifests(campaign))
    wait_for(process, lambda: any("memtier" in line for line in jobs_running()))
    assert wake_up_bound_us() in (0, None)
    process.send_signal(number)
    _, error = process.communicate()
    assert process.returncode == 130
    assert b"interrupted; what was measured is kept" in error
    assert jobs_running() == []
    assert wake_up_bound_us() == bound_us


INTERRUPT_AT = """
import os, signal, sys
from lab.cli import main
from remote.hosts.jobs import Job
launch, number, count = Job.launch, int(sys.argv.pop(1)), 0
def interrupting(self, **options):
    global count
    count += 1
    if count == number:
        os.kill(os.getpid(), signal.SIGINT)
    launch(self, **options)
Job.launch = interrupting
main()
"""


@pytest.mark.parametrize("number", [1, 2, 3, 4, 9, 12])
def test_interrupt_while_jobs_are_being_started_leaves_none(fleet, campaign, number):
    arguments = ["run", "3.1", "--campaign", campaign]
    command = [sys.executable, "-c", INTERRUPT_AT, str(number), *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 130, result.stderr
    assert jobs_running() == []
    assert not [path for path in manifests(campaign) if "kind=iperf3" not in str(path)]
