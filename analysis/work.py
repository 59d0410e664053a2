"""Many calls of one function: on the processors of this machine, or on those of a Dask cluster.

What is called must be importable, where it runs as here. The results do not depend on where that
is: random numbers belong to an item, never to what happens to work on it. A cluster does again what
was lost with one of its workers.
"""

import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.random import SeedSequence

SCHEDULER = "MWLAB_SCHEDULER"
"""Environment variable with the address of a Dask scheduler, such as ``tcp://10.0.0.4:8786``."""

_PARTS = 8  # for each of the workers, so that none waits long for the last
_CONNECT_TIMEOUT_S = 20.0

Item = TypeVar("Item")
Result = TypeVar("Result")
Call = tuple[object, SeedSequence | None]  # an item, and what its random numbers come from


@dataclass(frozen=True, kw_only=True)
class Workers:
    """What calls functions.

    Attributes
    ----------
    count
        How many calls it makes at a time, >= 1.
    executor
        That makes them; None where they are made here, one after the other.
    """

    count: int
    executor: Executor | None = None


@contextmanager
def workers(processes: int | None = None, *, scheduler: str | None = None) -> Iterator[Workers]:
    """Give what calls functions, as long as the block lasts.

    Parameters
    ----------
    processes
        How many on this machine where there is no scheduler, by default one for each processor; 1
        makes all calls here, whatever else is said. New processes share nothing with this one: a
        script that lets them start needs the usual ``if __name__ == "__main__"``.
    scheduler
        Address of the scheduler of a Dask cluster, by default that in ``MWLAB_SCHEDULER``.

    Raises
    ------
    OSError
        The scheduler does not answer.
    """
    address = scheduler or os.environ.get(SCHEDULER)
    count = processes or len(os.sched_getaffinity(0))
    if count == 1:
        yield Workers(count=1)
    elif address:
        with _cluster(address) as found:
            yield found
    else:
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(count, mp_context=context) as pool:
            yield Workers(count=count, executor=pool)


def mapped(
    function: Callable[..., Result],
    items: Iterable[Item],
    seed: int | None = None,
    *,
    within: Workers | None = None,
) -> Iterator[Result]:
    """Yield what a function returns for each item, in their order.

    Parameters
    ----------
    function
        Takes an item, and if there is a seed also a `numpy.random.Generator` of the item's own.
    seed
        From which the generators of all items come (`numpy.random.SeedSequence.spawn`): those of an
        item are the same whichever worker has it, and however many there are.
    within
        What calls it; by default `workers` for these items alone.
    """
    listed = list(items)
    seeds: Sequence[SeedSequence | None] = [None] * len(listed)
    if seed is not None:
        seeds = SeedSequence(seed).spawn(len(listed))
    calls = list(zip(listed, seeds, strict=True))
    if within is not None:
        yield from _spread(function, calls, within)
        return
    with workers() as own_workers:
        yield from _spread(function, calls, own_workers)


def _spread(
    function: Callable[..., Result], calls: Sequence[Call], within: Workers
) -> Iterator[Result]:
    if within.executor is None:
        for call in calls:
            yield _called(function, call)
        return
    size = max(1, len(calls) // (_PARTS * within.count))
    parts = [calls[first : first + size] for first in range(0, len(calls), size)]
    for results in within.executor.map(partial(_all_called, function), parts):
        yield from results


def _all_called(function: Callable[..., Result], calls: Iterable[Call]) -> list[Result]:
    return [_called(function, call) for call in calls]


def _called(function: Callable[..., Result], call: Call) -> Result:
    item, seed = call
    return function(item) if seed is None else function(item, np.random.default_rng(seed))


@contextmanager
def _cluster(address: str) -> Iterator[Workers]:
    from distributed import Client  # slow to load, and rarely needed

    connect = partial(Client, timeout=_CONNECT_TIMEOUT_S, set_as_default=False)
    with connect(address) as client:
        client.wait_for_workers(1, timeout=_CONNECT_TIMEOUT_S)
        count = sum(client.nthreads().values())
        yield Workers(count=count, executor=client.get_executor(pure=False))
