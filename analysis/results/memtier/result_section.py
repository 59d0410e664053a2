"""One results section of memtier's JSON: its statistics per request type, as frames."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.results.files import parse_count
from analysis.results.histograms import (
    PERCENTILES,
    decode_histogram,
    histogram_percentiles,
    merge_histograms,
)
from analysis.results.memtier.course import COURSE, parse_histograms_by_second, parse_slices
from analysis.units import kib_to_bytes

_SINGULARS = {"Touches": "touch", "Cas": "cas"}  # of the drop-in; all others only lose an "s"
_LONGEST_RESPONSE_TIME_MS = 600_000  # memtier clips at 600 s; larger is an unset minimum


@dataclass(frozen=True, kw_only=True, eq=False)
class MemtierRun:
    """One results section of the file.

    Attributes
    ----------
    title
        ``ALL STATS``, ``RUN #1 RESULTS``, ``BEST RUN RESULTS``, ...
    started_epoch_ms, finished_epoch_ms
        From "Runtime" (since 1.4.0), otherwise None.
    interrupted
        The tool was stopped by a signal (since 2.2.1).
    totals
        One row per request type (index ``set``, ``get``, ``wait``, ..., ``total``; of queues also
        ``send``, ``pop``, ``peek``, ``list``): `requests`, `reported_throughput_ops_per_s`,
        `response_time_ms`, `response_time_min_ms`, `response_time_max_ms`, `hits_per_s`,
        `misses_per_s` (keys, or messages), `bytes_per_s`, `connection_errors` (total only). NaN
        where this version of memtier does not report the value.
    seconds
        `request_type`, `second` (from the start of the run), `requests`, `response_time_ms`,
        `response_time_min_ms`, `response_time_max_ms`, `bytes_in`, `bytes_out`. A second without
        a row had no request of that type. Empty up to 1.3.0.
    histograms
        Per request type with requests: a histogram frame (`analysis.results.histograms`). Empty up
        to 1.3.0.
    percentiles
        `request_type`, `percentile`, `response_time_ms` over the whole run.
    slices
        Requests of all types by slices of 100 ms: `start_s` (from the start of the run),
        `requests`, `response_time_sum_ms`. Empty for memtier.
    histograms_by_second
        `request_type`, `second`, `upper_edge_ms`, `count`; None for memtier, which writes
        histograms of the whole run only.
    extras
        Other values that only the lab's own generator writes ("Error replies", "Loop
        utilization", ...), unchanged; empty for memtier.
    """

    title: str
    started_epoch_ms: int | None
    finished_epoch_ms: int | None
    interrupted: bool
    totals: pd.DataFrame
    seconds: pd.DataFrame
    histograms: Mapping[str, pd.DataFrame]
    percentiles: pd.DataFrame
    slices: pd.DataFrame
    histograms_by_second: pd.DataFrame | None
    extras: Mapping[str, Any]

    @property
    def error_replies(self) -> int:
        """Number of error replies to requests of all types; 0 for memtier, which has no count."""
        counts = self.extras.get("Error replies", {}).values()
        return sum(count for count in counts if isinstance(count, int))


def parse_run(title: str, section: dict[str, Any], extras: dict[str, Any]) -> MemtierRun:
    """Parse one results section, given its title and the values of the lab's own generator.

    Raises
    ------
    ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError
        A field is missing or wrong, or two fields contradict each other.
    """
    statistics = dict(_statistics(section))
    runtime = section.get("Runtime", {})
    rows = {kind: _totals_row(stats) for kind, stats in statistics.items()}
    seconds = _seconds(statistics)
    _check_seconds(seconds, rows)
    rows["total"] = _add_up(rows, section["Totals"])
    histograms = {
        kind: histogram
        for kind, stats in statistics.items()
        if not (histogram := _histogram(stats, rows[kind]["requests"])).empty
    }
    if histograms:
        histograms["total"] = merge_histograms(list(histograms.values()))
    own = extras["Runs"][0] if title == "ALL STATS" and extras else {}
    slices = parse_slices(own)
    by_second = parse_histograms_by_second(own, {name: _singular(name) for name in section})
    _check_course(slices, by_second, seconds)
    return MemtierRun(
        title=title,
        started_epoch_ms=_epoch_ms(runtime, "Start time"),
        finished_epoch_ms=_epoch_ms(runtime, "Finish time"),
        interrupted=runtime.get("Interrupted") == "true",
        totals=pd.DataFrame.from_dict(rows, orient="index").rename_axis("request_type"),
        seconds=seconds,
        histograms=histograms,
        percentiles=_percentiles(histograms, section),
        slices=slices,
        histograms_by_second=by_second,
        extras={name: value for name, value in own.items() if name not in COURSE},
    )


def _statistics(section: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield request type and statistics: "Sets", "Gets", "Waits", and one per other command."""
    for name, stats in section.items():
        if name != "Totals" and isinstance(stats, dict) and "Ops/sec" in stats:
            yield _singular(name), stats


def _singular(name: str) -> str:
    """Return the tidy name of a request type, from that of its row."""
    return _SINGULARS.get(name, name.lower().removesuffix("s"))


def _totals_row(stats: dict[str, Any]) -> dict[str, float]:
    requests = _number(stats, "Count", default=math.nan)
    throughput = _number(stats, "Ops/sec")
    idle = requests == 0 or (math.isnan(requests) and throughput == 0)
    return {
        "requests": requests,
        "reported_throughput_ops_per_s": throughput,
        "response_time_ms": math.nan if idle else _time(stats, "Latency"),
        "response_time_min_ms": math.nan if idle else _time(stats, "Min Latency"),
        "response_time_max_ms": math.nan if idle else _time(stats, "Max Latency"),
        "hits_per_s": _number(stats, "Hits/sec"),
        "misses_per_s": _number(stats, "Misses/sec"),
        "bytes_per_s": kib_to_bytes(_number(stats, "KB/sec")),
        "connection_errors": math.nan,
    }


def _add_up(rows: dict[str, dict[str, float]], printed: dict[str, Any]) -> dict[str, float]:
    """Compute the total row from the rows per request type, or take the printed one.

    The printed row is used where the rows per request type have no counts (up to 1.3.0).
    """
    frame = pd.DataFrame.from_dict(rows, orient="index")
    if frame.empty:
        raise ValueError("no statistics per request type")
    total = _totals_row(printed)
    requests = frame["requests"].sum()
    if total["requests"] > 0 and total["requests"] != requests:  # 2.1.0 prints 0
        raise ValueError(
            f"'Totals' has a 'Count' of {total['requests']:.0f}, but the request types add up to "
            f"{requests:.0f}"
        )
    if not math.isnan(total["requests"]):
        busy = frame[frame["requests"] > 0]
        total["requests"] = float(busy["requests"].sum())
        total["response_time_ms"] = (
            float(np.average(busy["response_time_ms"], weights=busy["requests"]))
            if len(busy)
            else math.nan
        )
        total["response_time_min_ms"] = float(busy["response_time_min_ms"].min())
        total["response_time_max_ms"] = float(busy["response_time_max_ms"].max())
    total["connection_errors"] = _number(printed, "Connection Errors", default=math.nan)
    return total


def _seconds(statistics: dict[str, dict[str, Any]]) -> pd.DataFrame:
    rows = [
        {"request_type": kind, "second": parse_count(second), **_second_row(cell)}
        for kind, stats in statistics.items()
        for second, cell in stats.get("Time-Serie", {}).items()
        if _number(cell, "Count") > 0
    ]
    columns = ["request_type", "second", *_second_row({"Count": 0})]
    frame = pd.DataFrame(rows, columns=columns).astype({"second": "int64", "requests": "int64"})
    return frame.sort_values(["request_type", "second"], ignore_index=True)


def _check_seconds(seconds: pd.DataFrame, rows: dict[str, dict[str, float]]) -> None:
    """Compare the requests of every type with those of its seconds, if the file has any."""
    if seconds.empty:
        return
    counted = seconds.groupby("request_type")["requests"].sum()
    for kind, row in rows.items():
        if row["requests"] != counted.get(kind, 0):
            raise ValueError(
                f"{kind!r} has a 'Count' of {row['requests']:.0f}, but the seconds of its "
                f"'Time-Serie' add up to {counted.get(kind, 0)}"
            )


def _check_course(
    slices: pd.DataFrame, by_second: pd.DataFrame | None, seconds: pd.DataFrame
) -> None:
    """Compare the requests of slices and of histograms by second with those of the seconds."""
    if by_second is None:
        return
    requests = seconds["requests"].sum()
    counted = (by_second["count"].sum(), slices["requests"].sum())
    if any(count != requests for count in counted):
        raise ValueError(
            f"the seconds add up to {requests} requests, their histograms to {counted[0]}, the "
            f"slices to {counted[1]}"
        )


def _second_row(cell: dict[str, Any]) -> dict[str, float]:
    known = _number(cell, "Max Latency", default=0) > 0  # 1.4.0 leaves both at 0 in a last second
    return {
        "requests": _number(cell, "Count"),
        "response_time_ms": _time(cell, "Average Latency"),
        "response_time_min_ms": _time(cell, "Min Latency") if known else math.nan,
        "response_time_max_ms": _time(cell, "Max Latency") if known else math.nan,
        "bytes_in": _number(cell, "Bytes RX", default=math.nan),
        "bytes_out": _number(cell, "Bytes TX", default=math.nan),
    }


def _histogram(stats: dict[str, Any], requests: float) -> pd.DataFrame:
    """Histogram of one request type; empty when absent or when it does not hold all requests."""
    encoded = (
        stats.get("Percentile Latencies", {})
        .get("Histogram log format", {})
        .get("Compressed Histogram")
    )
    if encoded is None:
        return pd.DataFrame()
    histogram = decode_histogram(encoded)
    return histogram if histogram["count"].sum() == requests else pd.DataFrame()


def _percentiles(histograms: Mapping[str, pd.DataFrame], section: dict[str, Any]) -> pd.DataFrame:
    times = {kind: histogram_percentiles(histogram) for kind, histogram in histograms.items()}
    if not times and "Runtime" not in section:  # up to 1.3.0: only the cumulative distribution
        times = {
            name.lower(): _distribution_percentiles(rows)
            for name, rows in section.items()
            if isinstance(rows, list) and rows
        }
    return pd.DataFrame(
        [
            (kind, percentile, value)
            for kind, values in times.items()
            for percentile, value in zip(PERCENTILES, values, strict=True)
        ],
        columns=["request_type", "percentile", "response_time_ms"],
    )


def _distribution_percentiles(rows: list[dict[str, float]]) -> np.ndarray:
    """Percentiles from rows of {"<=msec": upper edge, "percent": cumulative share}."""
    edges = np.array([row["<=msec"] for row in rows], dtype=float)
    cumulative = np.array([row["percent"] for row in rows], dtype=float)
    position = np.searchsorted(cumulative, PERCENTILES)
    return np.append(edges, np.nan)[position]


def _epoch_ms(runtime: dict[str, Any], key: str) -> int | None:
    return int(runtime[key]) or None if key in runtime else None


def _number(stats: dict[str, Any], key: str, default: float | None = None) -> float:
    """Return a count or rate; NaN for ``null``, KeyError when absent without a default."""
    value = stats[key] if default is None else stats.get(key, default)
    if value is None:
        return math.nan
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ValueError(f"{key!r} must be a number >= 0, got {value!r}")
    return float(value)


def _time(stats: dict[str, Any], key: str) -> float:
    """Return a response time in ms; NaN when absent or beyond anything memtier records."""
    value = _number(stats, key, default=math.nan)
    return value if value <= _LONGEST_RESPONSE_TIME_MS else math.nan
