"""Read what memtier_benchmark writes with ``--client-stats``: one file for each connection.

Five lines of it (1.2.17)::

    Per-Second Benchmark Data
    Second,SET Requests,SET Average Latency,SET Total Bytes,GET Requests,GET Average Latency,...
    0,150,0.006646,620463,0,0.000000,0,0,0,0,0.000000
    Full-Test GET Latency
    Latency (<= msec),Percent

Average latencies are in seconds. The distributions are cumulative and in percent.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import read_text
from analysis.results.histograms import EMPTY
from analysis.units import MS_PER_S

_TITLE = "Per-Second Benchmark Data"
_DISTRIBUTION = "Full-Test "
_KINDS = ("SET", "GET")
SECONDS = ("second", "requests", "response_time_ms", "hits", "misses")
"""Columns of the seconds of a connection; hits and misses are keys of gets."""


@dataclass(frozen=True, kw_only=True, eq=False)
class MemtierConnection:
    """The measurements of one connection of memtier.

    Attributes
    ----------
    seconds
        Type of request to the columns `SECONDS`, shape (seconds with requests, 5). Arrays, because
        a campaign has tens of thousands of these files.
    distributions
        Type of request to upper edges in ms and cumulative percentages, shape (bins, 2).
    """

    seconds: dict[str, np.ndarray]
    distributions: dict[str, np.ndarray]


def read_memtier_connection(path: Path | str) -> MemtierConnection:
    """Read the file of one connection, plain or gzip.

    Raises
    ------
    ParseError
        The file is not of ``--client-stats``, is cut, or a cell is no number.
    """
    path = Path(path)
    lines = read_text(path).splitlines()
    if lines[:1] != [_TITLE]:
        raise ParseError(path, 1, f"not a file of --client-stats: {_TITLE!r} expected")
    parts = [at for at, line in enumerate(lines) if line.startswith(_DISTRIBUTION)]
    if len(parts) < len(_KINDS):
        raise ParseError(path, len(lines), "the file is cut: distributions are missing")
    names = [name.strip() for name in lines[1].split(",")]
    table = _numbers(path, lines, 2, parts[0], len(names))
    ends = [*parts[1:], len(lines)]
    return MemtierConnection(
        seconds={kind.lower(): _columns(path, names, table, kind) for kind in _KINDS},
        distributions={
            lines[start].split()[1].lower(): _numbers(path, lines, start + 2, end, 2)
            for start, end in zip(parts, ends, strict=True)
        },
    )


def distribution_counts(distribution: np.ndarray, requests: float) -> pd.DataFrame:
    """Return a cumulative distribution as a histogram of so many requests.

    Counts are as exact as the percentages, which memtier rounds to 0.01 or 0.001.
    """
    if not len(distribution) or not requests > 0:
        return EMPTY
    shares = np.diff(distribution[:, 1], prepend=0) / 100
    counts = np.rint(shares * requests).astype("int64")
    filled = counts > 0
    return pd.DataFrame({"upper_edge_ms": distribution[filled, 0], "count": counts[filled]})


def _numbers(path: Path, lines: list[str], start: int, end: int, width: int) -> np.ndarray:
    """Return the cells between two lines as numbers, blank lines left out; shape (rows, width)."""
    chosen = {number: lines[number] for number in range(start, end) if lines[number].strip()}
    for number, line in chosen.items():
        if line.count(",") != width - 1:
            message = f"{width} cells expected, got {line.count(',') + 1}"
            raise ParseError(path, number + 1, message)
    try:
        numbers = np.array(",".join(chosen.values()).split(",") if chosen else [], dtype="float64")
    except ValueError as exc:
        raise ParseError(path, start + 1, f"a cell below is no number: {exc}") from exc
    if not np.isfinite(numbers).all():
        raise ParseError(path, start + 1, "a cell below is not finite")
    return numbers.reshape(len(chosen), width)


def _columns(path: Path, names: list[str], table: np.ndarray, kind: str) -> np.ndarray:
    """Return the columns of `SECONDS` of one type of request, of the seconds that have some."""
    wanted = ["Second", f"{kind} Requests", f"{kind} Average Latency"]
    if missing := [name for name in (*wanted, "GET Misses", "GET Hits") if name not in names]:
        raise ParseError(path, 2, f"column {missing[0]!r} is missing")
    keys = [names.index("GET Hits"), names.index("GET Misses")]
    own = table[:, [*map(names.index, wanted), *keys]]
    own[:, 2] *= MS_PER_S
    if kind != "GET":
        own[:, 3:] = 0
    found: np.ndarray = own[own[:, 1] > 0]
    return found
