"""Which resource is the limit: utilization of links, CPUs, threads and workers."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd

from analysis.published import published_table

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


def utilization_table(
    hosts: pd.DataFrame, runs: pd.DataFrame, by: Sequence[str] = ("workload",)
) -> pd.DataFrame:
    """Show how busy every resource was at the largest load of each system.

    Parameters
    ----------
    hosts, runs
        `analysis.tidy.Tables.hosts` and `analysis.tidy.Tables.runs`.
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
        is busy.
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
        Markdown, one list item per system.
    """
    lines = []
    for key, rows in utilizations.groupby(list(by)):
        system = ", ".join(f"{name} {value}" for name, value in zip(by, key, strict=True))
        sentence = f"{_limit(rows)}{_unknown(rows)}"
        lines.append(f"- **{system}** at {rows['num_clients'].iloc[0]} clients: {sentence}")
    return "\n".join(lines)


def bandwidth_table(bandwidths: pd.DataFrame) -> pd.DataFrame:
    """Put the bandwidth that each role sends with beside the limits and the studies' values.

    Parameters
    ----------
    bandwidths
        `analysis.tidy.Tables.bandwidths`.

    Returns
    -------
    pandas.DataFrame
        `sender`, `bandwidth_mbit_per_s` (mean over receivers), `limit_mbit_per_s`,
        `share_of_limit` (0..1; both missing where the limit is not known),
        `schmid2018_mbit_per_s`, `yenicelik2018_mbit_per_s`, `cetin2018_mbit_per_s`.
    """
    frame = bandwidths.assign(sender=bandwidths["source_role"].map(ROLES))
    table = frame.groupby("sender", as_index=False)[
        ["bandwidth_mbit_per_s", "limit_mbit_per_s"]
    ].mean()
    table["share_of_limit"] = table["bandwidth_mbit_per_s"] / table["limit_mbit_per_s"]
    for study, published in _published_bandwidths().items():
        table[f"{study}_mbit_per_s"] = table["sender"].map(published)
    return table


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


def _limit(rows: pd.DataFrame) -> str:
    """Name all that is busy; workers are the limit only where nothing they wait for is busy."""
    known = rows.dropna(subset="utilization").sort_values("utilization", ascending=False)
    busy = known[is_busy(known)]
    workers = busy["resource"] == WORKERS
    waiting = rows["queue_length"].max()
    if busy.empty:
        return f"no measured resource is busy all the time{_queued(waiting)}{_busiest(known)}"
    if workers.all():
        return f"limited by {_listed(busy)}; {waiting:.0f} jobs wait in the queue for them."
    too = f"; that keeps {_listed(busy[workers])} busy, too" if workers.any() else ""
    return f"limited by {_listed(busy[~workers])}{too}."


def _queued(waiting: float) -> str:
    if pd.isna(waiting):
        return "."
    if waiting < EMPTY_QUEUE:
        return f", and nothing queues ({waiting:.1f} jobs): the load was too small."
    return f", yet {waiting:.0f} jobs wait in the queue: no single resource is the limit."


def _busiest(known: pd.DataFrame) -> str:
    return f" The busiest: {_listed(known.head(1))}." if len(known) else ""


def _unknown(rows: pd.DataFrame) -> str:
    unknown = rows.loc[rows["utilization"].isna() & rows["send_mbit_per_s"].notna(), "resource"]
    return f" Not known: the limits of {_joined(unknown)}." if len(unknown) else ""


def _listed(rows: pd.DataFrame) -> str:
    shares = (rows["utilization"] * 100).map("{:.0f}\N{NO-BREAK SPACE}%".format)
    return _joined(rows["resource"] + " (" + shares + ")")


def _joined(names: pd.Series) -> str:
    *first, last = "the " + names
    return f"{', '.join(first)} and {last}" if first else last


def _published_bandwidths() -> dict[str, dict[str, float]]:
    schmid = published_table("schmid2018", "t01_vm")
    usage = schmid["usage"].str.lower().str.split().str[0]
    yenicelik = published_table("yenicelik2018", "bandwidth").groupby("vm_from")
    cetin = published_table("cetin2018", "t01_bandwidth")
    return {
        "schmid2018": dict(zip(usage, schmid["send_bandwidth_mbit_s"], strict=True)),
        "yenicelik2018": {
            str(name).lower(): mean for name, mean in yenicelik["bandwidth_mbit_s"].mean().items()
        },
        "cetin2018": dict(zip(cetin["machine"], cetin["bandwidth_mbit_s"], strict=True)),
    }
