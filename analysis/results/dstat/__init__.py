"""Reader of what dstat 0.7, dool and pcp-dstat record, as CSV or as printed on a terminal."""

from analysis.results.dstat.reader import read_dstat

__all__ = ["read_dstat"]
