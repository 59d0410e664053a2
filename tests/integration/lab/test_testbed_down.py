"""Nothing of the local lab is left on this machine, however it ended."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remote.errors import GroupError, LabError
from remote.hosts.group import Fleet
from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Inventory
from remote.hosts.jobs import JOB_MARK
from remote.providers.local_lab import (
    LocalLab,
    Topology,
    network_problem,
    processes,
    shell_command,
)
from remote.providers.local_lab.files import HOST_DIR, WORK_DIR, LabFiles
from remote.providers.local_lab.links.wiring import Delay

JOB = "sleep 4711.17"
OURS = re.compile("mwlab|/run/middleware-lab")  # in names of what a lab makes
FILES = re.compile("mwlab|middleware-lab|netns")  # of those that it makes in /run
JOB_OF_A_HOST = f"\0{JOB_MARK}={HOST_DIR}/".encode()

# `up` in a process of its own that gets a signal when a step of it is about to be done for the
# n-th time.
SIGNALLED_UP = """
import importlib, os, sys
from remote.providers.local_lab import LocalLab

module_name, function_name, count, number = sys.argv[1:]
module = importlib.import_module(f"remote.providers.local_lab.{module_name}")
function, calls = getattr(module, function_name), []

def step(*arguments):
    calls.append(arguments)
    if len(calls) == int(count):
        os.kill(os.getpid(), int(number))
    return function(*arguments)

setattr(module, function_name, step)
LocalLab().up()
"""
STEPS = [
    ("namespaces", "run", 1),
    ("namespaces", "run", 2),
    ("namespaces", "run", 30),
    ("links.delay_line", "start_line", 1),
    ("sshd", "write_files", 1),
    ("sshd", "start", 1),
    ("sshd", "start", 5),
    ("namespaces", "_wait_until_answering", 1),
    ("namespaces", "written_whole", 1),
]


def signalled_up(module, function, count, number):
    """Bring the lab up until the signal comes; the exit status."""
    words = [module, function, str(count), str(int(number))]
    command = [sys.executable, "-c", SIGNALLED_UP, *words]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode


def traces():
    """Everything that a lab could leave on this machine, and nothing that others make meanwhile."""
    namespaces = subprocess.check_output(["ip", "netns", "list"], text=True).splitlines()
    mounts = Path("/proc/mounts").read_text().splitlines()
    return {
        "namespaces": [line for line in namespaces if OURS.search(line)],
        "devices": [name for _, name in socket.if_nameindex() if OURS.search(name)],
        "mounts": [line for line in mounts if OURS.search(line)],
        "control groups": sorted(Path("/sys/fs/cgroup").glob("**/mwlab-*")),
        "files": sorted(path.name for path in Path("/run").iterdir() if FILES.search(path.name)),
        "processes": sorted(processes_of_hosts()),
        "congestion": Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control").read_text(),
    }


def processes_of_hosts():
    """Yield number and command line of what hosts of a lab run, and of their jobs."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            environment = b"\0" + (process / "environ").read_bytes()
        except OSError:
            continue
        if f"{HOST_DIR}/" in words or JOB in words or JOB_OF_A_HOST in environment:
            yield process.name, words


@pytest.fixture(autouse=True)
def _nothing_left(no_lab):
    before = traces()
    yield
    LocalLab().down()
    assert traces() == before


@pytest.mark.selected
def test_down_leaves_nothing_and_is_harmless_when_repeated():
    with LocalLab() as lab:
        job = f"setsid {JOB} >/dev/null 2>&1 & echo x > {WORK_DIR}/x"
        subprocess.run(shell_command("c1", job), check=True)
        assert traces()["processes"]
    lab.down()
    assert lab.status() == []
    with pytest.raises(LabError, match="not up"):
        shell_command("c1")


@pytest.mark.parametrize(("module", "function", "count"), STEPS)
def test_down_clears_what_a_killed_up_has_left(module, function, count):
    assert signalled_up(module, function, count, signal.SIGKILL) == -signal.SIGKILL
    LocalLab().down()


@pytest.mark.parametrize(("module", "function", "count"), STEPS)
def test_up_completes_what_a_killed_up_has_left(module, function, count):
    assert signalled_up(module, function, count, signal.SIGKILL) == -signal.SIGKILL
    LocalLab().up()
    assert [state.is_up for state in LocalLab().status()] == [True] * 8


@pytest.mark.parametrize(("module", "function", "count"), STEPS)
def test_interrupted_up_leaves_nothing(module, function, count):
    before = traces()
    assert signalled_up(module, function, count, signal.SIGINT) == -signal.SIGINT
    assert traces() == before


def test_failed_up_leaves_nothing_and_tells_why(monkeypatch):
    before = traces()
    monkeypatch.setattr("remote.providers.local_lab.sshd.find", lambda _: "/none/sshd")
    with pytest.raises(LabError, match=r"\w+ ended while it started.*/none/sshd: not found"):
        LocalLab().up()
    assert traces() == before


def test_down_clears_a_lab_whose_namespaces_were_deleted_by_hand():
    LocalLab().up()
    for name in ("switch", *(host.name for host in Topology.named("azure").hosts)):
        subprocess.run(["ip", "netns", "delete", f"mwlab-{name}"], check=True)


def test_lab_whose_processes_have_all_ended_does_not_run_and_is_built_anew():
    lab = LocalLab()
    lab.up()
    assert lab.is_running()
    files = LabFiles()
    processes.end(processes.read_noted(files.host(state.name) / "init") for state in lab.status())
    assert not lab.is_running()
    assert lab.status()
    lab.up()
    assert lab.is_running()


def test_two_ups_at_once_make_one_lab():
    command = [
        sys.executable,
        "-c",
        "from remote.providers.local_lab import LocalLab; LocalLab().up()",
    ]
    with subprocess.Popen(command) as first, subprocess.Popen(command) as second:
        assert (first.wait(), second.wait()) == (0, 0)
    assert len(LocalLab().status()) == 8


def test_dead_delay_line_is_told_and_mended():
    lab = LocalLab()
    lab.up()
    if lab.switch().delay is not Delay.LINE:
        pytest.skip("this kernel delays packets itself")
    os.kill(lab.switch().line_pid, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while lab.switch().is_up:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert not any(state.answers_ssh for state in lab.status())
    assert "delay line has ended" in network_problem()
    with pytest.raises(LabError, match=r"delay line has ended.*`lab up`"):
        shell_command("s1")
    reached = Fleet(Inventory.read(LOCAL_LAB_INVENTORY))
    with pytest.raises(GroupError, match="cannot connect"), reached as fleet:
        fleet.run("true")
    lines = []
    lab.up(progress=lines.append)
    assert "Building the lab anew: its delay line has ended." in lines
    assert lab.switch().is_up
    assert network_problem() == ""


def test_failed_start_of_the_delay_line_leaves_nothing_and_tells_why(monkeypatch, tmp_path):
    before = traces()
    broken = tmp_path / "delay-line"
    broken.write_text("#!/bin/sh\necho 'no packet sockets here' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("remote.providers.local_lab.links.delay_line.choose", lambda _: Delay.LINE)
    monkeypatch.setattr("remote.providers.local_lab.links.delay_line.build_line", lambda: broken)
    with pytest.raises(LabError, match=r"delay-line.* failed: no packet sockets here"):
        LocalLab().up()
    assert traces() == before


def test_up_mends_a_lab_with_a_dead_host():
    lab = LocalLab()
    lab.up()
    dead = lab.status()[5]
    os.kill(dead.pid, signal.SIGKILL)
    assert [state.name for state in lab.status() if not state.is_up] == ["s1"]
    with pytest.raises(LabError, match="s1 does not answer"):
        shell_command("s1")
    lines = []
    lab.up(progress=lines.append)
    assert "Building the lab anew: no answer from s1." in lines
    assert all(state.is_up for state in lab.status())
