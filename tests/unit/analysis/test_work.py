"""Calls of one function, here, in processes and on a cluster: the same results, none lost."""

import os
import signal
import time
from functools import partial

import pytest

from analysis.work import SCHEDULER, mapped, workers

ITEMS = list(range(40))


def draw(item, rng):
    return item, float(rng.standard_normal())


def half(item):
    if item % 2:
        raise ValueError(f"{item} is odd")
    return item // 2


def kills_once(folder, item):
    """End the process that calls it, the first time that it is called with 7."""
    mark = folder / "killed"
    if item == 7 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return item * item


def process(item):
    time.sleep(0.01)
    return os.getpid()


@pytest.fixture(autouse=True)
def _no_scheduler(monkeypatch):
    monkeypatch.delenv(SCHEDULER, raising=False)


@pytest.fixture(scope="module")
def cluster():
    """Two workers with a nanny each, which starts one anew that has died."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None, host="127.0.0.1"
    ) as running:
        yield running.scheduler_address


@pytest.fixture
def here():
    with workers(1) as found:
        yield list(mapped(draw, ITEMS, seed=3, within=found))


def test_numbers_belong_to_items(here):
    assert [item for item, _ in here] == ITEMS
    assert len({number for _, number in here}) == len(ITEMS)
    with workers(1) as found:
        fewer = list(mapped(draw, ITEMS[:5], seed=3, within=found))
        assert fewer == here[:5]
        assert list(mapped(draw, ITEMS, seed=4, within=found)) != here


@pytest.mark.parametrize("processes", [2, 3])
def test_processes_give_the_same_numbers(here, processes):
    with workers(processes) as found:
        assert found.count == processes
        assert list(mapped(draw, ITEMS, seed=3, within=found)) == here


@pytest.mark.slow
def test_a_cluster_gives_the_same_numbers(here, cluster, monkeypatch):
    with workers(scheduler=cluster) as found:
        assert found.count == 2
        assert list(mapped(draw, ITEMS, seed=3, within=found)) == here
    monkeypatch.setenv(SCHEDULER, cluster)
    processes = set(mapped(process, ITEMS))
    assert len(processes) == 2
    assert os.getpid() not in processes


@pytest.mark.slow
def test_what_was_lost_with_a_worker_is_done_again(cluster, tmp_path):
    with workers(scheduler=cluster) as found:
        squares = list(mapped(partial(kills_once, tmp_path), ITEMS, within=found))
    assert (tmp_path / "killed").exists()
    assert squares == [item * item for item in ITEMS]


@pytest.mark.slow
def test_one_process_is_this_one_whatever_scheduler_there_is(cluster, monkeypatch):
    monkeypatch.setenv(SCHEDULER, cluster)
    with workers(1) as found:
        assert set(mapped(process, ITEMS[:3], within=found)) == {os.getpid()}


@pytest.fixture(params=[1, 2, pytest.param("cluster", marks=pytest.mark.slow)])
def where(request):
    """Where to work: a number of processes, or on the cluster."""
    if request.param == "cluster":
        return {"scheduler": request.getfixturevalue("cluster")}
    return {"processes": request.param}


def test_an_error_is_that_of_the_first_item_which_has_one(where):
    with workers(**where) as found:
        results = mapped(half, [0, 2, 3, 5], within=found)
        with pytest.raises(ValueError, match="3 is odd"):
            list(results)


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setattr("analysis.work._CONNECT_TIMEOUT_S", 1)
    with pytest.raises(OSError, match=r"127\.0\.0\.1:1"), workers(scheduler="tcp://127.0.0.1:1"):
        pass
