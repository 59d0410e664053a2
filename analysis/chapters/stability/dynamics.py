"""Dynamic events of a long run: what happened when, found in its seconds alone.

Times of events are seconds of the clock since the stable window began, as `second_s`; response
times are undilated, as everywhere.
"""

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from analysis.statistics.loads.emulated import emulated_limits, rates_together
from analysis.statistics.loads.round_trips import RoundTrips, round_trips_of
from analysis.statistics.stationarity import collections, stable_seconds
from analysis.studies.printed import published_table
from analysis.tables.frames import Tables
from analysis.units import MS_PER_S, US_PER_MS

DROP = 0.3  # of the usual throughput that must be missing in a second
NOISE = 6.0  # standard deviations that a second must lie below the usual
SPIKE = 5.0  # times the usual response time
TOLERANCE_S = 1.5  # by which the start of a pause may be off
PAUSE, COLLECTION, UNEXPLAINED = "server pause", "garbage collection", "unexplained"
COLUMNS = ["start_s", "end_s", "length_s", "cause", "host", "times_slower", "collected_s", "event"]
_MADE = {"host": "made_host", "start_s": "made_start_s", "length_s": "made_length_s"}
_KHALIL_RUN_S = 3600  # config_s3: "1h x 1"


def find_events(
    windows: pd.DataFrame, servers: pd.DataFrame | None = None, *, drop: float = DROP
) -> pd.DataFrame:
    """Find seconds in which a run was slowed down, and what they have in common.

    An event is a series of seconds in which the clients' throughput misses `drop` of its median
    and lies six standard deviations (by the median deviation) below. Its length is what is missing,
    in seconds of the usual throughput. It is the pause of a server when one server alone took
    several times as long as usual, and longer than the others; a garbage collection when the
    middlewares collected for a good part of it; and unexplained otherwise.

    Parameters
    ----------
    windows
        `analysis.tables.frames.Tables.windows` of one run.
    servers
        `analysis.tables.frames.Tables.servers` of that run, where there is a middleware.
    drop
        Fraction of the throughput, in (0, 1).

    Returns
    -------
    pandas.DataFrame
        `start_s`, `end_s`, `length_s`, `cause` (``server pause``, ``garbage collection``,
        ``unexplained``), `host` (of a server's pause), `times_slower` (the longest response time of
        the slowest server over what is usual for it), `collected_s` (garbage, in and beside the
        event), `event` (a few words for figures).

    Raises
    ------
    ValueError
        `drop` out of its domain, rows of several runs, or no stable second.
    """
    if not 0 < drop < 1:
        raise ValueError(f"drop must be in (0, 1), got {drop}")
    if windows.duplicated(["side", "second_s"]).any():
        raise ValueError("events are those of one run, got rows of several for the same second")
    clients = stable_seconds(windows, "client")["throughput_ops_per_s"]
    if clients.empty:
        raise ValueError("there is no stable second to look at")
    usual = float(clients.median())
    low = clients < min((1 - drop) * usual, usual - NOISE * _deviation(clients))
    collected_s = collections(windows)
    rows = [
        _explain(clients.loc[first:last], usual, servers, collected_s)
        for first, last in _series(clients.index[low])
    ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values("start_s", ignore_index=True)


def match_events(
    found: pd.DataFrame, made: pd.DataFrame, *, tolerance_s: float = TOLERANCE_S
) -> pd.DataFrame:
    """Put the events that were found beside the pauses that were made.

    Parameters
    ----------
    found
        From `find_events`.
    made
        `analysis.tables.frames.Tables.pauses` of the run: `host`, `start_s`, `length_s`.
    tolerance_s
        By how much a start may be off.

    Returns
    -------
    pandas.DataFrame
        In order of time: columns of `found`, missing for a pause that was not found; and
        `made_host`, `made_start_s`, `made_length_s`, missing for an event that nobody made.
    """
    if tolerance_s < 0:
        raise ValueError(f"tolerance_s must be >= 0, got {tolerance_s}")
    free = found[found["cause"] != COLLECTION]
    rows = []
    for _, pause in made.sort_values("start_s").iterrows() if len(made) else ():
        row: dict[str, Any] = {name: pause[column] for column, name in _MADE.items()}
        near = free[(free["start_s"] - pause["start_s"]).abs() <= tolerance_s]
        if not near.empty:
            best = (near["start_s"] - pause["start_s"]).abs().idxmin()
            row |= near.loc[best].to_dict()
            found, free = found.drop(index=best), free.drop(index=best)
        rows.append(row)
    table = pd.DataFrame([*rows, *found.to_dict("records")], columns=[*COLUMNS, *_MADE.values()])
    order = table["start_s"].fillna(table["made_start_s"]).sort_values().index
    return table.loc[order].reset_index(drop=True)


def pause_effects(
    run: pd.Series, windows: pd.DataFrame, servers: pd.DataFrame, pauses: pd.DataFrame
) -> pd.DataFrame:
    """Tell what each pause did to those who waited.

    Parameters
    ----------
    run, windows, servers, pauses
        Of `analysis.tables.frames.Tables`: the row of one run, its seconds, its pauses.

    Returns
    -------
    pandas.DataFrame
        One row per pause that was made: `host`, `length_s`, `longest_s` (longest response time of
        the server around it, of the clock), `queue_length` (jobs, mean of the whole seconds within
        it), `jobs_without_worker` (N - M m: as many as theory lets queue; missing where workers do
        not wait for replies, or are as many as clients).
    """
    dilation = float(run["time_dilation"])
    waiting = float(run["num_clients"] - run["num_middlewares"] * run["workers"])
    queues_up = waiting > 0 and run.get("dispatch") == "sequential"
    queues = stable_seconds(windows, "middleware")["queue_length"]
    rows = []
    made = pauses[list(_MADE)] if len(pauses) else pauses
    for host, start_s, length_s in made.itertuples(index=False, name=None):
        own = servers[servers["server"] == host].set_index("second_s")
        longest_ms = own.sort_index().loc[start_s : start_s + length_s + 2, "response_time_max_ms"]
        whole = queues.loc[np.ceil(start_s) : np.floor(start_s + length_s) - 1]
        rows.append(
            {
                "host": host,
                "length_s": length_s,
                "longest_s": longest_ms.max() * dilation / MS_PER_S,
                "queue_length": whole.mean(),
                "jobs_without_worker": waiting if queues_up else np.nan,
            }
        )
    columns = ["host", "length_s", "longest_s", "queue_length", "jobs_without_worker"]
    return pd.DataFrame(rows, columns=columns)


def bound_table(tables: Tables, section: str = "8") -> pd.DataFrame:
    """Tell the asymptotic bounds of a run of sets and gets, and how near it came.

    Parameters
    ----------
    tables
        Of the section, and of section 0 if it was measured: its round trips are the delay, else
        the shortest beside the load; what is emulated where hosts are not equally far.

    Returns
    -------
    pandas.DataFrame
        `bound` (which links, or whose round trips), `most_ops_per_s`, `measured_ops_per_s`,
        `share` (0..1), the lowest bound first; means over repetitions.
    """
    runs = tables.runs[tables.runs["section"] == section]
    run = runs.iloc[0]
    hosts = tables.hosts[
        (tables.hosts["section"] == section) & (tables.hosts["repetition"] == run["repetition"])
    ]
    settings = {str(name): value for name, value in run.items()}
    rates = {str(role): list(each) for role, each in hosts.groupby("role")["rate_mbit_per_s"]}
    limits = emulated_limits(
        settings,
        int(run["num_clients"]),
        rates_together(rates, settings),
        _round_trips(tables.pings, section),
        think_time_s=float(run["think_time_s"]),
        set_share=_set_share(tables.request_types[tables.request_types["section"] == section]),
    )
    table = pd.DataFrame(
        [(limit.name, limit.throughput) for limit in limits], columns=["bound", "most_ops_per_s"]
    )
    table["measured_ops_per_s"] = runs["client_throughput_ops_per_s"].mean()
    return table.assign(share=table["measured_ops_per_s"] / table["most_ops_per_s"])


def beside_khalil(run: pd.Series, windows: pd.DataFrame, servers: pd.DataFrame) -> pd.DataFrame:
    """Compare a long run with what Khalil writes about his trace of an hour (2016, section 3).

    Parameters
    ----------
    run, windows, servers
        Of `analysis.tables.frames.Tables`: the row of one run, and its seconds.

    Returns
    -------
    pandas.DataFrame
        `quantity`, `khalil2016`, `ours`. Times in ms, ours undilated but for the length of the
        run; what a spike adds is the largest mean of a second less the mean, the longest response
        time that of a server at the middlewares.
    """
    prose = published_table("khalil2016", "prose").query("subject == 'trace'")
    theirs = prose.set_index("quantity")["value"].astype(float)
    clients = stable_seconds(windows, "client")["response_time_ms"]
    mean_ms = float(run["client_response_time_ms"])
    longest_ms = float(servers.loc[servers["stable"], "response_time_max_ms"].max())
    throughput = run["client_throughput_ops_per_s"]
    increase, largest = theirs["spike increase"], theirs["largest response time"]
    rows = [
        ("length of the run (s of the clock)", _KHALIL_RUN_S, run["stable_s"]),
        ("clients", theirs["total clients"], run["num_clients"]),
        ("throughput (op/s)", theirs["throughput"], throughput),
        ("mean response time (ms)", theirs["response time mean"] / US_PER_MS, mean_ms),
        ("what a spike adds to it (ms)", increase / US_PER_MS, clients.max() - mean_ms),
        ("longest response time (ms)", largest / US_PER_MS, longest_ms),
    ]
    return pd.DataFrame(rows, columns=["quantity", "khalil2016", "ours"])


def _deviation(values: pd.Series) -> float:
    """Return the standard deviation by the median deviation, which events do not move."""
    return 1.4826 * float((values - values.median()).abs().median())


def _series(seconds: pd.Index) -> list[tuple[int, int]]:
    """First and last of each series of seconds, one second between them allowed."""
    if seconds.empty:
        return []
    ends = [(a, b) for a, b in pairwise(seconds) if b - a > 2]
    firsts = [seconds[0], *(b for _, b in ends)]
    return list(zip(firsts, [*(a for a, _ in ends), seconds[-1]], strict=True))


def _explain(
    low: pd.Series, usual: float, servers: pd.DataFrame | None, collected_s: pd.Series
) -> dict[str, Any]:
    first, last = int(low.index[0]), int(low.index[-1])
    missing_s = float((1 - low / usual).sum())
    start_s = first + float(low.iloc[0]) / usual
    host, times_slower = _slowest(servers, first, last)
    collected = float(collected_s.loc[first - 1 : last + 1].sum())
    cause = event = UNEXPLAINED
    if host is not None and times_slower >= SPIKE:
        cause, event = PAUSE, f"{host} paused"
    elif collected >= missing_s / 2:
        cause = event = COLLECTION
    return {
        "start_s": start_s,
        "end_s": start_s + missing_s,
        "length_s": missing_s,
        "cause": cause,
        "host": host if cause == PAUSE else None,
        "times_slower": times_slower,
        "collected_s": collected,
        "event": event,
    }


def _slowest(servers: pd.DataFrame | None, first: int, last: int) -> tuple[str | None, float]:
    """Server that was slower than usual around some seconds, and how many times.

    No server where several were slow: then it is none of them.
    """
    if servers is None or servers.empty:
        return None, np.nan
    longest = servers[servers["stable"]].pivot_table(
        index="second_s", columns="server", values="response_time_max_ms"
    )
    around = longest.loc[first - 1 : last + 1]
    if around.empty:
        return None, np.nan
    worst = around.max()
    host = str(worst.idxmax())
    alone = len(worst) == 1 or worst.max() >= 2 * worst.drop(host).max()
    return host if alone else None, float(worst[host] / longest[host].median())


def _round_trips(pings: pd.DataFrame, section: str) -> float | RoundTrips:
    """Return the usual round trip of the idle network, or the shortest ones beside a load, in ms.

    Where hosts are not equally far from each other, what is emulated between each two of them.
    """
    if pings.empty:
        return 0.0
    emulated = round_trips_of(pings[pings["section"] == section])
    if isinstance(emulated, RoundTrips):
        return emulated
    idle = pings.loc[pings["section"] == "0", "round_trip_time_p50_ms"]
    return float((pings["round_trip_time_min_ms"] if idle.empty else idle).median())


def _set_share(kinds: pd.DataFrame) -> float:
    """Share of sets among the clients' requests, 0..1."""
    done = kinds[kinds["side"] == "client"].groupby("request_type")["throughput_ops_per_s"].sum()
    return float(done.get("set", 0.0) / done.sum())
