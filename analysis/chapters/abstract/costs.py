"""Cost of one middleware for sets, and the number of workers that it needs."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from analysis.claims.measurements import RESPONSE_TIME, THROUGHPUT, Measurements, NotMeasured, ratio
from analysis.laws.elasticities import sum_of
from analysis.laws.limits import at_load
from analysis.statistics.estimates import Estimate, mean_of
from analysis.units import MS_PER_S

_WITHOUT, _WITH = "2.1", "3.1"
_FEW = 8  # workers
_QUEUED, _SERVED = "middleware_response_time_ms", "middleware_service_time_ms"


def time_without(measured: Measurements) -> Estimate:
    """Estimate the response time of a set at the smallest load, without middleware, in ms."""
    return mean_of(measured.values(_WITHOUT, RESPONSE_TIME, "smallest", workload="set").tolist())


def added_time(measured: Measurements) -> Estimate:
    """Estimate the response time that one middleware adds to a set at the smallest load, in ms.

    Raises
    ------
    NotMeasured
        The smallest loads with and without a middleware differ.
    """
    sets = {"workload": "set"}
    loads = [at_load(measured.tables(one).runs, "smallest", **sets) for one in (_WITHOUT, _WITH)]
    if len(set(pd.concat(loads)["num_clients"])) != 1:
        raise NotMeasured
    longer = mean_of(_at_smallest_load(measured, RESPONSE_TIME).tolist())
    shorter = time_without(measured)
    return sum_of([longer, replace(shorter, value=-shorter.value)])


def time_within(measured: Measurements) -> Estimate:
    """Estimate the time in the middleware beyond the service time, at the smallest load, in ms."""
    times = _at_smallest_load(measured, _QUEUED) - _at_smallest_load(measured, _SERVED)
    return mean_of(times.tolist())


def throughput_at_smallest_load(measured: Measurements) -> Estimate:
    """Estimate the write throughput at the smallest load, with one middleware over without."""
    without = measured.values(_WITHOUT, THROUGHPUT, "smallest", workload="set")
    return ratio(_at_smallest_load(measured, THROUGHPUT), without)


def read_capacity(measured: Measurements) -> Estimate:
    """Estimate the read throughput with one middleware at the largest load, in op/s."""
    return mean_of(_capacity(measured, "get").tolist())


def write_capacity(measured: Measurements) -> Estimate:
    """Estimate the write throughput with one middleware at the largest load, in op/s."""
    return mean_of(_capacity(measured, "set").tolist())


def needed_workers(measured: Measurements) -> Estimate:
    r"""Estimate the number of workers beyond which write throughput does not grow.

    .. math:: m^* = X_{max} S_0

    with the throughput of the most workers at the largest load, and their service time at the
    smallest.
    """
    most = _capacity(measured, "set")
    held_s = _at_smallest_load(measured, _SERVED).mean() / MS_PER_S
    return mean_of((most * held_s).tolist())


def share_of_few_workers(measured: Measurements) -> Estimate:
    """Estimate the write throughput of 8 workers over that of the most workers."""
    few = measured.values(_WITH, THROUGHPUT, workload="set", workers=_FEW)
    return ratio(few, _capacity(measured, "set"))


def _capacity(measured: Measurements, workload: str) -> pd.Series:
    workers = _most_workers(measured)
    return measured.values(_WITH, THROUGHPUT, workload=workload, workers=workers)


def _at_smallest_load(measured: Measurements, column: str) -> pd.Series:
    workers = _most_workers(measured)
    return measured.values(_WITH, column, "smallest", workload="set", workers=workers)


def _most_workers(measured: Measurements) -> int:
    runs = measured.tables(_WITH).runs
    if "workers" not in runs:
        raise NotMeasured
    return int(runs["workers"].max())
