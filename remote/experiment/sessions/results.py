"""The two numbers that every run under load is about, for its manifest."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.results.memtier import MemtierRun


def client_results(
    generators: Sequence[MemtierRun], *, warm_up_s: int, stable_s: int, time_dilation: float
) -> dict[str, float]:
    """Return throughput and mean response time over the stable window, in undilated time.

    Returns
    -------
    `client_throughput_ops_per_s` and `client_response_time_ms`, as in the tidy table of runs.
    """
    seconds = pd.concat([run.seconds for run in generators])
    stable = seconds[seconds["second"].between(warm_up_s, warm_up_s + stable_s, inclusive="left")]
    requests = stable["requests"].sum()
    weighted = (stable["response_time_ms"] * stable["requests"]).sum()
    return {
        "client_throughput_ops_per_s": float(requests / stable_s * time_dilation),
        "client_response_time_ms": float(weighted / requests / time_dilation) if requests else 0.0,
    }
