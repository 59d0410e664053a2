"""Read the text report of memtier_benchmark: its standard output, or ``--out-file``.

Five lines of it (1.4.0)::

    ALL STATS
    ==========================================================================================
    Type         Ops/sec     Hits/sec   Misses/sec    Avg. Latency     p50 Latency      KB/sec
    ------------------------------------------------------------------------------------------
    Sets          473.81          ---          ---         4.06332         4.12700     1913.95

Up to 1.3.0 there is one ``Latency`` and no percentiles; 1.2.8 prints no title above the columns.
With many connections these versions sometimes print a throughput of 0 beside a response time. The
JSON file contains more: counts, seconds and histograms (`analysis.results.memtier`).
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import parse_finite, read_text
from analysis.units import kib_to_bytes

_COLUMNS = {
    "Ops/sec": "reported_throughput_ops_per_s",
    "Hits/sec": "hits_per_s",
    "Misses/sec": "misses_per_s",
    "Latency": "response_time_ms",
    "Avg. Latency": "response_time_ms",
    "KB/sec": "bytes_per_s",
}
_PERCENTILE = re.compile(r"p(\d+(?:\.\d+)?) Latency")
_MISSING = {"---", "nan", "-nan", "inf", "-inf"}
_RULE = re.compile(r"-+ *")
_DISTRIBUTION = re.compile(r"([A-Z]+) +(\d+\.\d+) +(\d+\.\d+) *")
_ROW = re.compile(r"(?:[A-Z]+|Totals) +[\d.].*")  # of the distribution, or of another table


@dataclass(frozen=True, kw_only=True, eq=False)
class MemtierReport:
    """One results table of the report.

    Attributes
    ----------
    title
        As in the JSON file: ``ALL STATS``, ``BEST RUN RESULTS``, ...
    totals
        One row per request type (index ``set``, ``get``, ``wait``, ``total``):
        `reported_throughput_ops_per_s`, `hits_per_s`, `misses_per_s` (keys), `response_time_ms`,
        `bytes_per_s`; NaN where nothing was measured.
    percentiles
        `request_type`, `percentile`, `response_time_ms`, as printed; empty up to 1.3.0.
    distribution
        `request_type`, `upper_edge_ms`, `cumulative_percent`; empty with ``--hide-histogram``.
    """

    title: str
    totals: pd.DataFrame
    percentiles: pd.DataFrame
    distribution: pd.DataFrame


def read_memtier_text(path: Path | str) -> tuple[MemtierReport, ...]:
    """Read a text report, plain or gzip: one result without ``--run-count``, otherwise several.

    Raises
    ------
    ParseError
        There is no results table (the tool was killed), or a table is cut or damaged.
    """
    path = Path(path)
    text = read_text(path)
    lines = text.split("\n")
    if lines.pop():
        raise ParseError(path, len(lines) + 1, "the last line is cut")
    starts = [
        index for index, line in enumerate(lines) if line.startswith("Type ") and "Ops/sec" in line
    ]
    if not starts:
        raise ParseError(path, None, "no results table: the tool ended before it measured")
    ends = [*starts[1:], len(lines)]
    return tuple(_report(path, lines, *span) for span in zip(starts, ends, strict=True))


def _report(path: Path, lines: list[str], start: int, end: int) -> MemtierReport:
    columns = re.split(r"\s{2,}", lines[start].strip())
    absent = {"Ops/sec", "Hits/sec", "Misses/sec", "KB/sec"} - set(columns)
    if absent or len(set(columns)) < len(columns):
        raise ParseError(path, start + 1, f"not the column titles of memtier: {columns}")
    rows: dict[str, list[float]] = {}
    has_rule = start + 1 < end and _RULE.fullmatch(lines[start + 1]) is not None
    for number in range(start + 1 + has_rule, end):
        name, *cells = lines[number].split() or [""]
        if not name or len(cells) != len(columns) - 1:
            raise ParseError(path, number + 1, f"{len(columns)} cells expected: {lines[number]!r}")
        kind = name.lower().removesuffix("s")
        if kind in rows:
            raise ParseError(path, number + 1, f"a second row of {name!r}")
        rows[kind] = [_number(path, number + 1, cell) for cell in cells]
        if name == "Totals":
            break
    else:
        raise ParseError(path, end, "the table is cut: no row of totals")
    table = pd.DataFrame.from_dict(rows, orient="index", columns=columns[1:])
    times = [name for name in columns if name.endswith("Latency")]
    idle = (table["Ops/sec"] == 0) & ~(table[times] > 0).any(axis="columns")
    table[times] = table[times].mask(idle)
    return MemtierReport(
        title=lines[start - 2] if start > 1 and lines[start - 1].startswith("=") else "ALL STATS",
        totals=_totals(table),
        percentiles=_percentiles(table),
        distribution=_distribution(path, lines, number + 1, end, set(table.index[~idle])),
    )


def _number(path: Path, line_number: int, cell: str) -> float:
    if cell in _MISSING:
        return np.nan
    try:
        return parse_finite(cell)
    except ValueError as exc:
        raise ParseError(path, line_number, f"not a number: {cell!r}") from exc


def _totals(table: pd.DataFrame) -> pd.DataFrame:
    totals = table[[name for name in table if name in _COLUMNS]].rename(columns=_COLUMNS)
    return totals.assign(bytes_per_s=kib_to_bytes(totals["bytes_per_s"])).rename_axis(
        "request_type"
    )


def _percentiles(table: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame(
        [
            (kind, float(match.group(1)), time)
            for name in table.columns
            if (match := _PERCENTILE.fullmatch(str(name)))
            for kind, time in table[name].dropna().items()
        ],
        columns=["request_type", "percentile", "response_time_ms"],
    )


def _distribution(
    path: Path, lines: list[str], start: int, end: int, request_types: set[str]
) -> pd.DataFrame:
    matches = []
    for number, line in enumerate(lines[start:end], start + 1):
        if match := _DISTRIBUTION.fullmatch(line):
            matches.append(match)
        elif _ROW.fullmatch(line):
            raise ParseError(path, number, f"not a row of the distribution: {line!r}")
    frame = pd.DataFrame(
        [(match[1].lower(), float(match[2]), float(match[3])) for match in matches],
        columns=["request_type", "upper_edge_ms", "cumulative_percent"],
    )
    last = frame.groupby("request_type")["cumulative_percent"].last()
    if (last < 100).any():
        raise ParseError(path, end, f"the distribution of {last.idxmin()} requests is cut")
    return frame[frame["request_type"].isin(request_types)].reset_index(drop=True)
