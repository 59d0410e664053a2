"""Read the output of ``iperf3 --json`` (3.x, TCP); `iperf2` reads that of iperf 2.

Five lines of it (3.12)::

    "sum_received": {
        "start":    0,
        "end":  3.001082,
        "bytes":    8081375232,
        "bits_per_second":  21542564267.154316,

iperf3 3.16 and 3.17 print the document twice. Lines before and after it, such as warnings, are
skipped.
"""

import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import find_json, read_text
from analysis.units import bits_per_s_to_mbit_per_s

_FAILURE = re.compile(r"^iperf3: (?:error - |interrupt - )?(.+)", re.MULTILINE)
INTERVAL_COLUMNS = ["start_s", "end_s", "bandwidth_mbit_per_s", "retransmits", "omitted"]


@dataclass(frozen=True, kw_only=True, eq=False)
class IperfResult:
    """One bandwidth test.

    Attributes
    ----------
    local_host, remote_host
        Addresses of the two ends.
    bandwidth_mbit_per_s
        Bandwidth of the data that arrived at the receiver.
    retransmits
        TCP segments sent again; NaN where the sender does not count them (BSD, macOS, UDP).
    intervals
        `start_s`, `end_s`, `bandwidth_mbit_per_s`, `retransmits` (NaN where the sender is
        remote), `omitted` (before the start of the count, ``--omit``).
    """

    local_host: str
    remote_host: str
    bandwidth_mbit_per_s: float
    retransmits: float
    intervals: pd.DataFrame


def read_iperf3(path: Path | str) -> IperfResult:
    """Read one test.

    Raises
    ------
    ParseError
        The file is not JSON of iperf3, is cut or contains several different documents, or the test
        failed: iperf3 then prints an ``error`` (and ends with exit status 0), which the message
        repeats.
    """
    path = Path(path)
    document = _only_document(path, read_text(path))
    try:
        return _parse(document)
    except (KeyError, IndexError, TypeError, ValueError) as exc:
        raise ParseError(path, None, f"a field is missing or wrong: {exc!r}") from exc


def _only_document(path: Path, text: str) -> dict[str, Any]:
    """Return the document of a file, which may hold copies of it and text around it."""
    different: list[dict[str, Any]] = []
    for document in find_json(path, text):
        if document not in different:
            different.append(document)
    if len(different) > 1:
        count = {2: "two"}.get(len(different), str(len(different)))
        raise ParseError(
            path,
            None,
            f"the file contains {count} different documents: put each test into a file of its own",
        )
    printed = _FAILURE.search(text)
    failures = [document["error"] for document in different if "error" in document]
    if printed is not None:
        failures.append(printed.group(1))
    if failures:
        raise ParseError(path, None, f"the test failed: {failures[0]}")
    if not different:
        first = text.strip().partition("\n")[0]
        raise ParseError(
            path,
            1,
            f"not a complete JSON document: no line begins with {{, the first is {first!r}; "
            "record with iperf3 --json, or read the text of iperf 2 with read_iperf2",
        )
    return different[0]


def _parse(document: dict[str, Any]) -> IperfResult:
    connection = document["start"]["connected"][0]
    end = document["end"]
    return IperfResult(
        local_host=connection["local_host"],
        remote_host=connection["remote_host"],
        bandwidth_mbit_per_s=_bandwidth_mbit_per_s(end["sum_received"]),
        retransmits=float(end["sum_sent"].get("retransmits", math.nan)),
        intervals=pd.DataFrame(
            [
                {
                    "start_s": float(total["start"]),
                    "end_s": float(total["end"]),
                    "bandwidth_mbit_per_s": _bandwidth_mbit_per_s(total),
                    "retransmits": float(total.get("retransmits", math.nan)),
                    "omitted": bool(total["omitted"]),
                }
                for total in (interval["sum"] for interval in document["intervals"])
            ],
            columns=INTERVAL_COLUMNS,
        ),
    )


def _bandwidth_mbit_per_s(total: dict[str, Any]) -> float:
    bits_per_s = float(total["bits_per_second"])
    if bits_per_s < 0:
        raise ValueError(f"bits_per_second must be >= 0, got {bits_per_s:g}")
    return bits_per_s_to_mbit_per_s(bits_per_s)
