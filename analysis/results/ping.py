"""Read the output of ``ping -D`` (iputils), or of the ping of BusyBox, GNU or BSD.

Five lines of the first::

    PING 198.18.0.31 (198.18.0.31) 56(84) bytes of data.
    [1795222476.680354] 64 bytes from 198.18.0.31: icmp_seq=1 ttl=64 time=0.286 ms
    --- 198.18.0.31 ping statistics ---
    3 packets transmitted, 3 received, 0% packet loss, time 621ms
    rtt min/avg/max/mdev = 0.046/0.129/0.286/0.110 ms

The others print no time of day, count from 0, and say ``3 packets received``.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import read_text

_HEADER = re.compile(r"PING (\S+?) ?\(([^\s()]+|\S+ \([^\s()]+\))\)(?: from .+)?:? \d+.* bytes.*")
_REPLY = re.compile(
    r"(?:\[(\d+\.\d+)\] )?\d+ bytes from .+?: (?:icmp_)?[rs]eq=(\d+) ttl=\d+ "
    r"time[=<](\d+(?:\.\d+)?) ms( \(DUP!\))?"
)
_SUMMARY = re.compile(
    r"(\d+) packets transmitted, (\d+) (?:packets )?received,.* [\d.]+% packet loss.*"
)
_OTHER = re.compile(
    r"(\[[\d.]+\] )?(no answer yet for icmp_seq=\d+|From .+ icmp_seq=\d+ .+)"
    r"|Request timeout for icmp_seq \d+"
    r"|--- .+ ---|(rtt|round-trip) min/avg/max.*|pipe \d+|"
)


@dataclass(frozen=True, kw_only=True, eq=False)
class PingResult:
    """Round-trip times to one host.

    Attributes
    ----------
    target
        Address that was pinged.
    replies
        One row per reply, duplicates left out: `epoch_s` (NaN without ``-D``), `sequence_number`,
        `round_trip_time_ms`.
    transmitted, received
        From the summary; None when ping was killed before it printed one.
    """

    target: str
    replies: pd.DataFrame
    transmitted: int | None
    received: int | None


def read_ping(path: Path | str) -> PingResult:
    """Read one recording; a last line without its line end, which a killed ping leaves, is dropped.

    Raises
    ------
    ParseError
        No header (ping could not start), a line that ping does not print, or a summary that
        contradicts the replies.
    """
    path = Path(path)
    lines = read_text(path).split("\n")[:-1]
    header = _HEADER.fullmatch(lines[0]) if lines else None
    if header is None:
        raise ParseError(path, 1, f"no PING line: {lines[0] if lines else 'the file is empty'!r}")
    rows, transmitted, received = [], None, None
    for number, line in enumerate(lines[1:], 2):
        if match := _REPLY.fullmatch(line):
            epoch_s, sequence_number, time_ms, duplicate = match.groups()
            if not duplicate:
                rows.append((float(epoch_s or "nan"), int(sequence_number), float(time_ms)))
        elif match := _SUMMARY.fullmatch(line):
            transmitted, received = int(match.group(1)), int(match.group(2))
        elif not _OTHER.fullmatch(line):
            raise ParseError(path, number, f"not a line of ping: {line!r}")
    if received is not None and rows and received != len(rows):
        raise ParseError(path, None, f"{len(rows)} replies, but the summary counts {received}")
    columns = ["epoch_s", "sequence_number", "round_trip_time_ms"]
    return PingResult(
        target=header.group(2),
        replies=pd.DataFrame(rows, columns=columns),
        transmitted=transmitted,
        received=received,
    )
