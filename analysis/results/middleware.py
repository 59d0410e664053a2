"""Read the files that the middleware writes to ``--stats-dir``.

The first columns of ``windows.csv``::

    epoch_s,request_type,keys,requests,errors,hits,misses,bytes_in,bytes_out,response_time_mean_ms,
    1795231822,get,2625,2625,0,1710,915,44342,7065001,0.740036,
    1795231822,set,2629,2629,0,0,0,10850938,21032,0.852369,

and of ``histograms.hlog``, an HdrHistogram log in microseconds::

    "StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
    Tag=response_time/get,1795231822.000,1.000,12631.000,HISTFAAAAzB42jWTPY4bRxCFm9U1Nb09zeFw

A last line without its line end, which a killed middleware leaves behind, is left out. After a
clean shutdown the files must contain as many requests as ``summary.json`` counts.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import find_file, parse_finite, parse_json, read_text, split_cells
from analysis.results.histograms import EMPTY, decode_histogram

_TEXT_COLUMNS = ("request_type", "server", "kind", "time")
_INTERVAL = re.compile(
    r"Tag=(?P<time>\w+)/(?:(?P<server>[^,]+)/)?(?P<request_type>[^/,]+),"
    r"(?P<start_s>\d+(?:\.\d+)?),(?P<length_s>[\d.]+),[\d.]+,(?P<encoded>[\w+/=]+)"
)
_START_TIME = re.compile(r"#\[(?:StartTime|BaseTime): (\d+(?:\.\d+)?)")
_YEAR_S = 365 * 24 * 3600
Count = tuple[str, str, float, float]  # a file, what it counts, its count, and the summary's


@dataclass(frozen=True, kw_only=True, eq=False)
class MiddlewareResult:
    """Results that one middleware wrote in one run.

    Attributes
    ----------
    summary
        Content of ``summary.json``.
    windows
        One row per second and request type: `epoch_s`, `request_type`, `keys`, `requests`,
        `errors`, `hits`, `misses`, `bytes_in`, `bytes_out`, and `_mean_ms`, `_min_ms`, `_max_ms`
        of `response_time`, `preprocessing_time`, `queueing_time`, `service_time`,
        `processing_time`, `servers_net_time`, `client_rtt_and_think_time`.
    queue
        One row per second: `epoch_s`, `arrivals`, `queue_length_mean`, `waiting_workers_mean`,
        `cpu_s`, ...
    utilization
        `epoch_s`, `kind` (``worker``, ``net-thread``), `index`, `utilization` (0..1): share of the
        second in which a worker had a job, or a network thread ran on a processor.
    servers
        `epoch_s`, `server`, `requests`, `response_time_mean_ms`, ...
    bins
        Counts of the whole run in fixed bins: `time`, `request_type`, `bin_start_ms`, `count`;
        empty when the middleware was killed, because it writes the bins when it shuts down.
    intervals
        Histograms still encoded, one row per second and tag: `epoch_s`, `time`, `server` (empty
        unless `time` is ``server_time``), `request_type`, `encoded`.
    """

    directory: Path
    summary: Mapping[str, Any]
    windows: pd.DataFrame
    queue: pd.DataFrame
    utilization: pd.DataFrame
    servers: pd.DataFrame
    bins: pd.DataFrame
    intervals: pd.DataFrame

    def histograms_by_second(
        self, time: str, *, start_epoch_s: float, end_epoch_s: float
    ) -> pd.DataFrame:
        """Decode the histograms of the seconds from `start_epoch_s` to before `end_epoch_s`.

        Columns: `request_type`, `second` (from `start_epoch_s`), `upper_edge_ms`, `count`.
        """
        rows = self.intervals
        inside = rows["epoch_s"].between(start_epoch_s, end_epoch_s, inclusive="left")
        chosen = rows[(rows["time"] == time) & inside]
        seconds = (chosen["epoch_s"] - start_epoch_s).astype("int64")
        try:
            parts = [
                decode_histogram(encoded).assign(request_type=kind, second=second)
                for encoded, kind, second in zip(
                    chosen["encoded"], chosen["request_type"], seconds, strict=True
                )
            ]
        except ValueError as exc:
            raise ParseError(self.directory / "histograms.hlog", None, str(exc)) from exc
        none = EMPTY.assign(request_type=pd.Series(dtype="str"), second=pd.Series(dtype="int64"))
        return pd.concat([none, *parts], ignore_index=True)


def read_middleware(directory: Path | str) -> MiddlewareResult:
    """Read a ``--stats-dir``, its files plain or each with ``.gz``.

    Raises
    ------
    ParseError
        A file is missing or damaged, lacks a column, or contains less than the summary counts.
    """
    directory = Path(directory)
    result = MiddlewareResult(
        directory=directory,
        summary=read_summary(directory),
        windows=read_table(
            find_file(directory, "windows.csv"),
            ["epoch_s", "request_type", "requests", "errors", "hits", "misses"],
        ),
        queue=read_table(find_file(directory, "queue.csv"), ["epoch_s", "queue_length_mean"]),
        utilization=read_table(
            find_file(directory, "utilization.csv"), ["epoch_s", "kind", "index", "utilization"]
        ),
        servers=read_table(find_file(directory, "servers.csv"), ["epoch_s", "server", "requests"]),
        bins=_read_bins(find_file(directory, "bins.csv")),
        intervals=_read_histogram_log(find_file(directory, "histograms.hlog")),
    )
    _check_complete(result)
    return result


def read_summary(directory: Path) -> dict[str, Any]:
    """Read the ``summary.json`` of a middleware, or of the packets that were captured of it."""
    path = find_file(directory, "summary.json")
    return parse_json(path, read_text(path))


def _read_bins(path: Path) -> pd.DataFrame:
    columns = ["time", "request_type", "bin_start_ms", "count"]
    return read_table(path, columns) if path.exists() else pd.DataFrame(columns=columns)


def read_table(path: Path, required: list[str]) -> pd.DataFrame:
    """Read a CSV file with a header; numbers are floats, an empty cell is NaN."""
    lines = read_text(path).split("\n")[:-1]
    header = split_cells(path, 1, lines[0]) if lines else []
    missing = [name for name in required if name not in header]
    if missing:
        raise ParseError(path, 1, f"columns {', '.join(missing)} are missing in {header}")
    if len(set(header)) < len(header):
        raise ParseError(path, 1, f"a column stands twice in {header}")
    rows = []
    for number, line in enumerate(lines[1:], 2):
        cells = split_cells(path, number, line)
        if len(cells) != len(header):
            raise ParseError(path, number, f"{len(header)} cells expected, got {len(cells)}")
        rows.append([_cell(path, number, *pair) for pair in zip(header, cells, strict=True)])
    frame = pd.DataFrame(rows, columns=header)
    return frame.astype({name: "float64" for name in header if name not in _TEXT_COLUMNS})


def _cell(path: Path, line_number: int, name: str, text: str) -> float | str:
    if name in _TEXT_COLUMNS:
        return text
    try:
        number = parse_finite(text) if text else math.nan
    except ValueError as exc:
        raise ParseError(path, line_number, f"{name} must be a number, got {text!r}") from exc
    if number < 0:
        raise ParseError(path, line_number, f"{name} must be >= 0, got {text}")
    return number


def _read_histogram_log(path: Path) -> pd.DataFrame:
    base_s, rows = 0.0, []
    for number, line in enumerate(read_text(path).split("\n")[:-1], 1):
        if match := _START_TIME.match(line):
            base_s = float(match.group(1))
        elif match := _INTERVAL.fullmatch(line):
            start_s = float(match["start_s"])
            epoch_s = start_s if start_s > _YEAR_S else base_s + start_s  # relative to the start
            rows.append((epoch_s, *match.group("time", "server", "request_type", "encoded")))
        elif not line.startswith(("#", '"StartTimestamp"')):
            raise ParseError(path, number, f"not a line of a histogram log: {line[:60]!r}")
    columns = ["epoch_s", "time", "server", "request_type", "encoded"]
    return pd.DataFrame(rows, columns=columns).fillna({"server": ""})


def _check_complete(result: MiddlewareResult) -> None:
    """Compare the files with the summary: a file that is cut at a line end looks complete."""
    summary = result.summary
    if summary.get("clean_shutdown") is True and "requests" in summary:  # killed: seconds too old
        check_counts(result.directory, _counts(result, summary))


def check_counts(directory: Path, counts: Iterator[Count]) -> None:
    """Refuse files that contain another number of something than the summary counts."""
    try:
        listed = list(counts)
    except (KeyError, TypeError, AttributeError) as exc:
        path = find_file(directory, "summary.json")
        raise ParseError(path, None, f"a field is missing or wrong: {exc!r}") from exc
    for name, what, found, expected in listed:
        if found != expected:
            reason = f"the file is cut: it contains {found:g} of {expected:g} {what}"
            raise ParseError(find_file(directory, name), None, reason)


def _counts(result: MiddlewareResult, summary: Mapping[str, Any]) -> Iterator[Count]:
    requests = sum(kind["requests"] for kind in summary["requests"].values())
    sent = sum(server["requests"] for server in summary["servers"])
    yield "windows.csv", "requests", result.windows["requests"].sum(), requests
    yield "queue.csv", "arrivals", result.queue["arrivals"].sum(), summary["queue"]["arrivals"]
    yield "servers.csv", "requests", result.servers["requests"].sum(), sent
    threads = result.utilization
    per_second = threads.groupby("epoch_s").size().max() if len(threads) else 0
    yield "utilization.csv", "rows", len(threads), len(result.queue) * per_second
    for time in ("response_time", "queueing_time", "service_time"):
        rows = (result.intervals["time"] == time).sum()
        yield "histograms.hlog", f"seconds of {time}", rows, len(result.windows)
        binned = result.bins.loc[result.bins["time"] == time, "count"].sum()
        if not result.bins.empty:
            yield "bins.csv", f"values of {time}", binned, requests
