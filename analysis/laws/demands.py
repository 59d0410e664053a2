"""What a request needs of every resource, from measured utilization and throughput."""

from collections.abc import Sequence

import pandas as pd

from analysis.text.formatting import Format
from analysis.text.numbers import digits
from analysis.units import MS_PER_S, US_PER_MS

_US_PER_S = MS_PER_S * US_PER_MS
MACHINE = "machine's CPU"
BUSY_CPUS = "CPUs kept busy"
CPU_FORMATS: dict[str, Format] = {
    BUSY_CPUS: ".2f",
    "service_demand_us": ".1f",
    "saturation_ops_per_s": lambda rate: digits(float(f"{rate:.2g}")),
}


def cpu_demands(
    hosts: pd.DataFrame,
    runs: pd.DataFrame,
    by: Sequence[str] = ("workload",),
    system: Sequence[str] | None = None,
) -> pd.DataFrame:
    r"""Tell what CPU time a request costs on the hosts of each role, and on the machine they share.

    .. math:: D = m U_{CPU} / X

    with m CPUs, in undilated time (a utilization is the same dilated). The machine's utilization is
    its own: it has more to do than its hosts, for it is the network between them, too.

    Parameters
    ----------
    hosts, runs
        `analysis.tables.frames.Tables.hosts`, with `cpu_s` and `cpu_utilization`, and `runs`.
    by
        Columns that tell the systems and loads apart.
    system
        Those of `by` that make a system; the others, such as ``workers``, are its loads. All of
        them if None.

    Returns
    -------
    pandas.DataFrame
        `by`, `num_clients` (the largest), `resource` (``servers' CPUs``, ..., ``machine's CPU``,
        where hosts share one), `BUSY_CPUS`, `service_demand_us` (of all hosts of the role
        together), `saturation_ops_per_s` (of the machine, its CPUs over the demand; only where the
        throughput of its system is largest: what a request costs is more at a low load).
        Empty where hosts do not count their own CPU time.
    """
    columns = [*by, "num_clients", "resource", *CPU_FORMATS]
    if "cpu_s" not in hosts or hosts["cpu_s"].isna().all():
        return pd.DataFrame(columns=columns)
    run = [name for name in (*by, "num_clients", "repetition") if name in runs]
    measured = runs[[*run, "stable_s", "client_throughput_ops_per_s"]]
    known = hosts.dropna(subset=["cpu_s"]).merge(measured, on=run)
    largest = known.groupby(list(by))["num_clients"].transform("max")
    known = known[known["num_clients"] == largest]
    known = known.assign(busy=known["cpu_s"] / known["stable_s"])
    known = known.assign(cpus=known["busy"] / known["cpu_utilization"])
    roles = known.groupby([*run, "role"], as_index=False).agg(
        **{BUSY_CPUS: ("busy", "sum")}, throughput=("client_throughput_ops_per_s", "first")
    )
    parts = pd.concat([roles, _machine(known, run)])
    means = parts.groupby([*by, "num_clients", "role"], as_index=False)[
        [BUSY_CPUS, "throughput", "cpus"]
    ].mean()
    is_machine = means["role"] == MACHINE
    most = means.groupby(list(by if system is None else system))["throughput"].transform("max")
    saturation = means["throughput"] * means["cpus"] / means[BUSY_CPUS]
    return means.assign(
        resource=means["role"].where(is_machine, means["role"] + "' CPUs"),
        service_demand_us=means[BUSY_CPUS] / means["throughput"] * _US_PER_S,
        saturation_ops_per_s=saturation.where(is_machine & (means["throughput"] == most)),
    )[columns]


def _machine(hosts: pd.DataFrame, run: list[str]) -> pd.DataFrame:
    """CPUs of the shared machine that each run kept busy, as the machine itself counts."""
    shared = hosts[hosts["shares_machine"].astype(bool)]
    rows = shared.groupby(run, as_index=False).agg(
        percent=("cpu_percent", "mean"),
        cpus=("cpus", "max"),
        throughput=("client_throughput_ops_per_s", "first"),
    )
    rows[BUSY_CPUS] = rows.pop("percent") / 100 * rows["cpus"]
    return rows.assign(role=MACHINE)
