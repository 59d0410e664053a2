"""Read the CSV that dstat 0.7, dool and pcp-dstat write with ``--output``.

Five lines of dool 1.3.8::

    "Host:","vm",,,,"User:","root"
    "Cmdline:","dool --epoch --cpu --net --bytes --output d.csv 1 4",,,,"Date:","21 Nov 2026 UTC"
    "epoch","total cpu usage",,,,,"net/total",
    "epoch","usr","sys","idl","wai","stl","recv","send"
    1795228658.453,61.111,28.283,10.606,0,0,3600,3600

Columns are bound by name: the tools differ in order, number and spelling. The first row is the
average since boot, not an interval, and is dropped; so is a last row without its line end, which
a killed tool leaves behind. When a file was appended to, the last recording counts.
"""

import re
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from analysis.results.errors import ParseError
from analysis.results.files import parse_finite, read_text, split_cells
from analysis.units import bits_to_bytes

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_GROUPS = (  # title as printed, with the instance as group 1; our prefix; unit
    (re.compile(r"(total|cpu\d+)(?: cpu)? usage"), "cpu", "_percent"),
    (re.compile(r"dsk/(\S+)"), "disk", "_bytes_per_s"),
    (re.compile(r"net/(\S+)"), "net", "_bytes_per_s"),
    (re.compile(r"(paging)"), "paging", "_bytes_per_s"),
    (re.compile(r"(system)"), "system", "_per_s"),
    (re.compile(r"(memory) usage"), "memory", "_bytes"),
    (re.compile(r"(load) avg"), "load", ""),
)
_WORDS = {  # subtitles as printed, where the whole word says more
    "usr": "user",
    "sys": "system",
    "idl": "idle",
    "wai": "wait",
    "stl": "steal",
    "hiq": "hardirq",
    "siq": "softirq",
    "writ": "write",
    "recv": "receive",
    "int": "interrupts",
    "csw": "context_switches",
    "buff": "buffers",
    "cach": "cache",
    "avai": "available",
}
_SINGLE = ("total", "paging", "system", "memory", "load")
_TIME_FORMATS = ("%d-%m %H:%M:%S %Y", "%b-%d %H:%M:%S %Y")  # dstat, dool; the year is appended
_YEAR = re.compile(r"\b(\d{4})\b")


def read_dstat(path: Path | str) -> pd.DataFrame:
    """Read one recording, everything in bytes whatever the tool counted in.

    Returns
    -------
    pandas.DataFrame
        One row per interval. `epoch_s` (float) when recorded with ``--epoch`` or in UTC;
        otherwise `local_time` (no zone), or neither. Then, as far as recorded,
        `cpu_user_percent`, `cpu_system_percent`, `cpu_idle_percent`, `cpu_wait_percent`,
        `cpu_steal_percent`, ...; `disk_read_bytes_per_s`, `disk_write_bytes_per_s`;
        `net_receive_bytes_per_s`, `net_send_bytes_per_s`; `paging_in_bytes_per_s`, ...;
        `system_interrupts_per_s`, `system_context_switches_per_s`; `memory_used_bytes`, ...;
        `load_1m`, ... A single device stands in the name: `net_eth0_receive_bytes_per_s`.
        Other plugins are left out.

    Raises
    ------
    ParseError
        No header, a row of the wrong length, or a cell that is not a number.
    """
    path = Path(path)
    lines = _COLOUR.sub("", read_text(path)).split("\n")[:-1]
    start = _recording_start(path, lines)
    command_line, date = _preamble(path, lines, start)
    header = start + 2
    while header < len(lines) and not lines[header].strip():  # dstat 0.7.2 leaves a line empty
        header += 1
    if header + 1 >= len(lines):
        raise ParseError(path, len(lines), "file ends before the column titles")
    titles, subtitles = (split_cells(path, at + 1, lines[at]) for at in (header, header + 1))
    frame = _read_rows(path, lines, header + 2, _columns(titles, subtitles), len(subtitles))
    if lines[0].startswith('"dool') and _counts_bits(command_line):
        for name in frame.filter(regex=r"^(disk|net)_").columns:
            frame[name] = bits_to_bytes(frame[name])
    return _with_time(path, frame, date).iloc[1:].reset_index(drop=True)


def _recording_start(path: Path, lines: list[str]) -> int:
    """Index of the last "Host:" line: a recording appended to a file begins with a new one."""
    starts = [index for index, line in enumerate(lines) if line.startswith('"Host:"')]
    if not starts:
        raise ParseError(path, 1, "no Host line: not a dstat, dool or pcp-dstat recording")
    return starts[-1]


def _preamble(path: Path, lines: list[str], start: int) -> tuple[str, str]:
    """Command line and date of the recording."""
    cells = split_cells(path, start + 2, lines[start + 1]) if start + 1 < len(lines) else []
    if len(cells) < 2 or cells[0] != "Cmdline:":
        raise ParseError(path, start + 2, "no Cmdline line after the Host line")
    return cells[1], cells[-1]


def _counts_bits(command_line: str) -> bool:
    """Whether dool counted disk and network in bits, as it does unless told otherwise."""
    chosen = [word for word in command_line.split() if word in ("--bits", "--bytes", "--dstat")]
    return not chosen or chosen[-1] == "--bits"


def _columns(titles: list[str], subtitles: list[str]) -> dict[int, str]:
    """Position to column name, of the columns that we know."""
    columns: dict[int, str] = {}
    title = ""
    for position, subtitle in enumerate(subtitles):
        title = (titles[position : position + 1] or [""])[0] or title
        name = _column_name(title, subtitle.rpartition(":")[2])
        if name and name not in columns.values():
            columns[position] = name
    return columns


def _column_name(title: str, subtitle: str) -> str | None:
    if subtitle in ("epoch", "time"):
        return subtitle
    for pattern, prefix, unit in _GROUPS:
        if subtitle and (match := pattern.fullmatch(title)):
            instance = match.group(1)
            place = prefix if instance in _SINGLE else f"{prefix}_{instance.removeprefix(prefix)}"
            return f"{place}_{_WORDS.get(subtitle, subtitle)}{unit}"
    return None


def _read_rows(
    path: Path, lines: list[str], start: int, columns: dict[int, str], num_titles: int
) -> pd.DataFrame:
    width = max(columns, default=-1) + 1
    rows = []
    for number, line in enumerate(lines[start:], start + 1):
        if not line.strip():
            continue
        cells = split_cells(path, number, line)
        if len(cells) < width or any(cells[num_titles:]):  # empty ones: dstat on a narrow terminal
            raise ParseError(
                path, number, f"{num_titles} cells expected, got {len(cells)}: {line!r}"
            )
        rows.append([_cell(path, number, name, cells[pos]) for pos, name in columns.items()])
    return pd.DataFrame(rows, columns=list(columns.values()))


def _cell(path: Path, line_number: int, name: str, text: str) -> float | str:
    if name == "time":
        return text
    try:
        return parse_finite(text)
    except ValueError as exc:
        raise ParseError(path, line_number, f"{name} must be a number, got {text!r}") from exc


def _with_time(path: Path, frame: pd.DataFrame, date: str) -> pd.DataFrame:
    """Put the time first: `epoch_s`, or `local_time` where the zone is not UTC."""
    frame = frame.rename(columns={"epoch": "epoch_s"})
    if "time" in frame:
        times = _local_times(path, frame.pop("time"), date)
        if "epoch_s" not in frame:
            in_utc = date.endswith((" UTC", " GMT"))
            values = times.map(lambda time: time.replace(tzinfo=UTC).timestamp())
            frame.insert(0, "epoch_s" if in_utc else "local_time", values if in_utc else times)
    if "epoch_s" in frame:
        frame.insert(0, "epoch_s", frame.pop("epoch_s"))
    return frame


def _local_times(path: Path, texts: pd.Series, date: str) -> pd.Series:
    """Add the year of the recording's start, and the next one after December."""
    match = _YEAR.search(date)
    if match is None:
        raise ParseError(path, None, f"no year in the date of the recording: {date!r}")
    year = int(match.group(1))
    times: list[datetime] = []
    for text in texts:
        time = _parse_time(path, text, year)
        if times and time < times[-1] and time.month == 1:
            year += 1
            time = _parse_time(path, text, year)
        times.append(time)
    return pd.Series(times, dtype="datetime64[us]")


def _parse_time(path: Path, text: str, year: int) -> datetime:
    for time_format in _TIME_FORMATS:
        try:
            return datetime.strptime(f"{text} {year}", time_format)
        except ValueError:
            continue
    raise ParseError(path, None, f"time must be like 21-11 00:55:45, got {text!r}")
