"""Read all that memtier_benchmark prints: its header, its progress and its report.

Four lines of it (1.2.17, standard output and error together; memtier ends the lines of progress
with a carriage return)::

    [RUN #1 20%,   0 secs]  2 threads:        2902 ops,    2902 (avg:    2902) ops/sec, ...
    2         Threads
    32        Connections per thread
    70        Seconds

Progress is printed on standard error: a file of standard output alone has no seconds.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import read_text
from analysis.results.memtier.printout import MemtierReport, read_memtier_text

_PROGRESS = re.compile(
    r"\[RUN #(?P<run>\d+) (?:[\d.]+|-?nan)%, +\d+ secs\] +(?P<threads>\d+) threads[^:]*: +"
    r"(?P<requests>\d+) ops, .*?,\s+(?P<time>-?[\d.]+|-?nan) \(avg: [^)]*\) msec latency"
)
_HEADER = re.compile(r"^(\d+) +(Threads|Connections per thread|Seconds)\s*$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, eq=False)
class MemtierPrintout:
    """The standard output of one instance of memtier.

    Attributes
    ----------
    threads, clients_per_thread, duration_s
        From the header; None where it is missing. `duration_s` is missing where memtier was given
        a number of requests.
    report
        Its only report (``--run-count`` is refused).
    seconds
        `second` (from the start of the run), `requests` (of all types), `response_time_ms`; empty
        without progress.
    """

    threads: int | None
    clients_per_thread: int | None
    duration_s: int | None
    report: MemtierReport
    seconds: pd.DataFrame


def read_memtier_printout(path: Path | str) -> MemtierPrintout:
    """Read standard output, or standard output and error, plain or gzip.

    Raises
    ------
    ParseError
        As `read_memtier_text`, or the file has reports of several runs.
    """
    path = Path(path)
    reports = read_memtier_text(path)
    if len(reports) > 1:
        raise ParseError(path, None, f"one run expected, got {[one.title for one in reports]}")
    text = read_text(path)
    header = {name: int(number) for number, name in _HEADER.findall(text)}
    return MemtierPrintout(
        threads=header.get("Threads"),
        clients_per_thread=header.get("Connections per thread"),
        duration_s=header.get("Seconds"),
        report=reports[0],
        seconds=_seconds(path, text),
    )


def _seconds(path: Path, text: str) -> pd.DataFrame:
    """Return the seconds between two lines of progress; the last line belongs to the last one."""
    found = list(_PROGRESS.finditer(text))
    if len({match["run"] for match in found}) > 1:
        raise ParseError(path, None, "progress of several runs")
    rows: dict[int, tuple[int, float]] = {}
    before = 0
    for second, match in enumerate(found):
        requests = int(match["requests"])
        if requests < before:
            raise ParseError(path, None, f"requests fall from {before} to {requests}")
        if second and match["threads"] == "0":  # what was under way when the time was over
            second -= 1
            count, time_ms = rows[second]
            rows[second] = (count + requests - before, time_ms)
        else:
            rows[second] = (requests - before, float(match["time"]))
        before = requests
    return pd.DataFrame(
        [(second, count, time_ms) for second, (count, time_ms) in rows.items()],
        columns=["second", "requests", "response_time_ms"],
    ).astype({"second": "int64", "requests": "int64", "response_time_ms": "float64"})
