"""Read the output of ``iperf3 --json`` (3.x, TCP).

Five lines of it (3.12)::

    "sum_received": {
        "start":    0,
        "end":  3.001082,
        "bytes":    8081375232,
        "bits_per_second":  21542564267.154316,
"""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import parse_json, read_text
from analysis.units import bits_per_s_to_mbit_per_s


@dataclass(frozen=True, kw_only=True, eq=False)
class IperfResult:
    """One bandwidth test.

    Attributes
    ----------
    local_host, remote_host
        Addresses of the two ends.
    bandwidth_mbit_per_s
        What arrived at the receiver.
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
        Not iperf3's JSON, cut, or a test that failed: iperf3 then prints an ``error`` (and ends
        with exit status 0), which the message repeats.
    """
    path = Path(path)
    document = parse_json(path, read_text(path))
    if "error" in document:
        raise ParseError(path, None, f"the test failed: {document['error']}")
    try:
        return _parse(document)
    except (KeyError, IndexError, TypeError, ValueError) as exc:
        raise ParseError(path, None, f"a field is missing or wrong: {exc!r}") from exc


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
            columns=["start_s", "end_s", "bandwidth_mbit_per_s", "retransmits", "omitted"],
        ),
    )


def _bandwidth_mbit_per_s(total: dict[str, Any]) -> float:
    bits_per_s = float(total["bits_per_second"])
    if bits_per_s < 0:
        raise ValueError(f"bits_per_second must be >= 0, got {bits_per_s:g}")
    return bits_per_s_to_mbit_per_s(bits_per_s)
