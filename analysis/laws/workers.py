"""The most that a number of workers can do, and what they did."""

from collections.abc import Sequence

import pandas as pd

from analysis.statistics.loads.curve import with_think_time
from analysis.units import MS_PER_S

SYSTEM = ("workload", "workers")


def worker_table(runs: pd.DataFrame, by: Sequence[str] = SYSTEM) -> pd.DataFrame:
    r"""Compare what the workers did at the largest load with the most that they can do.

    A worker holds one job at a time for the service time S, so that M middlewares of m workers do

    .. math:: X \le M m / S

    S is shortest at the smallest load, when least waits behind the workers.

    One row per system: `by`, `num_middlewares`, `think_time_s` where it varies, `num_clients`
    (largest load), `fewest_clients` (smallest load), `shortest_service_time_ms` (at the smallest
    load; missing where only one was measured), `service_time_ms`, `most_ops_per_s` (of the
    shortest), `throughput_ops_per_s`, `share_of_most` (0..1), `worker_utilization` (0..1).

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of sections with a middleware.
    by
        What makes a system; ends with ``workers``. The think time belongs to it where it varies.
    """
    names = with_think_time(runs, [*by, "num_middlewares"])
    rows = []
    for key, system in runs.groupby(names):
        means = system.groupby("num_clients")[
            [
                "middleware_service_time_ms",
                "middleware_throughput_ops_per_s",
                "middleware_worker_utilization",
            ]
        ].mean()
        last = means.iloc[-1]
        shortest = means["middleware_service_time_ms"].iloc[0] if len(means) > 1 else float("nan")
        levels = dict(zip(names, key, strict=True))
        total = int(system["num_middlewares"].iloc[0]) * int(system["workers"].iloc[0])
        most = total / shortest * MS_PER_S
        throughput = last["middleware_throughput_ops_per_s"]
        rows.append(
            {
                **levels,
                "num_clients": means.index[-1],
                "fewest_clients": means.index[0],
                "shortest_service_time_ms": shortest,
                "service_time_ms": last["middleware_service_time_ms"],
                "most_ops_per_s": most,
                "throughput_ops_per_s": throughput,
                "share_of_most": throughput / most,
                "worker_utilization": last["middleware_worker_utilization"],
            }
        )
    table = pd.DataFrame(rows) if rows else pd.DataFrame(columns=names)
    return table.astype({"workers": "int64"})
