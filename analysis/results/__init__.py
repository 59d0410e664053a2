"""Readers of the tools' files: path to tidy frames, or a `ParseError` that names path and line."""

from analysis.results.dstat import read_dstat
from analysis.results.errors import ParseError
from analysis.results.iperf import IperfResult, read_iperf3
from analysis.results.iperf2 import read_iperf2
from analysis.results.memtier import (
    MemtierReport,
    MemtierResult,
    MemtierRun,
    read_memtier_hgrm,
    read_memtier_json,
    read_memtier_text,
)
from analysis.results.middleware import MiddlewareResult, read_middleware
from analysis.results.packets import PacketsResult, read_packets
from analysis.results.ping import PingResult, read_ping

__all__ = [
    "IperfResult",
    "MemtierReport",
    "MemtierResult",
    "MemtierRun",
    "MiddlewareResult",
    "PacketsResult",
    "ParseError",
    "PingResult",
    "read_dstat",
    "read_iperf2",
    "read_iperf3",
    "read_memtier_hgrm",
    "read_memtier_json",
    "read_memtier_text",
    "read_middleware",
    "read_packets",
    "read_ping",
]
