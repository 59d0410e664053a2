"""Read the files of memtier's ``--hdr-file-prefix`` (since 1.4.0).

``.hgrm`` is an HdrHistogram log of one interval (2.3.1)::

    #[Histogram log format version 1.2]
    #[StartTime: 1795224171.372 (seconds since epoch), Sat Nov 01:22:51 GMT 2026]
    "StartTimestamp","EndTimestamp","Interval_Max","Interval_Compressed_Histogram"
    1795224171.372,1795224175.381,24063.0,HISTFAAAAhF4nC1P...

``.txt`` is a table of percentiles::

           Value   Percentile   TotalCount 1/(1-Percentile)

            0.03     0.000000           29         1.00
            0.08     0.050000         1206         1.05
    #[Max     =       24.063, Total count    =        21384]
"""

import re
from pathlib import Path

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import parse_finite, read_text
from analysis.results.histograms import decode_histogram, merge_histograms

_INTERVAL = re.compile(r"(?:Tag=[^,]*,)?[\d.]+,[\d.]+,[\d.]+,(\S+)")
_TITLES = ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"]
_TOTAL = re.compile(r"#\[Max .*, Total count +=\s*(\d+)\]")


def read_memtier_hgrm(path: Path | str) -> pd.DataFrame:
    """Read a ``.hgrm`` file, plain or gzip, as a histogram frame (`analysis.results.histograms`).

    Raises
    ------
    ParseError
        The file is cut, damaged or not a histogram log.
    """
    path = Path(path)
    histograms = []
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if match := _INTERVAL.fullmatch(line):
            try:
                histograms.append(decode_histogram(match.group(1)))
            except ValueError as exc:
                raise ParseError(path, number, str(exc)) from exc
        elif not line.startswith(("#[", '"StartTimestamp"')):
            raise ParseError(path, number, f"not a line of a histogram log: {line[:60]!r}")
    if not histograms:
        raise ParseError(path, None, "no histogram: the file is cut")
    return merge_histograms(histograms)


def read_memtier_percentiles(path: Path | str) -> pd.DataFrame:
    """Read a ``.txt`` file, plain or gzip.

    Returns
    -------
    pandas.DataFrame
        `percentile` (0..100), `response_time_ms` (two decimals), `requests` (up to there).

    Raises
    ------
    ParseError
        The file is cut, damaged or not such a table.
    """
    path = Path(path)
    lines = read_text(path).splitlines()
    if not lines or lines[0].split() != _TITLES:
        raise ParseError(path, 1, f"titles {_TITLES} expected")
    rows = []
    has_empty_line = lines[1:2] == [""]
    for number, line in enumerate(lines[1 + has_empty_line :], 2 + has_empty_line):
        if line.startswith("#["):
            break
        try:
            value_text, share_text, count_text, _ = line.split()  # the last one is 1/0 = inf
            value, share, count = map(parse_finite, (value_text, share_text, count_text))
        except ValueError as exc:
            raise ParseError(path, number, f"four numbers expected, got {line[:60]!r}") from exc
        rows.append((100 * share, value, int(count)))
    totals = [int(match.group(1)) for line in lines if (match := _TOTAL.fullmatch(line))]
    if len(totals) != 1 or not rows or rows[-1][2] != totals[0]:
        raise ParseError(path, len(lines), "the table is cut: its last row must hold all requests")
    return pd.DataFrame(rows, columns=["percentile", "response_time_ms", "requests"])
