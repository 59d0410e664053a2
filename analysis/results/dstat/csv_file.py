"""Split the CSV that dstat 0.7, dool and pcp-dstat write with ``--output``.

Five lines of dool 1.3.8::

    "Host:","vm",,,,"User:","root"
    "Cmdline:","dool --epoch --cpu --net --bytes --output d.csv 1 4",,,,"Date:","21 Nov 2026 UTC"
    "epoch","total cpu usage",,,,,"net/total",
    "epoch","usr","sys","idl","wai","stl","recv","send"
    1795228658.453,61.111,28.283,10.606,0,0,3600,3600

When a file was appended to, the last recording counts. All programs write bytes, except dool from
1.3.0 on: it writes disk and network in bits unless it is run with ``--bytes``.

A program that creates its file writes a banner above the recording: ``"dool 1.3.8 CSV output"``. A
program that appends to a file writes none, even if the file was empty. Such a recording is taken to
be of the program and version in the last banner above it, provided that the recording with that
banner was started under the same program name. Otherwise the unit of disk and network is unknown,
unless the command line asks for bytes.
"""

import re
from pathlib import Path

from analysis.results.dstat.recording import Recording
from analysis.results.errors import ParseError
from analysis.results.files import BYTE_ORDER_MARK, split_cells

_HOST = '"Host:"'
_IGNORED = re.compile(rf"\x1b\[[0-9;]*m|{BYTE_ORDER_MARK}")  # colours; marks of joined files
_BANNER = re.compile(
    r'"(?P<program>dool|dstat|pcp-dstat) (?:(?P<major>\d+)\.(?P<minor>\d+))?.*CSV output"',
    re.IGNORECASE,
)
_FIRST_IN_BITS = (1, 3)  # version of dool
_ARGUMENTS = re.compile(r" (?=-|\d)")  # between the path of the program, and options or numbers


def is_csv(text: str) -> bool:
    """Return True when the text holds the line that begins each recording in CSV."""
    return text.startswith(_HOST) or f"\n{_HOST}" in text


def split_csv(path: Path, text: str) -> Recording:
    """Split the last recording of a file."""
    lines = _IGNORED.sub("", text).split("\n")[:-1]
    start = max((at for at, line in enumerate(lines) if line.startswith(_HOST)), default=len(lines))
    command_line, date = _preamble(path, lines, start)
    header = start + 2
    while header < len(lines) and not lines[header].strip():  # dstat 0.7.2 leaves a line empty
        header += 1
    if header + 1 >= len(lines):
        raise ParseError(path, len(lines), "file ends before the column titles")
    titles, subtitles = (split_cells(path, at + 1, lines[at]) for at in (header, header + 1))
    return Recording(
        titles=titles,
        subtitles=subtitles,
        rows=_split_rows(path, lines, header + 2, len(subtitles)),
        date=date,
        in_bits=_counts_bits(path, lines, start, command_line),
        has_units=False,
    )


def _preamble(path: Path, lines: list[str], start: int) -> tuple[str, str]:
    """Return command line and date of the recording whose Host line is `lines[start]`."""
    cells = split_cells(path, start + 2, lines[start + 1]) if start + 1 < len(lines) else []
    if len(cells) < 2 or cells[0] != "Cmdline:":
        raise ParseError(path, start + 2, "no Cmdline line after the Host line")
    return cells[1], cells[-1]


def _counts_bits(path: Path, lines: list[str], start: int, command_line: str) -> bool | None:
    """Return True for bits, False for bytes, and None where the file does not state the unit.

    Parameters
    ----------
    start
        Index of the Host line of the recording.
    """
    if not _may_count_bits(command_line):
        return False
    banner = _last_banner(path, lines, start, command_line)
    if banner is None:
        return None
    if banner["program"].lower() != "dool":
        return False
    if banner["major"] is None:
        return None
    return (int(banner["major"]), int(banner["minor"])) >= _FIRST_IN_BITS


def _last_banner(
    path: Path, lines: list[str], start: int, command_line: str
) -> re.Match[str] | None:
    """Return the last banner above a recording; None if another program wrote that banner."""
    owner = start  # Host line of the recording to which the banner belongs
    for at in range(start - 1, -1, -1):
        if banner := _BANNER.match(lines[at]):
            is_same = owner == start or (
                _program(_preamble(path, lines, owner)[0]) == _program(command_line)
            )
            return banner if is_same else None
        if lines[at].startswith(_HOST):
            owner = at
    return None


def _program(command_line: str) -> str:
    """Return the file name of the program that a command line starts."""
    return _ARGUMENTS.split(command_line, maxsplit=1)[0].rpartition("/")[2]


def _may_count_bits(command_line: str) -> bool:
    """Return False when the last option on the unit asks for bytes; dool accepts ``--byte``."""
    options = ("--bits", "--bytes", "--dstat")
    chosen = [
        option
        for word in command_line.split()
        for option in options
        if len(word) > len("--b") and option.startswith(word)
    ]
    return not chosen or chosen[-1] == "--bits"


def _split_rows(path: Path, lines: list[str], start: int, num_titles: int) -> dict[int, list[str]]:
    """Split all rows but the first, which is only checked not to have swallowed the second."""
    rows = {number: line for number, line in enumerate(lines[start:], start + 1) if line.strip()}
    first = min(rows, default=None)
    split = {
        number: line.split(",") if number == first else split_cells(path, number, line)
        for number, line in rows.items()
    }
    for number, cells in split.items():
        if any(cells[num_titles:]):  # cells that are empty: dstat on a narrow terminal
            raise ParseError(
                path,
                number,
                f"{num_titles} cells expected, got {len(cells)}: {rows[number]!r}; "
                "delete this line if the tool was interrupted while writing it",
            )
    return {number: cells for number, cells in split.items() if number != first}
