"""Read what iperf 2 (2.0 and 2.1) prints, client or server, as text or as CSV (``-y C``).

Six lines of a client with ``--parallel 2``, one of CSV::

    [  4] local 10.0.0.10 port 38522 connected with 10.0.0.4 port 5001
    [  3] local 10.0.0.10 port 38520 connected with 10.0.0.4 port 5001
    [ ID] Interval       Transfer     Bandwidth
    [  4]  0.0-10.0 sec   478 MBytes   401 Mbits/sec
    [  3]  0.0-10.0 sec   478 MBytes   400 Mbits/sec
    [SUM]  0.0-10.0 sec   956 MBytes   801 Mbits/sec

    20161124093010,10.0.0.10,38522,10.0.0.4,5001,3,0.0-10.0,1002438656,801950924

Lines that report no bandwidth, such as prompts of a shell, are skipped.
"""

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import parse_finite, read_text
from analysis.results.iperf import INTERVAL_COLUMNS, IperfResult
from analysis.units import BITS_PER_BYTE, bits_per_s_to_mbit_per_s

_CONNECTED = re.compile(
    r"\[ *(\*?\d+)\] local (\S+) port (\d+) connected with (\S+) port (\d+)(?: .*)?"
)
_REPORT = re.compile(
    r"\[ *(\*?\d+|SUM)\] +([\d.]+)- *([\d.]+) sec +[\d.]+ [KMGT]?Bytes"
    r" +([\d.]+) ([KMGT]?)(bits|Bytes)/sec(?: .*)?"
)
_UDP = re.compile(r"\[ *(\*?\d+)\] (?:Sent \d+ datagrams|(Server Report:)).*")
_CSV = re.compile(
    r"\d{14}(?:\.\d+)?,([^,]+),(\d+),([^,]+),(\d+),(-?\d+),([\d.]+)-([\d.]+),\d+,(\d+)(?:,.*)?"
)
_DAMAGED = re.compile(r"\[ *(?:\*?\d+|SUM)\].*/sec.*")
_STAMPED = re.compile(r"^\d{14}(?:\.\d+)?,", re.MULTILINE)
_FAILURE = re.compile(r"^.*(?:connect failed|unable to connect|iperf: error).*$", re.MULTILINE)
_IPERF3 = re.compile(r"^\s*\{|/sec.* (?:sender|receiver)\s*$", re.MULTILINE)
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_TOTAL, _CSV_TOTAL = "SUM", "-1"
_MOST = 1.4  # of the total, that connections of different lengths add up to
_WHOLE = 0.95  # of the longest report: its length varies a little between connections


@dataclass(frozen=True, kw_only=True)
class _Report:
    start_s: float
    end_s: float
    bits_per_s: float

    @property
    def length_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(kw_only=True)
class _Test:
    """Connections between two hosts that began together.

    Attributes
    ----------
    line_number
        Line, from 1, at which the test begins.
    local, remote
        Host and port of both ends of the first connection.
    reports
        Name of a connection, or `_TOTAL`, to its reports.
    sent
        UDP connections whose client printed how many datagrams it sent.
    answered
        UDP connections whose client printed the server's report of the datagrams that arrived.
    """

    line_number: int
    local: tuple[str, str]  # host, port
    remote: tuple[str, str]
    reports: dict[str, list[_Report]] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)

    def may_gain(self, name: str, local: tuple[str, str], remote: tuple[str, str]) -> bool:
        """Return True if a further connection runs in parallel: there is no report yet."""
        is_between = (self.local[0], self.remote[0]) == (local[0], remote[0])
        is_same_way = self.local == local or self.remote == remote
        return is_between and is_same_way and name not in self.reports and not self.is_reported

    @property
    def is_reported(self) -> bool:
        return any(self.reports.values())


def read_iperf2(path: Path | str) -> list[IperfResult]:
    """Read all tests of a file, in the order in which they began.

    Parallel connections are one test. CSV does not state which connections ran in parallel: each
    connection is a test of its own, unless the file contains their total. A server's bandwidth is
    that of the data that it received, a TCP client's that of the data that it sent, a UDP client's
    that of the datagrams that arrived at the server. Intervals of parallel connections without a
    total are left out.

    Raises
    ------
    ParseError
        The file contains no test, a line is damaged, or a test has no report over its whole
        length, because the test failed or the file is cut.
    """
    path = Path(path)
    text = read_text(path)
    if _IPERF3.search(text):
        raise ParseError(
            path, None, "output of iperf3: record with iperf3 --json and read it with read_iperf3"
        )
    tests = _tests_of_csv(path, text) if _STAMPED.search(text) else _tests_of_text(path, text)
    if not any(test.is_reported for test in tests):
        failure = _FAILURE.search(text)
        reason = (
            f"the test failed: {failure.group().strip()}" if failure else "no report of iperf 2"
        )
        raise ParseError(path, None, reason)
    return [_result(path, test) for test in tests]


def _tests_of_text(path: Path, text: str) -> list[_Test]:
    tests: list[_Test] = []
    open_tests: dict[str, _Test] = {}  # by the name of a connection, which later ones use again
    last: _Test | None = None
    for number, line in enumerate(map(str.rstrip, text.split("\n")), 1):
        if match := _CONNECTED.fullmatch(line):
            name, *ends = match.groups()
            open_tests[name] = _connect(tests, number, name, ends)
        elif match := _REPORT.fullmatch(line):
            name, start, end, rate, prefix, unit = match.groups()
            last = last if name == _TOTAL else open_tests.get(name)
            if last is None:
                reason = f"no line above this report states the two hosts of connection [{name}]"
                raise ParseError(path, number, reason)
            base, bits = (1000, 1) if unit == "bits" else (1024, BITS_PER_BYTE)
            report = _report(path, number, (start, end, rate), bits * base ** _POWERS[prefix])
            last.reports.setdefault(name, []).append(report)
        elif (match := _UDP.fullmatch(line)) and (test := open_tests.get(match[1])):
            (test.answered if match[2] else test.sent).add(match[1])
        elif _DAMAGED.fullmatch(line):
            raise ParseError(path, number, f"not a whole report: {line!r}; correct or delete it")
    return tests


def _connect(tests: list[_Test], line_number: int, name: str, ends: list[str]) -> _Test:
    """Add a connection to the test that it is parallel to, or to one of its own."""
    local, remote = (ends[0].partition("%")[0], ends[1]), (ends[2].partition("%")[0], ends[3])
    for test in tests:
        if test.may_gain(name, local, remote):
            break
    else:
        test = _Test(line_number=line_number, local=local, remote=remote)
        tests.append(test)
    test.reports[name] = []
    return test


def _tests_of_csv(path: Path, text: str) -> list[_Test]:
    tests: dict[str, _Test] = {}
    lines = text.split("\n")
    rows = {number: _CSV.fullmatch(line) for number, line in enumerate(lines[:-1], 1)}
    has_total = any(row is not None and row[5] == _CSV_TOTAL for row in rows.values())
    for number, row in rows.items():
        if row is None and _STAMPED.match(lines[number - 1]):
            raise ParseError(path, number, f"not a whole report: {lines[number - 1]!r}")
        if row is not None:
            *ends, stream, start, end, rate = row.groups()
            name = _TOTAL if stream == _CSV_TOTAL else ",".join(ends)
            test = tests.setdefault(
                _TOTAL if has_total else name,
                _Test(line_number=number, local=(ends[0], ends[1]), remote=(ends[2], ends[3])),
            )
            report = _report(path, number, (start, end, rate), 1)
            test.reports.setdefault(name, []).append(report)
    return list(tests.values())


def _report(
    path: Path, line_number: int, numbers: tuple[str, str, str], bits_per_unit: int
) -> _Report:
    try:
        start_s, end_s, rate = map(parse_finite, numbers)
    except ValueError as exc:
        raise ParseError(path, line_number, f"not a report: {exc}") from exc
    return _Report(start_s=start_s, end_s=end_s, bits_per_s=rate * bits_per_unit)


def _result(path: Path, test: _Test) -> IperfResult:
    """Return the result of a test: the total of parallel connections where iperf prints it.

    The total is not used for a test of one connection, because it then includes the test in the
    opposite direction (``--dualtest``), nor for a UDP client, whose total counts the datagrams that
    it sent and not those that arrived.
    """
    if test.sent - test.answered:
        raise _unfinished(path, test, "the server's report of arrived datagrams is missing")
    connections = {name: of for name, of in test.reports.items() if name != _TOTAL}
    totals = test.reports.get(_TOTAL)
    finals = [_final(path, test, reports) for reports in connections.values()]
    bits_per_s = sum(final.bits_per_s for final in finals)
    intervals = next(iter(connections.values())) if len(connections) == 1 else []
    if totals and len(connections) > 1 and not test.answered:
        finals, intervals = [_final(path, test, totals)], totals
        if bits_per_s > _MOST * finals[0].bits_per_s:
            raise ParseError(path, None, "several tests with a total: keep each in its own file")
        bits_per_s = finals[0].bits_per_s
    return IperfResult(
        local_host=test.local[0],
        remote_host=test.remote[0],
        bandwidth_mbit_per_s=bits_per_s_to_mbit_per_s(bits_per_s),
        retransmits=math.nan,
        intervals=pd.DataFrame(
            [
                {
                    "start_s": interval.start_s,
                    "end_s": interval.end_s,
                    "bandwidth_mbit_per_s": bits_per_s_to_mbit_per_s(interval.bits_per_s),
                    "retransmits": math.nan,
                    "omitted": False,
                }
                for interval in intervals
                if interval.length_s < _WHOLE * finals[0].length_s
            ],
            columns=INTERVAL_COLUMNS,
        ),
    )


def _final(path: Path, test: _Test, reports: list[_Report]) -> _Report:
    """Return the report over the whole length of the test, which is the last report."""
    longest_s = max((report.end_s for report in reports), default=math.inf)
    if not reports or reports[-1].length_s < _WHOLE * longest_s:
        raise _unfinished(path, test, "no report over its whole length")
    return reports[-1]


def _unfinished(path: Path, test: _Test, reason: str) -> ParseError:
    return ParseError(
        path,
        test.line_number,
        f"{reason}: the test that begins here failed or was cut; measure again or delete its lines",
    )
