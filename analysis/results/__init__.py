"""Readers of the tools' files: path to tidy frames, or a `ParseError` that names path and line."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from analysis.results.errors import ParseError

if TYPE_CHECKING:
    from analysis.results.dstat import read_dstat
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

_READERS = {
    "dstat": ("read_dstat",),
    "iperf": (
        "IperfResult",
        "read_iperf3",
    ),
    "iperf2": ("read_iperf2",),
    "memtier": (
        "MemtierReport",
        "MemtierResult",
        "MemtierRun",
        "read_memtier_hgrm",
        "read_memtier_json",
        "read_memtier_text",
    ),
    "middleware": (
        "MiddlewareResult",
        "read_middleware",
    ),
    "packets": (
        "PacketsResult",
        "read_packets",
    ),
    "ping": (
        "PingResult",
        "read_ping",
    ),
}
"""Modules of the readers, which are slow to import, with the names that they hold."""


def __getattr__(name: str) -> Any:
    """Import a reader when it is first named: most who import this package want the error alone."""
    for module, names in _READERS.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
