"""What limits a system, in words: what of it is busy, and if nothing is, where the time passes.

A resource that is busy all the time limits throughput. A worker that waits for a server is busy,
too, so workers limit only where nothing is full that they may wait for; what they do then tells
whether there are too few of them or whether something behind them is slow. Where nothing that was
measured is busy, the largest part of the response time shows where to look.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd

from analysis.laws.bottlenecks import ROLES, WORKERS, are_apart, of_quotas, utilization_table
from analysis.statistics.loads.curve import THINK_TIME
from analysis.tables.frames import Tables
from analysis.text.numbers import percent, short

FULL = 0.92  # utilization of a link
CPU_FULL = 0.9
LATE = 1.25  # times the response time of other servers


def find_bottleneck(tables: Tables, **where: Any) -> str:
    """Say what limits at the largest load.

    The words are such as ``servers' links 0.98 busy``; there are none where there are no such runs.

    Parameters
    ----------
    tables
        Of one section.
    where
        Levels that the system has, such as ``workload="get", workers=64``.
    """
    hosts, runs = (at_load(frame, **where) for frame in (tables.hosts, tables.runs))
    if hosts.empty or runs.empty:
        return ""
    busy = utilization_table(hosts, runs, ["section"]).set_index("resource")["utilization"].dropna()
    full = busy[busy >= busy.index.to_series().map(_full_from)].drop(WORKERS, errors="ignore")
    told = [_told(str(name), float(value), hosts) for name, value in full.items()]
    told += _single_links(hosts, set(full.index))
    if told:
        return " and ".join(told)
    late = late_server(at_load(tables.servers, **where))
    if busy.get(WORKERS, 0.0) >= FULL:
        return f"workers {busy[WORKERS]:.2f} busy{_work(runs, late)}"
    return f"nothing measured is busy: {_largest_part(runs, late) or _most(busy, hosts)}"


def at_load(frame: pd.DataFrame, load: str = "largest", **where: Any) -> pd.DataFrame:
    """Return the rows of a tidy table at the ``largest`` or ``smallest`` number of clients.

    Levels of which the table has no column are the same in all its rows. Of several think times the
    shortest makes the largest load, the longest the smallest.
    """
    for name, level in where.items():
        if name in frame:
            frame = frame[frame[name] == level]
    if frame.empty:
        return frame
    clients = frame["num_clients"]
    chosen: pd.DataFrame = frame[clients == (clients.max() if load == "largest" else clients.min())]
    if THINK_TIME in chosen and len(set(chosen[THINK_TIME].dropna())) > 1:
        times = chosen[THINK_TIME]
        chosen = chosen[times == (times.min() if load == "largest" else times.max())]
    return chosen


def server_times(servers: pd.DataFrame) -> pd.Series:
    """Return the mean response time of each server, in ms, over the stable seconds."""
    if servers.empty:
        return pd.Series(dtype=float)
    rows = servers[servers["stable"] & servers["response_time_ms"].notna()]
    waited = rows["response_time_ms"] * rows["throughput_ops_per_s"]
    sums = rows.assign(waited=waited).groupby("server")[["waited", "throughput_ops_per_s"]].sum()
    times: pd.Series = sums["waited"] / sums["throughput_ops_per_s"]
    return times.dropna()


def lateness(times: pd.Series) -> float:
    """Return the time of the slowest server over the mean of the others; NaN of fewer than two."""
    if len(times) < 2:
        return float("nan")
    return float(times.max() / times.drop(times.idxmax()).mean())


def late_server(servers: pd.DataFrame) -> str:
    """Say which server answers later than the others; empty where none does."""
    times = server_times(servers)
    if not lateness(times) >= LATE:
        return ""
    slowest, others = times.idxmax(), times.drop(times.idxmax()).mean()
    return f"{slowest} answers after {short(times.max())} ms, others after {short(others)} ms"


def busiest_host(hosts: pd.DataFrame) -> str:
    """Say whose CPU was the busiest, or that it is the one that hosts share; empty of none."""
    quotas = of_quotas(hosts)
    shared = hosts["shares_machine"] & quotas.isna() & ~are_apart(hosts)
    owners = hosts["host"].mask(shared, "the machine")
    each = quotas.fillna(hosts["cpu_percent"] / 100).groupby(owners).max().dropna()
    return "" if each.empty else f"{each.idxmax()}'s CPU {each.max():.2f} busy"


def _full_from(resource: str) -> float:
    return CPU_FULL if "CPU" in resource else FULL


def _told(resource: str, utilization: float, hosts: pd.DataFrame) -> str:
    limited = hosts.loc[of_quotas(hosts).notna(), "role"].map(ROLES)
    of_quota = resource in set(limited + "s' CPUs")
    return f"{resource} {utilization:.2f} {'of their quota' if of_quota else 'busy'}"


def _single_links(hosts: pd.DataFrame, full: set[object]) -> Iterator[str]:
    """Yield what is said of links that are full although those of the role are not, on average."""
    others = hosts[~(hosts["role"].map(ROLES) + "s' links").isin(full)]
    each = others.groupby("host")["send_link_utilization"].mean()
    for host, value in each[each >= FULL].items():
        yield f"{host}'s link {value:.2f} busy"


def _work(runs: pd.DataFrame, late: str) -> str:
    """Say what workers did most of the time."""
    held, waited = _mean(runs, "service_time"), _mean(runs, "servers_net_time")
    if pd.isna(held) or pd.isna(waited):
        return ""
    share = waited / held
    if share < 1 / 2:
        return f", {percent(1 - share)} of it processing"
    return f", {percent(share)} of it waiting for servers" + (f"; {late}" if late else "")


def _largest_part(runs: pd.DataFrame, late: str) -> str:
    """Say where most of the clients' response time passes; empty without a middleware."""
    whole = float(runs["client_response_time_ms"].mean())
    inside, queued = _mean(runs, "response_time"), _mean(runs, "queueing_time")
    served, processed = _mean(runs, "servers_net_time"), _mean(runs, "processing_time")
    parts = {
        "between clients and middleware": whole - inside,
        "at servers and on the way there": served,
    }
    if pd.isna(processed):  # packets do not tell it apart
        parts["in the middleware (queueing and processing)"] = inside - served
    else:
        parts["in the middleware (queueing)"] = queued
        parts["in the middleware (processing)"] = inside - served - queued
    shares = (pd.Series(parts) / whole).dropna()
    if shares.empty:
        return ""
    name = str(shares.idxmax())
    text = f"{percent(shares[name])} of the response time is {name}"
    return f"{text}; {late}" if late and "servers" in name else text


def _most(busy: pd.Series, hosts: pd.DataFrame) -> str:
    if busy.empty:
        return "no utilization is known"
    name = str(busy.idxmax())
    return f"most of all {_told(name, float(busy[name]), hosts)}"


def _mean(runs: pd.DataFrame, time: str) -> float:
    """Return the mean of one of the middlewares' times, in ms; NaN where it is not known."""
    return float(runs.get(f"middleware_{time}_ms", pd.Series(dtype=float)).mean())
