"""Which process is meant, and that no other one is ever ended."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from remote.providers.local_lab import processes
from remote.providers.local_lab.processes import Process, parse_stat

STAT = (
    "4711 ({name}) S 4700 4700 4700 0 -1 4194560 92 0 0 0 0 0 0 0 20 0 1 0 812345 2658304 221 "
    "18446744073709551615 1 1 0 0 0 0 0 4096 65538 1 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
)


@pytest.fixture
def sleeper():
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as popen:
        yield popen
        popen.kill()


def process_of(popen):
    return parse_stat(Path(f"/proc/{popen.pid}/stat").read_text())


@pytest.mark.parametrize("name", ["sh", "a (b) c", ") S 1 2 3", ""])
def test_parse_stat_survives_any_process_name(name):
    assert parse_stat(STAT.format(name=name)) == Process(pid=4711, start_ticks=812345)


def test_end_spares_a_process_that_only_has_the_number(sleeper):
    process = process_of(sleeper)
    earlier = replace(process, start_ticks=process.start_ticks - 1)
    processes.end([earlier])
    assert not earlier.is_running
    assert process.is_running


def test_end_skips_processes_that_are_gone(sleeper):
    process = process_of(sleeper)
    sleeper.kill()
    sleeper.wait()
    processes.end([process])
    assert not process.is_running


def test_wait_until_reaped_waits_for_the_parent_to_collect(sleeper):
    process = process_of(sleeper)
    sleeper.kill()
    processes.end([process])
    assert process.is_listed
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(processes.wait_until_reaped, [process], timeout_s=20)
        assert not waiting.done()
        sleeper.wait()
        waiting.result(timeout=60)
    assert not process.is_listed


def test_in_network_namespaces_finds_own_process_in_own_namespace():
    own = parse_stat(Path("/proc/self/stat").read_text())
    assert own in processes.in_network_namespaces([Path("/proc/self/ns/net")])


def test_descendants_of_a_process_are_found_and_of_an_ended_one_none():
    shell = ["sh", "-c", "sh -c 'sleep 60; :' & echo started; wait; :"]
    with subprocess.Popen(shell, stdout=subprocess.PIPE, start_new_session=True) as popen:
        popen.stdout.readline()
        parent = process_of(popen)
        deadline = time.monotonic() + 60
        while len(found := processes.with_descendants(parent)) < 3:
            assert time.monotonic() < deadline, found
        assert found[0] == parent
        processes.end(found)
        popen.wait()
    assert processes.with_descendants(parent) == []


def test_descendants_end_where_a_parent_has_the_number_of_a_child(monkeypatch):
    """Parents are read one after the other, while numbers are given again."""
    own = parse_stat(Path("/proc/self/stat").read_text())
    child = STAT.format(name="sh").replace("4700", f"{own.pid}", 1)
    again = STAT.format(name="sh").replace("4711", f"{own.pid}").replace("4700", "4711", 1)
    monkeypatch.setattr(processes, "_all_stats", lambda: [child, again])
    assert processes.with_descendants(own) == [own, parse_stat(child)]


def test_processes_are_known_by_their_environment(tmp_path):
    mark = f"MWLAB_TEST_MARK={tmp_path}/"
    environment = {"FIRST": "1", "MWLAB_TEST_MARK": f"{tmp_path}/job"}
    command = ["/bin/sh", "-c", "echo started; read _"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    ) as popen:
        popen.stdout.readline()
        assert processes.with_environment(mark) == [process_of(popen)]
        assert processes.with_environment(f"X{mark}") == []
        popen.kill()
