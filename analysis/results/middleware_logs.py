"""Read the logs of other people's middlewares, as a plan of an import describes them.

Four lines of a log with a row a second, and three of its histogram (Cetin 2018)::

    STAT START
    secs,qlen,thru,msrt,items,nset,nget,nmget,sqt,gqt,mqt,swt,gwt,mwt
    1,151,2483.000000000000,NaN,0,2483,0,0,0.052621976979,NaN,NaN,0.003127915373,NaN,NaN
    STAT END
    HIST START
    1284
       8 1

A log with a row for each request has its time stamps instead, t0 to t5 of one clock, in the order
of `docs/import.md`. Both become seconds: a request belongs to the second in which its reply was
sent.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import parse_finite, read_text
from analysis.results.histograms import EMPTY
from analysis.units import MS_PER_S
from records.import_plan import REQUESTS, TIMES, UNITS_MS, FileTable

ALL = "all"
_BIN_MS = 0.1  # of histograms that are made from single requests


@dataclass(frozen=True, kw_only=True, eq=False)
class MiddlewareLog:
    """What one middleware logged.

    Attributes
    ----------
    seconds
        `second` (0 is the first row), `request_type` (``all`` where the log does not tell types
        apart), `requests`, and as far as logged `keys`, `misses`, `errors`, `miss_rate` and times
        in ms.
    queue
        One row per second: `second`, and as far as logged `queue_length`, `waiting_workers`.
    histograms
        Type of request to response times: `upper_edge_ms`, `count`.
    """

    seconds: pd.DataFrame
    queue: pd.DataFrame
    histograms: dict[str, pd.DataFrame]


def read_middleware_log(path: Path | str, table: FileTable) -> MiddlewareLog:
    """Read the log of one middleware, plain or gzip.

    Raises
    ------
    ParseError
        A marker or a column is missing, the log is cut, or a cell is no number.
    """
    path = Path(path)
    lines = read_text(path).split("\n")
    rows = _rows(path, lines, table)
    if table.reader == REQUESTS:
        return _of_requests(path, rows)
    return _of_seconds(rows, _histograms(path, lines, table))


def _rows(path: Path, lines: list[str], table: FileTable) -> pd.DataFrame:
    """Return the columns that the plan knows, under our names; times in ms."""
    first, last = _between(path, lines, table.start, table.end)
    stripped = [line.strip() for line in lines]
    titles = table.header
    if not titles:
        titles = [name.strip() for name in stripped[first].split(table.separator)]
        first += 1
    if absent := [name for name in table.columns if name not in titles]:
        raise ParseError(path, first, f"no column {absent[0]!r}: the columns are {titles}")
    chosen = {titles.index(theirs): ours for theirs, ours in table.columns.items()}
    found: list[list[float | str]] = []
    numbers = [number for number in range(first, last) if stripped[number]]
    for number in numbers:
        cells = stripped[number].split(table.separator)
        if len(cells) != len(titles):
            message = f"{len(titles)} cells expected, got {len(cells)}"
            raise ParseError(path, number + 1, message)
        try:
            found.append([_cell(cells[at], ours, table) for at, ours in chosen.items()])
        except ValueError as exc:
            raise ParseError(path, number + 1, str(exc)) from exc
    if not found:
        raise ParseError(path, first + 1, "no rows: the middleware handled no request")
    return pd.DataFrame(found, columns=list(chosen.values()))


def _between(path: Path, lines: list[str], start: str, end: str) -> tuple[int, int]:
    """Return the numbers of the lines between two markers, from 0, the end exclusive."""
    stripped = [line.strip() for line in lines]
    first, last = 0, len(lines)
    if start:
        if start not in stripped:
            raise ParseError(path, None, f"no line {start!r}")
        first = stripped.index(start) + 1
    if end:
        try:
            last = stripped.index(end, first)
        except ValueError as exc:
            raise ParseError(path, len(lines), f"the file is cut: no line {end!r}") from exc
    return first, last


def _cell(text: str, name: str, table: FileTable) -> float | str:
    text = text.strip()
    if name == "request_type":
        kind = table.request_types.get(text, text.lower())
        if kind not in ("set", "get", "multi-get"):
            raise ValueError(f"type of request {text!r}: state it in `request_types`")
        return kind
    if text.lower() in ("nan", "-nan", "", "null", "-"):
        return np.nan
    return parse_finite(text)


def _in_ms(frame: pd.DataFrame) -> pd.DataFrame:
    """Return times in ms, whatever unit their names end in."""
    converted = {}
    for name in frame:
        unit = f"_{str(name).rpartition('_')[2]}"
        if unit in UNITS_MS:
            ours = f"{str(name).removesuffix(unit)}_ms"
            converted[ours] = frame[name] * UNITS_MS[unit]
        else:
            converted[str(name)] = frame[name]
    return pd.DataFrame(converted)


def _of_seconds(rows: pd.DataFrame, histograms: dict[str, pd.DataFrame]) -> MiddlewareLog:
    rows = _in_ms(rows)
    second = rows.pop("second") if "second" in rows else pd.Series(range(len(rows)))
    second = (second - second.min()).astype("int64").rename("second")
    names = [str(name) for name in rows]
    kinds = dict.fromkeys(name.partition(".")[0] for name in names if "." in name)
    parts = []
    for kind in kinds:
        own = rows[[name for name in names if name.startswith(f"{kind}.")]]
        own = own.rename(columns=lambda name: name.partition(".")[2])
        own = pd.concat([second, own.assign(request_type=kind)], axis="columns")
        parts.append(own[own["requests"] > 0] if "requests" in own else own)
    state = rows[[name for name in names if "." not in name]]
    return MiddlewareLog(
        seconds=_with_response_time(pd.concat(parts, ignore_index=True)),
        queue=pd.concat([second, state], axis="columns"),
        histograms=histograms,
    )


def _with_response_time(seconds: pd.DataFrame) -> pd.DataFrame:
    """Add queueing and service time up where the log has no response time of its own."""
    if "response_time_ms" in seconds or not {"queueing_time_ms", "service_time_ms"} <= set(seconds):
        return seconds
    return seconds.assign(response_time_ms=seconds["queueing_time_ms"] + seconds["service_time_ms"])


def _of_requests(path: Path, rows: pd.DataFrame) -> MiddlewareLog:
    """Reduce single requests to seconds and to histograms in bins of 0.1 ms."""
    rows = _in_ms(rows)
    spans = {
        "response_time_ms": ("t0_ms", "t5_ms"),
        "queueing_time_ms": ("t1_ms", "t2_ms"),
        "service_time_ms": ("t2_ms", "t5_ms"),
        "servers_net_time_ms": ("t3_ms", "t4_ms"),
    }
    if "t1_ms" not in rows and "t0_ms" in rows:  # the log does not tell parsing from queueing
        spans["queueing_time_ms"] = ("t0_ms", "t2_ms")
    if "t5_ms" not in rows:
        raise ParseError(path, None, "no column is t5, when the reply was sent")
    known = {n: rows[b] - rows[a] for n, (a, b) in spans.items() if {a, b} <= set(rows)}
    if any((times < 0).any() for times in known.values()):
        raise ParseError(path, None, "time stamps go backwards: are t0 to t5 in their order?")
    second = ((rows["t5_ms"] - rows["t5_ms"].min()) // MS_PER_S).astype("int64")
    kind = rows.get("request_type", pd.Series(ALL, index=rows.index))
    base = pd.DataFrame({"second": second, "request_type": kind, **known})
    groups = base.groupby(["second", "request_type"])
    seconds = groups.size().rename("requests").to_frame().join(groups[list(known)].mean())
    if "keys" in rows:
        seconds["keys"] = (
            base.assign(keys=rows["keys"]).groupby(["second", "request_type"])["keys"].sum()
        )
    state = [name for name in ("queue_length",) if name in rows]
    queue = rows[state].assign(second=second).groupby("second").mean().reset_index()
    histograms = dict(_binned(base)) if "response_time_ms" in base else {}
    return MiddlewareLog(seconds=seconds.reset_index(), queue=queue, histograms=histograms)


def _binned(requests: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    for kind, own in requests.groupby("request_type"):
        bins = (own["response_time_ms"] / _BIN_MS).astype("int64").value_counts().sort_index()
        edges = (bins.index.to_numpy() + 1) * _BIN_MS
        yield str(kind), pd.DataFrame({"upper_edge_ms": edges, "count": bins.to_numpy()})


def _histograms(path: Path, lines: list[str], table: FileTable) -> dict[str, pd.DataFrame]:
    """Read the histograms that a log has, of those of the plan; empty ones are left out."""
    stripped = [line.strip() for line in lines]
    found = {}
    for kind, (start, end) in table.histograms.items():
        if start in stripped:
            first, last = _between(path, lines, start, end)
            histogram = _histogram(path, stripped, first, last, table.bin_ms)
            if not histogram.empty:
                found[kind] = histogram
    return found


def _histogram(path: Path, lines: list[str], first: int, last: int, bin_ms: float) -> pd.DataFrame:
    """Read rows of bin and count; a line with one number is the number of bins."""
    bins: list[tuple[int, int]] = []
    for number in range(first, last):
        cells = lines[number].split()
        try:
            if len(cells) == 2:
                bins.append((int(cells[0]), int(cells[1])))
            elif len(cells) > 2 or (cells and number > first):
                raise ValueError(f"bin and count expected, got {lines[number]!r}")
        except ValueError as exc:
            raise ParseError(path, number + 1, str(exc)) from exc
    declared = lines[first].split() if first < last else []
    if len(declared) == 1 and declared[0].isdigit() and int(declared[0]) != len(bins):
        message = f"{declared[0]} bins expected, got {len(bins)}"
        raise ParseError(path, first + 1, message)
    if not bins:
        return EMPTY
    at, counts = np.array(bins, dtype="int64").T
    filled = counts > 0
    return pd.DataFrame({"upper_edge_ms": (at[filled] + 1) * bin_ms, "count": counts[filled]})


__all__ = ["ALL", "TIMES", "MiddlewareLog", "read_middleware_log"]
