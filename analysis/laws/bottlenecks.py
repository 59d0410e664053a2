"""Which resource is the limit: utilization of links, CPUs, threads and workers."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from analysis.text.lists import joined, merged
from analysis.text.numbers import percent

BUSY = 0.9  # a resource is called the limit from this utilization on
FULL = 0.92  # and so is a link, which shows 93 to 98 % when more is sent than it carries
EMPTY_QUEUE = 1.0  # below this mean queue length, in jobs, hardly anything waits
ROLES = {"clients": "client", "middlewares": "middleware", "servers": "server"}
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
# What a worker that holds a job may wait for. What clients send has left their links by then, and
# replies do not pass what limits their sending.
AFTER_WORKERS = (
    "middlewares' links",
    "servers' links",
    "middlewares' CPUs",
    "servers' CPUs",
    "machine's CPU",
    "net threads",
)


def utilization_table(
    hosts: pd.DataFrame, runs: pd.DataFrame, by: Sequence[str] = ("workload",)
) -> pd.DataFrame:
    """Show how busy every resource was at the largest load of each system.

    Parameters
    ----------
    hosts, runs
        `analysis.tables.frames.Tables.hosts` and `analysis.tables.frames.Tables.runs`.
    by
        What makes a system, such as ``["workload", "workers"]``.

    Returns
    -------
    pandas.DataFrame
        One row per system and resource, means over hosts and repetitions: `by`, `num_clients`,
        `resource`, `utilization` (0..1; missing where a link's limit is not known),
        `send_mbit_per_s` and `rate_mbit_per_s` of links, `queue_length` (jobs) of the workers.
        Resources are the links and CPUs of each role, one CPU in all where the hosts share a
        machine, and the middlewares' net threads and workers. A worker that waits for a server
        is busy, a net thread that waits for a processor is not: then the CPU is the limit. Net
        threads are left out where the middleware does not tell their time on a processor.
    """
    hosts, runs = _at_largest_load(hosts, by), _at_largest_load(runs, by)
    key = [*by, "num_clients", "resource"]
    roles = hosts["role"].map(ROLES)
    cpus = (roles + "s' CPUs").mask(hosts["shares_machine"], "machine's CPU")
    parts = [
        hosts.assign(resource=roles + "s' links", utilization=hosts["send_link_utilization"]),
        hosts.assign(resource=cpus, utilization=hosts["cpu_percent"] / 100).drop(
            columns=["send_mbit_per_s", "rate_mbit_per_s"]
        ),
        *_threads(runs),
    ]
    measures = ["utilization", "send_mbit_per_s", "rate_mbit_per_s", "queue_length"]
    frame = pd.concat(parts).reindex(columns=[*key, *measures])
    frame["resource"] = pd.Categorical(frame["resource"], _RESOURCES, ordered=True)
    table = frame.groupby(key, observed=True, as_index=False).mean()
    return table.astype({"resource": str})


def utilization_overview(
    utilizations: pd.DataFrame, by: Sequence[str] = ("workload",)
) -> pd.DataFrame:
    """Put the resources of each system side by side, for tables of many systems.

    Parameters
    ----------
    utilizations
        From `utilization_table`.

    Returns
    -------
    pandas.DataFrame
        One row per system: `by`, `num_clients`, the utilization of each resource in percent, in
        columns headed such as ``Servers' links (%)``, and `queue_length` where there are workers.
    """
    key = [*by, "num_clients"]
    resources = utilizations["resource"].replace(WORKERS, "busy workers")
    titles = resources.str.slice(0, 1).str.upper() + resources.str.slice(1) + " (%)"
    percent = utilizations.assign(title=titles, percent=utilizations["utilization"] * 100)
    wide = percent.pivot_table(index=key, columns="title", values="percent")
    table = wide.reindex(columns=titles.unique()).rename_axis(columns=None)
    table["queue_length"] = utilizations.groupby(key)["queue_length"].max()
    return table.dropna(axis="columns", how="all").reset_index()


def bottleneck_sentences(utilizations: pd.DataFrame, by: Sequence[str] = ("workload",)) -> str:
    """Say of each system which resources the measured utilizations show to be its limit.

    Parameters
    ----------
    utilizations
        From `utilization_table`.

    Returns
    -------
    str
        Markdown, one list item for all systems of which the same is to be said.
    """
    told: dict[tuple[int, str], list[tuple[object, ...]]] = {}
    for key, rows in utilizations.groupby(list(by)):
        sentence = f"{_limit(rows)}{_unknown(rows)}"
        told.setdefault((rows["num_clients"].iloc[0], sentence), []).append(key)
    lines = []
    for (num_clients, sentence), systems in told.items():
        for case in merged(pd.DataFrame(systems)):
            levels = zip(by, case, strict=True)
            system = ", ".join(f"{name} {joined(found)}" for name, found in levels)
            lines.append(f"- **{system}** at {num_clients} clients: {sentence}")
    return "\n".join(lines)


def _threads(runs: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Utilization of the middlewares' threads, of the runs that have a middleware."""
    for resource, column in _THREADS.items():
        if column in runs:
            rows = runs.assign(resource=resource, utilization=runs[column]).dropna(subset=column)
            if resource == WORKERS:
                rows["queue_length"] = rows["middleware_queue_length"]
            yield rows


def _at_largest_load(frame: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    largest = frame.groupby(list(by))["num_clients"].transform("max")
    return frame[frame["num_clients"] == largest]


def is_busy(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Tell which rows of `utilization_table` are of a resource that is busy all the time."""
    least = np.where(rows["resource"].str.endswith("links"), FULL, BUSY)
    return rows["utilization"] >= least


def limiting(rows: pd.DataFrame) -> pd.DataFrame:
    """Return those rows of one system that are its limit, the busiest first.

    All of them are busy. Workers are the limit only where nothing that they wait for is busy, and
    what stands in front of them only where hardly anything waits for the workers.

    Parameters
    ----------
    rows
        One system of `utilization_table`.
    """
    busy = _busy(rows)
    workers = busy["resource"] == WORKERS
    behind = busy["resource"].isin(AFTER_WORKERS)
    if not workers.any():
        return busy
    if behind.any():
        return busy[behind]
    if workers.all() or rows["queue_length"].max() >= EMPTY_QUEUE:
        return busy[workers]
    return busy[~workers]


def listed(rows: pd.DataFrame) -> str:
    """Name resources with their utilization, ``the workers (99 %)``."""
    return joined("the " + rows["resource"] + " (" + rows["utilization"].map(percent) + ")")


def _busy(rows: pd.DataFrame) -> pd.DataFrame:
    known = _known(rows)
    return known[is_busy(known)]


def _known(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.dropna(subset="utilization").sort_values("utilization", ascending=False)


def _limit(rows: pd.DataFrame) -> str:
    """Name the limit of a system, and what else is busy before and behind it."""
    waiting = rows["queue_length"].max()
    limit = limiting(rows)
    if limit.empty:
        return f"no measured resource is busy all the time{_queued(waiting)}{_busiest(rows)}"
    rest = _busy(rows).drop(limit.index)
    kept = rest[rest["resource"] == WORKERS]
    before = rest.drop(kept.index)
    told = f"limited by {listed(limit)}"
    if (limit["resource"] == WORKERS).all():
        told += f"; {waiting:.0f} jobs wait in the queue for them"
    if len(kept) and limit["resource"].isin(AFTER_WORKERS).any():
        told += f"; that keeps {listed(kept)} busy, too"
    elif len(kept):
        told += f"; {listed(kept)} behind are busy, too, but {waiting:.1f} jobs wait for them"
    if len(before):
        told += (
            f". In front of the workers {listed(before)} are busy all the time, too, so that more "
            "workers would hardly get more to do"
        )
    return f"{told}."


def _queued(waiting: float) -> str:
    if pd.isna(waiting):
        return "."
    if waiting < EMPTY_QUEUE:
        return f", and nothing queues ({waiting:.1f} jobs): the load was too small."
    return f", yet {waiting:.0f} jobs wait in the queue: no single resource is the limit."


def _busiest(rows: pd.DataFrame) -> str:
    known = _known(rows)
    return f" The busiest: {listed(known.head(1))}." if len(known) else ""


def _unknown(rows: pd.DataFrame) -> str:
    unknown = rows.loc[rows["utilization"].isna() & rows["send_mbit_per_s"].notna(), "resource"]
    return f" Not known: the limits of {joined('the ' + unknown)}." if len(unknown) else ""
