"""What packets tell of followed requests: when they passed the interfaces of hosts."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.results.files import find_file
from analysis.results.followed import CALLS_OF_PACKETS, read_followed_by_packets
from analysis.results.packets import PACKETS
from analysis.traces.host_clocks import NS_PER_S, HostClock, seconds_since
from analysis.traces.joining import join_nested, server_names
from analysis.units import MS_PER_S
from records.manifest import Manifest

NO_WORKER = -1
_FILE = "followed.csv"
_OF_REQUEST = ["client", "number", "middleware"]
_OF_CALL = {"host": "str", "client": "str", "number": "int64"}
_SPAN = ("in_s", "out_s")
_SEEN = {**_OF_CALL, **dict.fromkeys(_SPAN, "float64")}
_CALL = {"request": "int64", **_OF_CALL, "wire_sent_s": "float64", "wire_answered_s": "float64"}
_TIMES = ("wire_sent", "wire_answered", "host_in", "host_out")


def is_only_captured(host_folder: Path) -> bool:
    """Tell whether packets alone tell of a middleware's requests, for it follows none itself."""
    own, captured = (find_file(host_folder / name, _FILE) for name in ("middleware", PACKETS))
    return captured.exists() and not own.exists()


def read_stamps_of_packets(directory: Path) -> pd.DataFrame:
    """Read what was captured of a middleware as if it had stamped it itself.

    What cannot be separated counts as queueing: from the first byte of a request until the first
    server is asked. No worker is known (`NO_WORKER`).
    """
    rows = read_followed_by_packets(find_file(directory, _FILE))
    came_ns = rows["first_byte_ns"]
    asked_ns = [
        min(sent, default=came) for sent, came in zip(rows["sent_ns"], came_ns, strict=True)
    ]
    return rows.assign(enqueued_ns=came_ns, dequeued_ns=asked_ns, worker=NO_WORKER)


def with_packets(
    requests: pd.DataFrame,
    folder: Path,
    manifest: Manifest,
    clocks: Mapping[str, HostClock],
) -> pd.DataFrame:
    """Add when followed requests passed the interfaces of hosts, where that was captured.

    Parameters
    ----------
    requests
        `client`, `number`, `middleware`, `sent_s`, `response_time_ms`, `servers`; each index once.

    Returns
    -------
    pandas.DataFrame
        `requests`, with `wire_in_ms` and `wire_out_ms` (first byte of the request and last one of
        the reply at the middleware's host) and, tuples in the order of `servers`,
        `server_wire_sent_ms`, `server_wire_answered_ms` (the same of the server's request and
        reply, there), `server_host_in_ms`, `server_host_out_ms` (at the server's host); since the
        client has sent it, NaN where that is not known. Without these where nothing was captured.
    """
    roles = manifest.roles
    seen = _seen(folder, manifest, clocks, roles.middlewares)
    if seen.empty:
        return requests
    received_s = requests["sent_s"] + requests["response_time_ms"] / MS_PER_S
    pairs = join_nested(
        requests.assign(received_s=received_s)[[*_OF_REQUEST, "sent_s", "received_s"]],
        seen.rename(columns={"host": "middleware"}),
        _OF_REQUEST,
        ("sent_s", "received_s"),
        _SPAN,
    ).set_index("outer_row")
    calls = _calls(pairs, _seen(folder, manifest, clocks, roles.servers))
    times_s = pairs[list(_SPAN)].reindex(requests.index)
    in_ms, out_ms = ((times_s[name] - requests["sent_s"]) * MS_PER_S for name in times_s)
    of_calls = {f"server_{name}_ms": _tuples(requests, calls[f"{name}_s"]) for name in _TIMES}
    return requests.assign(wire_in_ms=in_ms, wire_out_ms=out_ms, **of_calls)


def _seen(
    folder: Path,
    manifest: Manifest,
    clocks: Mapping[str, HostClock],
    hosts: Sequence[str],
) -> pd.DataFrame:
    """Read what was captured on some hosts; empty where that is nothing."""
    parts = []
    for host in hosts:
        directory = folder / host / PACKETS
        path = find_file(directory, _FILE)
        if not path.exists():
            continue
        rows = read_followed_by_packets(path)
        for stamp, column in {"first_byte": "in_s", "replied": "out_s"}.items():
            rows[column] = seconds_since(
                rows[f"{stamp}_ns"], manifest, clocks[host], read_ns=rows["first_byte_ns"]
            )
        names = server_names(directory, manifest.roles.servers)
        rows["servers"] = [tuple(names.get(n, n) for n in each) for each in rows["servers"]]
        parts.append(rows.assign(host=host))
    return pd.concat(parts, ignore_index=True) if parts else _typed([], _SEEN)


def _calls(pairs: pd.DataFrame, at_servers: pd.DataFrame) -> pd.DataFrame:
    """Return the calls of requests, by request and server, with their times on both hosts."""
    calls = _typed(list(_each_call(pairs)), _CALL)
    asked = ("wire_sent_s", "wire_answered_s")
    found = join_nested(calls, at_servers[list(_SEEN)], list(_OF_CALL), asked, _SPAN)
    there = found.set_index("outer_row")[list(_SPAN)].add_prefix("host_")
    return calls.join(there).set_index(["request", "host"])


def _each_call(pairs: pd.DataFrame) -> Iterator[tuple[object, ...]]:
    columns = [pairs[name] for name in ("in_s", "first_byte_ns", *CALLS_OF_PACKETS)]
    for request, in_s, came_ns, *lists in zip(pairs.index, *columns, strict=True):
        for server, connection, number, *stamps_ns in zip(*lists, strict=True):
            times_s = (in_s + (stamp_ns - came_ns) / NS_PER_S for stamp_ns in stamps_ns)
            yield request, server, connection, number, *times_s


def _tuples(requests: pd.DataFrame, times_s: pd.Series) -> pd.Series:
    """Return times of calls as tuples in the order of each request's servers, since its sending."""
    known = dict(zip(times_s.index, times_s, strict=True))
    rows = zip(requests.index, requests["sent_s"], requests["servers"], strict=True)
    return pd.Series(
        [
            tuple((known.get((row, name), np.nan) - sent_s) * MS_PER_S for name in servers)
            for row, sent_s, servers in rows
        ],
        index=requests.index,
        dtype=object,
    )


def _typed(rows: Sequence[tuple[object, ...]], types: Mapping[str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(types)).astype(types)
