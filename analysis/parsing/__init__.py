"""Readers of the tools' files: path to tidy frames, or a `ParseError` that names path and line."""

from analysis.parsing.dstat import read_dstat
from analysis.parsing.errors import ParseError
from analysis.parsing.iperf import IperfResult, read_iperf3
from analysis.parsing.memtier import MemtierResult, MemtierRun, read_memtier_json
from analysis.parsing.memtier_hdr import read_memtier_hgrm, read_memtier_percentiles
from analysis.parsing.memtier_text import MemtierReport, read_memtier_text
from analysis.parsing.middleware import MiddlewareResult, read_middleware
from analysis.parsing.ping import PingResult, read_ping

__all__ = [
    "IperfResult",
    "MemtierReport",
    "MemtierResult",
    "MemtierRun",
    "MiddlewareResult",
    "ParseError",
    "PingResult",
    "read_dstat",
    "read_iperf3",
    "read_memtier_hgrm",
    "read_memtier_json",
    "read_memtier_percentiles",
    "read_memtier_text",
    "read_middleware",
    "read_ping",
]
