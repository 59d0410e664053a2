"""What every run under load is about, for its manifest and for those who plan the next one."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from analysis.results.memtier import MemtierRun
from analysis.results.memtier.window import (
    SLICES_PER_S,
    client_histograms_by_second,
    client_slices,
    counts_by_second,
)
from analysis.statistics.precision.batches import batch_means
from analysis.statistics.precision.warm_up import truncation
from analysis.statistics.within_run import percentile_of_seconds

PERCENTILES = (50, 90, 95, 99)


def client_results(
    generators: Sequence[MemtierRun], *, warm_up_s: int, stable_s: int, time_dilation: float
) -> dict[str, float]:
    """Return what the clients saw over the stable window, in undilated time.

    Returns
    -------
    `client_throughput_ops_per_s` and `client_response_time_ms`, as in the tidy table of runs;
    `client_p50_ms`, `client_p90_ms`, `client_p95_ms`, `client_p99_ms` of the response times of all
    kinds of request together; for each of these six `<name>_error`, its standard error from what
    the run itself tells; `client_slowest_response_time_ms`, the mean of the slowest kind of
    request; `client_transient_ms`, how long after its start the run was still in a transient. What
    cannot be told is left out: percentiles and transient without the lab's own generator, errors
    of windows that are too short.
    """
    end_s = warm_up_s + stable_s
    found = {
        **_means(generators, warm_up_s, end_s),
        **_percentiles(generators, warm_up_s, end_s),
        "client_transient_ms": _transient_ms(generators, end_s),
    }
    dilated = {"client_throughput_ops_per_s": time_dilation}
    return {
        name: value * dilated.get(name.removesuffix("_error"), 1 / time_dilation)
        for name, value in found.items()
        if math.isfinite(value)
    }


def _means(generators: Sequence[MemtierRun], start_s: int, end_s: int) -> dict[str, float]:
    """Return throughput and mean response time, both with their errors, by the clock."""
    seconds = pd.concat([run.seconds for run in generators])
    stable = seconds[seconds["second"].between(start_s, end_s, inclusive="left")]
    times_ms = (stable["response_time_ms"] * stable["requests"]).fillna(0)
    sums = pd.DataFrame({"requests": stable["requests"], "response_time_sum_ms": times_ms})
    requests = sums["requests"].sum()
    by_kind = sums.groupby(stable["request_type"]).sum()
    slices, per_s = client_slices(generators, start_s=start_s, end_s=end_s), SLICES_PER_S
    if slices is None:
        by_second = sums.groupby(stable["second"]).sum()
        slices, per_s = by_second.reindex(range(start_s, end_s), fill_value=0), 1
    ones = pd.Series(1.0, index=slices.index)
    return {
        "client_throughput_ops_per_s": float(requests / (end_s - start_s)),
        "client_throughput_ops_per_s_error": _error(slices["requests"], ones) * per_s,
        "client_response_time_ms": float(times_ms.sum() / requests) if requests else 0.0,
        "client_response_time_ms_error": _error(slices["response_time_sum_ms"], slices["requests"]),
        "client_slowest_response_time_ms": float(
            (by_kind["response_time_sum_ms"] / by_kind["requests"]).max()
        ),
    }


def _percentiles(generators: Sequence[MemtierRun], start_s: int, end_s: int) -> dict[str, float]:
    """Return percentiles and their errors by the clock; empty without histograms by second."""
    rows = client_histograms_by_second(generators, start_s=start_s, end_s=end_s)
    if rows is None:
        return {}
    edges, counts = counts_by_second(rows, start_s=start_s, end_s=end_s)
    known = {p: percentile_of_seconds(edges, counts, p) for p in PERCENTILES}
    values = {f"client_p{p}_ms": found.value_ms for p, found in known.items()}
    return values | {f"client_p{p}_ms_error": found.error_ms for p, found in known.items()}


def _error(totals: pd.Series, weights: pd.Series) -> float:
    """Return the standard error of a ratio of sums over slices; NaN where nothing was done."""
    return batch_means(totals, weights).error if weights.sum() > 0 else math.nan


def _transient_ms(generators: Sequence[MemtierRun], end_s: int) -> float:
    """Return where the mean response time of slices settles, by the clock."""
    slices = client_slices(generators, start_s=0, end_s=end_s)
    if slices is None:
        return math.nan
    times = slices["response_time_sum_ms"] / slices["requests"].where(slices["requests"] > 0)
    length = truncation(times.ffill().bfill()) if times.notna().any() else None
    return math.nan if length is None else length * 1000.0 / SLICES_PER_S
