"""Read what dstat 0.7, dool and pcp-dstat record: CSV (``--output``) or what they print.

Columns are bound by name: the tools differ in order, number and spelling. The first row is the
average since boot, not an interval, and is dropped without being parsed. So is a last row that was
cut when the tool was interrupted: a row without its line end, or with fewer cells than titles.
"""

import re
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from analysis.results.dstat.csv_file import is_csv, split_csv
from analysis.results.dstat.recording import Recording
from analysis.results.dstat.terminal import split_terminal
from analysis.results.errors import ParseError
from analysis.results.files import parse_finite, read_text
from analysis.units import bits_to_bytes

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
_TIMES = ("epoch", "time")
_EXPONENTS = {"b": 0, "B": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_TIME_FORMATS = ("%d-%m %H:%M:%S %Y", "%b-%d %H:%M:%S %Y")  # dstat, dool; the year is appended
_REMEDY = "correct or delete this line, or leave the column out with `columns`"
_UNKNOWN_UNIT = (
    "disk and network may be in bits or bytes: the file does not state which program and version "
    "wrote its last recording; insert a line that states both above that recording, such as "
    '"Dstat 0.7.4 CSV output" or "dool 1.3.8 CSV output", or leave the columns of disk and network '
    "out with `columns`"
)
_YEAR = re.compile(r"\b(\d{4})\b")


def read_dstat(
    path: Path | str, *, columns: Collection[str] | None = None, year: int | None = None
) -> pd.DataFrame:
    """Read one recording, everything in bytes whatever the tool counted in.

    One row per interval. `epoch_s` (float) when recorded with ``--epoch`` or in UTC; otherwise
    `local_time` (no zone), or `time` (text as printed) where the year is not known, or none of
    them. Then, as far as recorded, `cpu_user_percent`, `cpu_system_percent`, `cpu_idle_percent`,
    `cpu_wait_percent`, `cpu_steal_percent`, ...; `disk_read_bytes_per_s`, `disk_write_bytes_per_s`;
    `net_receive_bytes_per_s`, `net_send_bytes_per_s`; `paging_in_bytes_per_s`, ...;
    `system_interrupts_per_s`, `system_context_switches_per_s`; `memory_used_bytes`, ...; `load_1m`,
    ... A single device stands in the name: `net_eth0_receive_bytes_per_s`. Other plugins are left
    out. Numbers of a terminal are rounded: ``1.5M``.

    Parameters
    ----------
    columns
        Columns to return besides the time, of those below. Cells of other columns may be empty or
        damaged. Default: all that were recorded.
    year
        Year of the first row, for times of a recording on a terminal, which prints none.

    Raises
    ------
    ParseError
        There are no titles, a row has too many cells, a cell of a returned column is missing, may
        be cut or is not a number, or a column of disk or network is returned and the file does not
        state whether it is in bits or bytes.
    """
    path = Path(path)
    text = read_text(path)
    recording = split_csv(path, text) if is_csv(text) else split_terminal(path, text)
    known = _columns(recording.titles, recording.subtitles)
    if columns is not None:
        if unknown := set(columns) - set(known.values()):
            raise ParseError(path, None, f"no column {', '.join(sorted(unknown))} was recorded")
        known = {at: name for at, name in known.items() if name in {*columns, *_TIMES}}
    if recording.in_bits is None and any(map(_is_in_bits_or_bytes, known.values())):
        raise ParseError(path, None, _UNKNOWN_UNIT)
    numbers = _complete_rows(recording)
    rows = [_parse_row(path, number, known, recording) for number in numbers]
    frame = pd.DataFrame(rows, columns=list(known.values()), index=numbers)
    return _with_time(path, frame, recording.date, year).reset_index(drop=True)


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


def _complete_rows(recording: Recording) -> list[int]:
    """Return the line numbers of all rows but a last one that was cut."""
    numbers = list(recording.rows)
    is_cut = bool(numbers) and len(recording.rows[numbers[-1]]) < recording.num_cells
    return numbers[:-1] if is_cut else numbers


def _parse_row(
    path: Path, line_number: int, columns: dict[int, str], recording: Recording
) -> list[float | str]:
    """Parse the cells of `columns`, and no others."""
    cells = recording.rows[line_number]
    if end := _lost(len(cells), columns, recording):
        raise ParseError(
            path,
            line_number,
            f"{recording.num_cells} cells expected, got {len(cells)}: the row ends {end}; "
            f"{_REMEDY}",
        )
    values: list[float | str] = []
    for at, name in columns.items():
        try:
            values.append(cells[at] if name == "time" else _number(cells[at], name, recording))
        except ValueError as exc:
            raise ParseError(
                path, line_number, f"{name} must be a number, got {cells[at]!r}; {_REMEDY}"
            ) from exc
    return values


def _lost(num_cells: int, columns: dict[int, str], recording: Recording) -> str:
    """Return where a row with `num_cells` cells ends, if that is before the end of `columns`."""
    if num_cells >= recording.num_cells:
        return ""
    before = [name for at, name in columns.items() if at >= num_cells]
    if before:
        return f"before {before[0]}"
    last = columns.get(num_cells - 1)
    return f"in {last}, which may be cut" if last else ""


def _is_in_bits_or_bytes(name: str) -> bool:
    """Return True for a column that dool counts in bits, and other programs in bytes."""
    return name.startswith(("disk_", "net_"))


def _number(text: str, name: str, recording: Recording) -> float:
    """Parse a cell; numbers of a terminal may end in a unit: 12k, 1.5M, 84B."""
    in_bits = recording.in_bits and _is_in_bits_or_bytes(name)
    factor = 1
    if recording.has_units and text[-1:] in _EXPONENTS:
        base = 1024 if "_bytes" in name and not in_bits else 1000
        text, factor = text[:-1], base ** _EXPONENTS[text[-1]]
    number = parse_finite(text) * factor
    return bits_to_bytes(number) if in_bits else number


def _with_time(path: Path, frame: pd.DataFrame, date: str, year: int | None) -> pd.DataFrame:
    """Put the time first: `epoch_s`, or `local_time` where the zone is not UTC."""
    frame = frame.rename(columns={"epoch": "epoch_s"})
    if "epoch_s" in frame:
        frame = frame.drop(columns="time", errors="ignore")
        frame.insert(0, "epoch_s", frame.pop("epoch_s"))
    elif "time" in frame:
        texts = frame.pop("time")
        if year is None and not date:
            frame.insert(0, "time", texts)
        else:
            times = _local_times(path, texts, date, year)
            in_utc = date.endswith((" UTC", " GMT"))
            values = times.map(lambda time: time.replace(tzinfo=UTC).timestamp())
            frame.insert(0, "epoch_s" if in_utc else "local_time", values if in_utc else times)
    return frame


def _local_times(path: Path, texts: pd.Series, date: str, year: int | None) -> pd.Series:
    """Add the year of the recording's start, and the next one after December."""
    if year is None:
        match = _YEAR.search(date)
        if match is None:
            raise ParseError(path, None, f"no year in the date of the recording: {date!r}")
        year = int(match.group(1))
    previous = datetime(year, 12 if " Dec " in date else 1, 1)
    times: list[datetime] = []
    for line_number, text in texts.items():
        time = _parse_time(path, int(str(line_number)), text, year)
        if time < previous and time.month == 1:
            year += 1
            time = time.replace(year=year)
        times.append(time)
        previous = time
    return pd.Series(times, index=texts.index, dtype="datetime64[us]")


def _parse_time(path: Path, line_number: int, text: str, year: int) -> datetime:
    for time_format in _TIME_FORMATS:
        try:
            return datetime.strptime(f"{text} {year}", time_format)
        except ValueError:
            continue
    raise ParseError(
        path,
        line_number,
        f"time must be like 21-11 00:55:45, got {text!r}; correct or delete this line",
    )
