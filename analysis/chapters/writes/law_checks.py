"""What was measured beside what the operational laws make of it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analysis.laws.operational import interactive_throughput, littles_law, utilization
from analysis.statistics.loads.curve import THINK_TIME, with_think_time
from analysis.units import MS_PER_S

_COLUMNS = {
    "client_throughput_ops_per_s": "throughput_ops_per_s",
    "throughput_by_law_ops_per_s": "throughput_by_law_ops_per_s",
    "middleware_queue_length": "queue_length",
    "queue_length_by_law": "queue_length_by_law",
    "middleware_worker_utilization": "worker_utilization",
    "utilization_by_law": "utilization_by_law",
}


def law_check_table(
    runs: pd.DataFrame, by: Sequence[str] = ("workload", "workers")
) -> pd.DataFrame:
    r"""Put three measured quantities of each system beside the laws, at its largest load.

    .. math:: X = \frac{N}{R + Z}, \qquad Q = X W, \qquad U = \frac{X S}{M m}

    with the response time R and the think time Z of N clients, the waiting time W and the service
    time S of M middlewares of m workers. Each run is held against the laws by itself.

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of sections with a middleware that tells of itself.
    by
        What makes a system; the think time belongs to it where it varies.

    Returns
    -------
    pandas.DataFrame
        One row per system, means over repetitions: `by`, `num_clients`, `throughput_ops_per_s` and
        `throughput_by_law_ops_per_s`, `queue_length` and `queue_length_by_law` (jobs, all
        middlewares), `worker_utilization` and `utilization_by_law` (0..1).

    References
    ----------
    Jain 1991, sections 33.1, 33.3 and 33.5.
    """
    system = with_think_time(runs, by)
    largest = runs.groupby(system)["num_clients"].transform("max")
    own = runs[runs["num_clients"] == largest]
    throughput = own["middleware_throughput_ops_per_s"]
    waiting_s = own["middleware_queueing_time_ms"] / MS_PER_S
    workers = own["num_middlewares"] * own["workers"]
    service_s = own["middleware_service_time_ms"] / MS_PER_S / workers
    told = own.assign(
        throughput_by_law_ops_per_s=interactive_throughput(
            own["num_clients"], own["client_response_time_ms"] / MS_PER_S, own[THINK_TIME]
        ),
        queue_length_by_law=littles_law(throughput, waiting_s),
        utilization_by_law=utilization(throughput, service_s),
    )
    means = told.groupby([*system, "num_clients"], as_index=False)[list(_COLUMNS)].mean()
    return means.rename(columns=_COLUMNS)
