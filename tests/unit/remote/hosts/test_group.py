import threading

import pytest

from remote.errors import ConnectionLost, GroupError
from remote.hosts.group import in_parallel


def fail(message):
    raise ValueError(message)


def test_parallel_failure_of_one_is_its_own_error():
    with pytest.raises(ValueError, match="only me"):
        in_parallel({"a": lambda: 1, "b": lambda: fail("only me")})


def test_parallel_failures_keep_every_result():
    with pytest.raises(GroupError, match=r"2 of 3 hosts failed:\nx\ny\Z") as error:
        in_parallel({"a": lambda: fail("x"), "b": lambda: 7, "c": lambda: fail("y")})
    assert error.value.results["b"] == 7
    assert isinstance(error.value.results["c"], ValueError)


def test_failed_jobs_of_a_host_are_not_counted_as_hosts():
    lost = ConnectionLost("c1", "Channel closed.", "Check its link.")
    error = GroupError({"0": lost, "1": lost, "2": None, "3": ConnectionLost("c2", "gone", "")})
    first, second, *_ = str(error).splitlines()
    assert first == "3 of 4 jobs failed, on c1, c2:"
    assert second == "c1: connection lost: Channel closed. Check its link."
    assert str(GroupError({"c1": lost, "c2": None})).startswith("1 of 2 hosts failed:\n")


def test_of_many_errors_a_few_are_told_in_full_and_all_hosts_are_named():
    results = {f"c{n}": ConnectionLost(f"c{n}", "gone", "Plug it in") for n in range(1, 60)}
    error = GroupError({**results, "c60": "well"})
    first, *told, last = str(error).splitlines()
    assert first == "59 of 60 hosts failed:"
    assert len(told) == 5
    assert all(line.startswith(f"c{n}: ") for n, line in enumerate(told, 1))
    assert last.startswith("and 54 more, of c6, c7, c8, ")
    assert last.endswith(", c59")
    assert len(error.results) == 60


def test_so_many_tasks_run_at_a_time_and_no_more():
    running, most = [], []
    three = threading.Barrier(3, timeout=60)

    def task():
        running.append(1)
        most.append(len(running))
        three.wait()
        running.pop()
        three.wait()

    in_parallel({str(n): task for n in range(12)}, at_once=3)
    assert max(most) == 3
