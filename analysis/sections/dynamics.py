"""Dynamic events of a long run: what happened when, found in its seconds alone.

Times of events are seconds of the clock since the stable window began, as `second_s`. Of what took
a time the evidence tells the clock's and the undilated one, which is what figures of response times
and of garbage collections show.
"""

from itertools import pairwise
from typing import Any

import pandas as pd

from analysis.published.printed import published_table
from analysis.text.formatting import grouped
from analysis.units import US_PER_MS

DROP = 0.3  # of the usual throughput that must be missing in a second
NOISE = 6.0  # standard deviations that a second must lie below the usual
SPIKE = 5.0  # times the usual response time
COLLECTION_S = 0.05  # of garbage collection within a second
COLUMNS = ["start_s", "end_s", "length_s", "kind", "host", "event", "evidence"]


def find_events(
    windows: pd.DataFrame, servers: pd.DataFrame | None = None, *, drop: float = DROP
) -> pd.DataFrame:
    """Find seconds in which a run was slowed down, and what they have in common.

    An event is a series of seconds in which the clients' throughput misses `drop` of its median
    and lies six standard deviations (by the median deviation) below. Its length is what is missing,
    in seconds of the usual throughput. It is the pause of a server when one server alone took
    several times as long as usual, and longer than the others; a garbage collection when the
    middlewares collected for a good part of it; and unexplained otherwise. Collections that no
    client felt are listed, too.

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
        `start_s`, `end_s`, `length_s`, `kind` (``server pause``, ``garbage collection``,
        ``unexplained``), `host` (of a server's pause), `event` (a few words), `evidence`.

    Raises
    ------
    ValueError
        `drop` out of its domain, rows of several runs, or no stable second.
    """
    if not 0 < drop < 1:
        raise ValueError(f"drop must be in (0, 1), got {drop}")
    if windows.duplicated(["side", "second_s"]).any():
        raise ValueError("events are those of one run, got rows of several for the same second")
    clients = _seconds(windows, "client")["throughput_ops_per_s"]
    if clients.empty:
        raise ValueError("there is no stable second to look at")
    dilation = _dilation(windows)
    collected_s = _collections(windows, dilation)
    usual = float(clients.median())
    low = clients < min((1 - drop) * usual, usual - NOISE * _deviation(clients))
    rows = [
        _explain(clients.loc[first:last], usual, servers, collected_s, dilation)
        for first, last in _series(clients.index[low])
    ]
    felt = [(row["start_s"] - 1, row["end_s"] + 1) for row in rows]
    rows += [
        _collection(second, spent, dilation)
        for second, spent in zip(collected_s.index.tolist(), collected_s.tolist(), strict=True)
        if spent >= COLLECTION_S and not any(start <= second <= end for start, end in felt)
    ]
    return pd.DataFrame(rows, columns=COLUMNS).sort_values("start_s", ignore_index=True)


def match_events(
    found: pd.DataFrame, injected: pd.DataFrame, *, tolerance_s: float = 1.5
) -> pd.DataFrame:
    """Match the pauses that were found with those that were made.

    Parameters
    ----------
    found
        From `find_events`.
    injected
        `analysis.tables.frames.Tables.pauses` of the run: `host`, `start_s`, `length_s`.
    tolerance_s
        By how much a start may be off.

    Returns
    -------
    pandas.DataFrame
        `outcome` (``found``, ``missed``; ``false`` for a server's pause that nobody made), `host`,
        `start_s`, `length_s` as injected, `found_start_s`, `found_length_s`, `found_host`.
    """
    if tolerance_s < 0:
        raise ValueError(f"tolerance_s must be >= 0, got {tolerance_s}")
    free = found[found["kind"] != "garbage collection"].copy()
    rows = []
    for _, pause in injected.sort_values("start_s").iterrows():
        row: dict[str, Any] = {"outcome": "missed"}
        row |= {name: pause[name] for name in _INJECTED}
        near = free[(free["start_s"] - pause["start_s"]).abs() <= tolerance_s]
        if not near.empty:
            best = (near["start_s"] - pause["start_s"]).abs().idxmin()
            row |= {"outcome": "found", **_as_found(near.loc[best])}
            free = free.drop(index=best)
        rows.append(row)
    rows += [
        {"outcome": "false", **_as_found(event)}
        for _, event in free[free["kind"] == "server pause"].iterrows()
    ]
    columns = ["outcome", *_INJECTED, "found_start_s", "found_length_s", "found_host"]
    return pd.DataFrame(rows, columns=columns)


_INJECTED = ["host", "start_s", "length_s"]


def _as_found(event: pd.Series) -> dict[str, Any]:
    return {f"found_{name}": event[name] for name in ("start_s", "length_s", "host")}


def _seconds(windows: pd.DataFrame, side: str) -> pd.DataFrame:
    rows = windows[windows["stable"] & (windows["side"] == side)]
    return rows.set_index("second_s").sort_index()


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


def _dilation(windows: pd.DataFrame) -> float:
    return float(windows["time_dilation"].iloc[0]) if "time_dilation" in windows else 1.0


def clock_span(clock_s: float, dilation: float) -> str:
    """Write a time of the clock and, where they differ, the undilated one."""
    if dilation == 1:
        return _span(clock_s)
    return f"{_span(clock_s)} of the clock ({_span(clock_s / dilation)} undilated)"


def _span(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def _collections(windows: pd.DataFrame, dilation: float) -> pd.Series:
    """Seconds of the clock that the middlewares collected garbage, by second."""
    rows = _seconds(windows, "middleware")
    if "gc_time_ms" not in rows:
        return pd.Series(dtype=float)
    return rows["gc_time_ms"].fillna(0) * dilation / 1000


def _explain(
    low: pd.Series,
    usual: float,
    servers: pd.DataFrame | None,
    collected_s: pd.Series,
    dilation: float,
) -> dict[str, Any]:
    first, last = int(low.index[0]), int(low.index[-1])
    missing_s = float((1 - low / usual).sum())
    start_s = first + float(low.iloc[0]) / usual
    evidence = f"{missing_s:.1f} s of the clock at the usual {grouped(usual)} op/s are missing"
    event: dict[str, Any] = {
        "start_s": start_s,
        "end_s": start_s + missing_s,
        "length_s": missing_s,
        "kind": "unexplained",
        "host": None,
        "event": "unexplained",
        "evidence": evidence,
    }
    host, slowdown, longest_ms = _slowest(servers, first, last)
    collected = float(collected_s.loc[first - 1 : last + 1].sum())
    if host is not None and slowdown >= SPIKE:
        longest = clock_span(longest_ms * dilation / 1000, dilation)
        words = f"{host} took {slowdown:.0f} times as long as usual, up to {longest}"
        event |= {"kind": "server pause", "host": host, "event": f"{host} paused"}
        event |= {"evidence": f"{evidence}; {words}"}
    elif collected >= missing_s / 2:
        event |= {"kind": "garbage collection", "event": "garbage collection"}
        spent = clock_span(collected, dilation)
        event |= {"evidence": f"{evidence}; garbage was collected for {spent}"}
    return event


def _collection(second: int, spent_s: float, dilation: float) -> dict[str, Any]:
    return {
        "start_s": float(second),
        "end_s": second + spent_s,
        "length_s": spent_s,
        "kind": "garbage collection",
        "host": None,
        "event": "garbage collection",
        "evidence": f"garbage was collected for {clock_span(spent_s, dilation)}; throughput as "
        "usual",
    }


def _slowest(
    servers: pd.DataFrame | None, first: int, last: int
) -> tuple[str | None, float, float]:
    """Server that was slower than usual by the largest factor around some seconds, if any.

    Returns its name, the factor, and its longest response time (ms, undilated).
    """
    if servers is None or servers.empty:
        return None, 0.0, 0.0
    longest = servers[servers["stable"]].pivot_table(
        index="second_s", columns="server", values="response_time_max_ms"
    )
    around = longest.loc[first - 1 : last + 1]
    if around.empty:
        return None, 0.0, 0.0
    worst = around.max()
    host = str(worst.idxmax())
    if len(worst) > 1 and worst.max() < 2 * worst.drop(host).max():
        return None, 0.0, 0.0  # all servers were slow: it is none of them
    return host, float(worst[host] / longest[host].median()), float(worst[host])


def beside_khalil(run: pd.Series, windows: pd.DataFrame, servers: pd.DataFrame) -> pd.DataFrame:
    """Put a long run beside what Khalil says of his trace of an hour (2016, section 3).

    Parameters
    ----------
    run, windows, servers
        Of `analysis.tables.frames.Tables`: the row of one run, and its seconds.

    Returns
    -------
    pandas.DataFrame
        `quantity`, `khalil2016`, `ours`, `ours_is` (how it is read from our data). Times in ms,
        ours undilated.
    """
    prose = published_table("khalil2016", "prose").query("subject == 'trace'")
    theirs = prose.set_index("quantity")["value"].astype(float)
    clients = _seconds(windows, "client")["response_time_ms"]
    mean_ms = float(run["client_response_time_ms"])
    longest_ms = float(servers.loc[servers["stable"], "response_time_max_ms"].max())
    rows = [
        ("clients", theirs["total clients"], run["num_clients"], ""),
        (
            "throughput (op/s)",
            theirs["throughput"],
            run["client_throughput_ops_per_s"],
            "mean, at the clients",
        ),
        (
            "response time (ms)",
            theirs["response time mean"] / US_PER_MS,
            mean_ms,
            "mean, at the clients",
        ),
        (
            "what a spike adds to the response time (ms)",
            theirs["spike increase"] / US_PER_MS,
            clients.max() - mean_ms,
            "largest mean of a second, less the mean",
        ),
        (
            "longest response time (ms)",
            theirs["largest response time"] / US_PER_MS,
            longest_ms,
            "of a server, at the middlewares",
        ),
    ]
    return pd.DataFrame(rows, columns=["quantity", "khalil2016", "ours", "ours_is"])
