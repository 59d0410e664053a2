"""Read the files of memtier's ``--hdr-file-prefix`` (since 1.4.0).

``.hgrm`` is an HdrHistogram log of one interval (2.3.1)::

    #[Histogram log format version 1.2]
    #[StartTime: 1795224171.372 (seconds since epoch), Sat Nov 01:22:51 GMT 2026]
    "StartTimestamp","EndTimestamp","Interval_Max","Interval_Compressed_Histogram"
    1795224171.372,1795224175.381,24063.0,HISTFAAAAhF4nC1P...
"""

import re
from pathlib import Path

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import read_text
from analysis.results.histograms import decode_histogram, merge_histograms

_INTERVAL = re.compile(r"(?:Tag=[^,]*,)?[\d.]+,[\d.]+,[\d.]+,(\S+)")


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
