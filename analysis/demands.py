"""What a request needs of every resource, from measured utilization and throughput."""

from collections.abc import Sequence

import pandas as pd

from analysis.evidence import WORKERS

MACHINE = "machine's CPU"


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


def cpu_demands(
    hosts: pd.DataFrame, runs: pd.DataFrame, by: Sequence[str] = ("workload",)
) -> pd.DataFrame:
    r"""Tell what CPU time a request costs on the hosts of each role, and on the machine they share.

    .. math:: D = U_{CPU} / X

    at the largest load of each system, in undilated time (a utilization is the same dilated).

    Parameters
    ----------
    hosts, runs
        `analysis.tidy.Tables.hosts`, with `cpu_s` and `cpu_utilization`, and `runs`.
    by
        As for `with_demands`.

    Returns
    -------
    pandas.DataFrame
        `by`, `num_clients`, `resource` (``servers' CPUs``, ..., ``machine's CPU``: all of them,
        where hosts share one), `cpu_s_per_s` (CPUs kept busy), `service_demand_ms` (of all hosts
        of the role together), `saturation_ops_per_s` (of the machine: its CPUs over the demand).
        Empty where hosts do not count their own CPU time.
    """
    columns = [*by, "num_clients", "resource", "cpu_s_per_s", "service_demand_ms"]
    if "cpu_s" not in hosts or hosts["cpu_s"].isna().all():
        return pd.DataFrame(columns=[*columns, "saturation_ops_per_s"])
    run = [name for name in (*by, "num_clients", "repetition") if name in runs]
    measured = runs[[*run, "stable_s", "client_throughput_ops_per_s"]]
    known = hosts.dropna(subset=["cpu_s"]).merge(measured, on=run)
    largest = known.groupby(list(by))["num_clients"].transform("max")
    known = known[known["num_clients"] == largest]
    known = known.assign(
        busy=known["cpu_s"] / known["stable_s"],
        cores=known["cpu_s"] / known["stable_s"] / known["cpu_utilization"],
    )
    shared = known[known["shares_machine"]].assign(role=MACHINE)
    parts = pd.concat([known, shared])
    sums = parts.groupby([*run, "role"], as_index=False).agg(
        cpu_s_per_s=("busy", "sum"),
        throughput=("client_throughput_ops_per_s", "first"),
        cores=("cores", "max"),
    )
    sums["demand_s"] = sums["cpu_s_per_s"] / sums["throughput"]
    means = sums.groupby([*by, "num_clients", "role"], as_index=False)[
        ["cpu_s_per_s", "demand_s", "cores"]
    ].mean()
    is_machine = means["role"] == MACHINE
    return means.assign(
        resource=means["role"].where(is_machine, means["role"] + "' CPUs"),
        service_demand_ms=means["demand_s"] * 1000,
        saturation_ops_per_s=(means["cores"] / means["demand_s"]).where(is_machine),
    )[[*columns, "saturation_ops_per_s"]]
