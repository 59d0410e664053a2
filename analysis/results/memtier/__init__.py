"""Readers of what memtier_benchmark and the lab's own generator write."""

from analysis.results.memtier.document import MemtierResult, read_memtier_json
from analysis.results.memtier.hdr import read_memtier_hgrm
from analysis.results.memtier.printout import MemtierReport, read_memtier_text
from analysis.results.memtier.result_section import MemtierRun

__all__ = [
    "MemtierReport",
    "MemtierResult",
    "MemtierRun",
    "read_memtier_hgrm",
    "read_memtier_json",
    "read_memtier_text",
]
