"""Which station limits a system: utilization and demand of each, and the sentence they make."""

from collections.abc import Sequence

import pandas as pd

from analysis.evidence import BUSY, ROLES

_IN_MIDDLEWARE = {
    "net thread": "middleware_net_thread_utilization",
    "worker pool": "middleware_worker_utilization",
}


def station_table(
    runs: pd.DataFrame,
    hosts: pd.DataFrame,
    by: Sequence[str] = ("workload",),
    *,
    one_machine: bool = True,
) -> pd.DataFrame:
    r"""Show utilization and service demand of every station at the largest load of each system.

    .. math:: D = U / X

    of one host of its kind, and :math:`1 / D`, the throughput at which it would be saturated.

    Parameters
    ----------
    runs, hosts
        Of `analysis.tidy.Tables`.
    by
        What makes a system, such as ``["workload", "workers"]``.
    one_machine
        All hosts share one CPU, as in the local lab.

    Returns
    -------
    pandas.DataFrame
        One row per system and station, the busiest first: `by`, `num_clients`, `station` (``server
        link``, ``CPU of the machine`` or ``server CPU``, ``net thread``, ``worker pool``, ...),
        `utilization` (0..1, mean over hosts and repetitions), `service_demand_ms`,
        `saturation_ops_per_s`. Workers are held while they wait, so their demand is the time that
        a slot is held, not work.

    References
    ----------
    Jain 1991, sections 33.1 and 33.6.
    """
    by = list(by)
    runs, hosts = _at_largest_load(runs, by), _at_largest_load(hosts, by)
    key = [*by, "num_clients"]
    roles = hosts["role"].map(ROLES)
    cpu = "CPU of the machine" if one_machine else roles + " CPU"
    parts = [
        hosts[key].assign(station=roles + " link", utilization=hosts["send_link_utilization"]),
        hosts[key].assign(station=cpu, utilization=hosts["cpu_percent"] / 100),
    ]
    parts += [
        runs[key].assign(station=station, utilization=runs[column])
        for station, column in _IN_MIDDLEWARE.items()
        if column in runs
    ]
    rows = pd.concat(parts).dropna(subset=["utilization"])
    table = rows.groupby([*key, "station"], as_index=False)[["utilization"]].mean()
    throughput = runs.groupby(key, as_index=False)[["client_throughput_ops_per_s"]].mean()
    table = table.merge(throughput, on=key)
    demand_s = table["utilization"] / table.pop("client_throughput_ops_per_s")
    table = table.assign(service_demand_ms=demand_s * 1000, saturation_ops_per_s=1 / demand_s)
    table = table.sort_values("utilization", ascending=False, kind="stable")
    return table.sort_values(by, kind="stable", ignore_index=True)


def bottleneck_report(stations: pd.DataFrame, by: Sequence[str] = ("workload",)) -> str:
    """Say of each system which station limits it and which would be next.

    A worker pool that is full while another station is saturated waits for that one, so it is not
    the bottleneck.

    Parameters
    ----------
    stations
        From `station_table`.

    Returns
    -------
    str
        Markdown, one list item per system.
    """
    lines = []
    for key, rows in stations.groupby(list(by)):
        system = ", ".join(f"{name} {value}" for name, value in zip(by, key, strict=True))
        lines.append(f"- **{system}** at {rows['num_clients'].iloc[0]} clients: {_sentence(rows)}")
    return "\n".join(lines)


def _at_largest_load(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    largest = frame.groupby(by)["num_clients"].transform("max")
    loaded: pd.DataFrame = frame[frame["num_clients"] == largest]
    return loaded


def _sentence(stations: pd.DataFrame) -> str:
    rows = stations.sort_values("utilization", ascending=False, kind="stable")
    others = rows[rows["station"] != "worker pool"]
    if others["utilization"].iloc[0] >= BUSY:
        rows = pd.concat([others, rows[rows["station"] == "worker pool"]])
    first, second = rows.iloc[0], rows.iloc[1]
    next_one = f"Next is the {second['station']}, {second['utilization']:.0%} busy."
    if first["utilization"] < BUSY:
        return (
            f"no station is saturated; the busiest is the {first['station']}, "
            f"{first['utilization']:.0%} busy. {next_one}"
        )
    return (
        f"the bottleneck is the {first['station']}, {first['utilization']:.0%} busy: a request "
        f"takes {first['service_demand_ms']:.3g} ms there, so that no more than "
        f"{first['saturation_ops_per_s']:.0f} op/s can pass. {next_one}"
    )
