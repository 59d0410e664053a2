"""Processors that are kept awake, with files in place of the kernel's."""

import contextlib
import os
import subprocess

import pytest

from remote import processors
from remote.processors import keep_awake, move, pinned_command, split_processors, wake_up_bound_us

FOREVER_US = 2_000_000_000


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    """The kernel's two files: what it was asked for, and which driver it has."""
    latency, driver = tmp_path / "cpu_dma_latency", tmp_path / "current_driver"
    latency.write_bytes(FOREVER_US.to_bytes(4, "little"))
    driver.write_text("haltpoll\n")
    monkeypatch.setattr(processors, "LATENCY", latency)
    monkeypatch.setattr(processors, "_DRIVER", driver)
    return latency, driver


def test_no_time_to_wake_up_is_asked_for_while_it_lasts(kernel):
    assert wake_up_bound_us() == FOREVER_US
    with keep_awake():
        assert wake_up_bound_us() == 0


@pytest.mark.parametrize("driver", ["none\n", "\n"])
def test_without_a_driver_nothing_is_known(kernel, driver):
    kernel[1].write_text(driver)
    assert wake_up_bound_us() is None


def test_who_may_not_ask_measures_all_the_same(kernel, monkeypatch, tmp_path):
    monkeypatch.setattr(processors, "LATENCY", tmp_path)  # a folder cannot be written to
    with keep_awake():
        assert wake_up_bound_us() is None


@pytest.mark.parametrize(
    ("num_cpus", "processors", "theirs", "others"),
    [
        (2, {0, 1}, [0], [1]),  # never more than half
        (1.5, range(8), [0, 1], [2, 3, 4, 5, 6, 7]),
        (1, {3, 5, 9}, [3], [5, 9]),
        (0, {0, 1}, [0, 1], [0, 1]),
        (1, {4}, [4], [4]),
    ],
)
def test_processors_are_shared_out(num_cpus, processors, theirs, others):
    assert split_processors(num_cpus, processors) == (theirs, others)


def test_what_is_started_stays_on_its_processors():
    processor = max(os.sched_getaffinity(0))
    command = pinned_command([processor], ["sh", "-c", "nproc; taskset -p $$"])
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert told.split()[0] == "1"
    assert told.rstrip().endswith(f" {1 << processor:x}")


def test_threads_are_moved_with_those_that_they_start_meanwhile():
    """And one that has ended by then is no error."""
    own = sorted(os.sched_getaffinity(0))
    ended = subprocess.Popen(["true"])
    ended.wait()
    listed = []

    def threads():
        if len(listed) < 2:
            listed.append(started.enter_context(subprocess.Popen(["sleep", "60"])))
        return [ended.pid, *(process.pid for process in listed)]

    with contextlib.ExitStack() as started:
        try:
            move(threads, own[:1])
            assert [os.sched_getaffinity(process.pid) for process in listed] == [set(own[:1])] * 2
            move(threads, own)
            assert os.sched_getaffinity(listed[0].pid) == set(own)
        finally:
            for process in listed:
                process.kill()
