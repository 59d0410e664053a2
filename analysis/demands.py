"""What a request needs of every resource, from measured utilization and throughput."""

from collections.abc import Sequence

import pandas as pd

from analysis.evidence import WORKERS


def with_demands(
    utilizations: pd.DataFrame, runs: pd.DataFrame, by: Sequence[str] = ("workload",)
) -> pd.DataFrame:
    r"""Add the service demand of each resource, and the throughput that would saturate it.

    .. math:: D = U / X, \quad X_{max} = 1 / D

    Parameters
    ----------
    utilizations
        From `analysis.evidence.utilization_table`.
    runs
        `analysis.tidy.Tables.runs`.
    by
        As for `utilizations`.

    Returns
    -------
    pandas.DataFrame
        `utilizations` with `service_demand_ms`, of one host or thread of its kind, and
        `saturation_ops_per_s`. Workers have neither: they are held while they wait, and how long
        that is depends on the load.

    References
    ----------
    Jain 1991, sections 33.1 and 33.6.
    """
    key = [*by, "num_clients"]
    throughput = runs.groupby(key, as_index=False)[["client_throughput_ops_per_s"]].mean()
    table = utilizations.merge(throughput, on=key, how="left")
    demand_s = (table["utilization"] / table.pop("client_throughput_ops_per_s")).mask(
        table["resource"] == WORKERS
    )
    return table.assign(service_demand_ms=demand_s * 1000, saturation_ops_per_s=1 / demand_s)
