"""Which resource is the limit: utilization of links, CPUs, threads and workers."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from analysis.statistics.loads.curve import THINK_TIME, with_think_time

ROLES = {
    "clients": "client",
    "middlewares": "middleware",
    "servers": "server",
    "databases": "database",
}
WORKERS = "workers"
_THREADS = {
    "net threads": "middleware_net_thread_utilization",
    WORKERS: "middleware_worker_utilization",
}
_RESOURCES = [
    *(f"{role}s' links" for role in ROLES.values()),
    *(f"{role}s' CPUs" for role in ROLES.values()),
    "machine's CPU",
    *_THREADS,
]


def utilization_table(
    hosts: pd.DataFrame, runs: pd.DataFrame, by: Sequence[str] = ("workload",)
) -> pd.DataFrame:
    """Show how busy every resource was at the largest load of each system.

    One row per system and resource, means over hosts and repetitions: `by`, `num_clients`,
    `resource`, `utilization` (0..1; missing where a link's limit is not known), `send_mbit_per_s`
    and `rate_mbit_per_s` of links, `queue_length` (jobs) of the workers, whose utilization is
    missing where the middleware does not tell it. Resources are the links and CPUs of each role,
    one CPU in all where the hosts share a machine (those of a role there only where it has
    processors of its own or a quota, of which the utilization is then told), and the middlewares'
    net threads and workers. A worker that waits for a server is busy, a net thread that waits for a
    processor is not: then the CPU is the limit. Net threads are left out where the middleware does
    not tell their time on a processor.
    """
    if THINK_TIME in hosts:
        by = with_think_time(runs, by)
    hosts, runs = _at_largest_load(hosts, by), _at_largest_load(runs, by)
    key = [*by, "num_clients", "resource"]
    roles = hosts["role"].map(ROLES)
    apart = are_apart(hosts)
    cpus = (roles + "s' CPUs").mask(hosts["shares_machine"] & ~apart, "machine's CPU")
    processors = hosts.assign(resource=cpus, utilization=hosts["cpu_percent"] / 100)
    parts = [
        hosts.assign(resource=roles + "s' links", utilization=hosts["send_link_utilization"]),
        processors[~apart | of_quotas(hosts).isna()].drop(
            columns=["send_mbit_per_s", "rate_mbit_per_s"]
        ),
        *_quotas(hosts.assign(resource=roles + "s' CPUs", utilization=of_quotas(hosts))),
        *_threads(runs),
    ]
    measures = ["utilization", "send_mbit_per_s", "rate_mbit_per_s", "queue_length"]
    frame = pd.concat(parts).reindex(columns=[*key, *measures])
    frame["resource"] = pd.Categorical(frame["resource"], _RESOURCES, ordered=True)
    table = frame.groupby(key, observed=True, as_index=False).mean()
    return table.astype({"resource": str})


def of_quotas(hosts: pd.DataFrame) -> pd.Series:
    """Return how much of its quota of CPU time each host used, 0..1; missing where it has none."""
    nothing = pd.Series(np.nan, hosts.index)
    return hosts.get("cpu_utilization", nothing).where(hosts.get("cpu_quota", nothing).notna())


def are_apart(hosts: pd.DataFrame) -> pd.Series:
    """Tell which hosts have processors of a shared machine for themselves."""
    return hosts.get("own_processors", pd.Series(False, hosts.index)).eq(True)


def utilization_overview(
    utilizations: pd.DataFrame, by: Sequence[str] = ("workload",)
) -> pd.DataFrame:
    """Put the resources of each system side by side, for tables of many systems.

    One row per system: `by`, `num_clients`, the utilization of each resource in percent, in columns
    headed such as ``Servers' links (%)``, and `queue_length` where there are workers.
    """
    key = [*by, *(name for name in [THINK_TIME] if name in utilizations and name not in by)]
    key.append("num_clients")
    resources = utilizations["resource"].replace(WORKERS, "busy workers")
    titles = resources.str.slice(0, 1).str.upper() + resources.str.slice(1) + " (%)"
    percent = utilizations.assign(title=titles, percent=utilizations["utilization"] * 100)
    wide = percent.pivot_table(index=key, columns="title", values="percent")
    table = wide.reindex(columns=titles.unique()).rename_axis(columns=None)
    table["queue_length"] = utilizations.groupby(key)["queue_length"].max()
    return table.reset_index().replace("", pd.NA).dropna(axis="columns", how="all")


def _quotas(hosts: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Utilization of quotas, of the hosts that have one."""
    limited = hosts.dropna(subset="utilization")
    if not limited.empty:
        yield limited.drop(columns=["send_mbit_per_s", "rate_mbit_per_s"])


def _threads(runs: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Utilization of the middlewares' threads, of the runs that have a middleware."""
    for resource, column in _THREADS.items():
        if column in runs:
            rows = runs.assign(resource=resource, utilization=runs[column])
            if resource == WORKERS:
                rows["queue_length"] = rows["middleware_queue_length"]
                yield rows.dropna(subset=["utilization", "queue_length"], how="all")
            else:
                yield rows.dropna(subset="utilization")


def _at_largest_load(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    system = [name for name in by if name != "regime"]  # which may be at one load alone
    largest = frame.groupby(system)["num_clients"].transform("max")
    return frame[frame["num_clients"] == largest]
