"""Split what dstat 0.7, dool and pcp-dstat print when they write no CSV.

Four lines of dstat 0.7.4, one of dool 1.3.8::

    ----system---- --total-cpu-usage-- -dsk/total- -net/total- ---net/lo-- ---system--
         time     |usr sys idl wai stl| read  writ| recv  send: recv  send| int   csw
    28-11 23:46:09| 68  10  20   0   1|1113k 1635k|   0     0 :   0     0 |1469  3333
    28-11 23:46:10| 94   6   0   0   1| 392k 4096B|   0     0 : 120B 1.5M | 575   499

    ┄┄total┄cpu┄usage┄┄┬┄dsk/total┄┬┄net/total┄┬┄┄┄load┄avg┄┄┄┬┄┄┄┄┄system┄┄┄┄

The titles are repeated every screenful. Colours are ignored, and so are rows that the terminal
overwrote. When a file holds several recordings, the last one counts. Ctrl-C leaves ``^C`` behind
the last row; a row with that mark is complete only if it is as wide as the others.
"""

import re
from itertools import islice
from pathlib import Path

from analysis.results.dstat.recording import Recording
from analysis.results.errors import ParseError

_OVERWRITTEN = re.compile(r"^.*(?:\r|\x1b\[(?:2K|0?G|u))(?=[^\r\n])", re.MULTILINE)
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07\n]*\x07|\r")
_INTERRUPT = "^C"
_DOOLS_LINES = str.maketrans("\u2502\u250a", "|:")
_DASHES = re.compile("[-\u2504]+")  # the latter is of dool
_SEPARATORS = re.compile("[|\u252c\u253c]")  # between titles of dool; others leave a blank
_SUBTITLE_LINE = re.compile(r"[\w\s|:#%]+>?\s*")
_SUBTITLES = {"usr", "read", "recv", "used", "in", "int", "1m", "epoch", "time"}
_INSTANCES = re.compile(r"\S+/\S+|(?:total|cpu\d+)(?: cpu)? usage")
_PROMPT = re.compile(r"[@$#]")
_MISSED = re.compile(r" missed \d+ ticks.*")
_NARROW = "Terminal width too small"  # printed between rows


def split_terminal(path: Path, text: str) -> Recording:
    """Split the last recording of a file."""
    text = _CONTROL.sub("", _OVERWRITTEN.sub("", text)).translate(_DOOLS_LINES)
    printed = text.split("\n")[:-1]
    interrupted = {at for at, line in enumerate(printed, 1) if line.rstrip().endswith(_INTERRUPT)}
    lines = [line.replace(_INTERRUPT, "") for line in printed]
    titles = subtitles = ""
    rows: dict[int, str] = {}
    has_ended = False
    for number, (line, following) in enumerate(zip(lines, [*lines[1:], ""], strict=False), 1):
        if _is_header(line, following):
            is_same = _plain(line) == _plain(titles) and following == subtitles
            if has_ended or not is_same:
                titles, subtitles, rows, has_ended = line, following, {}, False
        elif not line.strip() or line == subtitles or line.startswith(_NARROW):
            continue
        elif subtitles and _is_row(line, subtitles):
            rows[number] = line
        else:
            has_ended = True  # a prompt or a message: titles below begin another recording
    if not subtitles:
        raise ParseError(
            path,
            1,
            "no Host line, as in CSV, and no column titles, as on a terminal: "
            "not a recording of dstat, dool or pcp-dstat",
        )
    width = max(map(len, map(_row_text, [subtitles, *rows.values()])))
    cut = {number for number in interrupted & rows.keys() if len(rows[number]) < width}
    return _recording(path, titles, subtitles, dict(islice(rows.items(), 1, None)), cut)


def _is_header(line: str, following: str) -> bool:
    """Return True for the upper of the two lines of titles."""
    names = set(following.rstrip(" >").replace("|", " ").replace(":", " ").split())
    return (
        _DASHES.search(line) is not None
        and not line.strip()[0].isdigit()
        and _SUBTITLE_LINE.fullmatch(following) is not None
        and not names.isdisjoint(_SUBTITLES)
    )


def _is_row(line: str, subtitles: str) -> bool:
    """Return True for a line that is divided as its titles are, and not by a shell's pipe."""
    if "|" in subtitles:
        return "|" in line and not _PROMPT.search(line)
    return line.strip()[:1].isdigit()


def _recording(
    path: Path, titles: str, subtitles: str, rows: dict[int, str], cut: set[int]
) -> Recording:
    """Split titles and rows into cells; the last cell of the rows in `cut` is left out."""
    groups = [group.replace(":", " ").split() for group in subtitles.rstrip(" >").split("|")]
    names: list[str] = []
    for group, labels in zip(groups, _labels(titles.rstrip(" >"), subtitles), strict=True):
        each = len(group) // len(labels)
        names += [name for label in labels for name in [label, *[""] * (each - 1)]]
        names += [""] * (len(group) % len(labels))
    subtitle_of = [subtitle for group in groups for subtitle in group]
    split = {number: _split_row(path, number, line, groups) for number, line in rows.items()}
    for number in cut:
        if len(split.get(number, ())) == len(subtitle_of):
            split[number].pop()
    return Recording(
        titles=names,
        subtitles=subtitle_of,
        rows=split,
        date="",
        in_bits=_counts_bits(titles, names, split),
        has_units=True,
    )


def _labels(titles: str, subtitles: str) -> list[list[str]]:
    """Return the title of each group; several where the group is of several devices or CPUs."""
    groups = subtitles.split("|")
    texts = _SEPARATORS.split(titles)
    if len(texts) == 1 and len(groups) > 1:
        texts = titles.split()
        if len(texts) > len(groups):  # without colours, devices are apart as groups are
            words = iter(texts)
            texts = [" ".join(islice(words, group.count(":") + 1)) for group in groups]
    texts = [_plain(text) for text in texts] + [""] * (len(groups) - len(texts))
    return [_INSTANCES.findall(text) or [text] for text in texts[: len(groups)]]


def _plain(title: str) -> str:
    return _DASHES.sub(" ", _SEPARATORS.sub("|", title)).strip()


def _split_row(path: Path, number: int, line: str, groups: list[list[str]]) -> list[str]:
    """Split a row into its cells.

    A row that ends within a group has one cell for that group, with all of the group's text. Where
    another group lacks cells or has spare ones, a text that is no number is in each of its cells.
    """
    texts = _row_text(line).split("|")
    if len(texts) > len(groups):
        raise ParseError(
            path,
            number,
            f"{len(groups)} groups of cells expected, got {len(texts)}: {line!r}; "
            "delete this line if the tool was interrupted while printing it",
        )
    cells: list[str] = []
    for at, (text, group) in enumerate(zip(texts, groups, strict=False), 1):
        words = [text.strip()] if group == ["time"] else text.replace(":", " ").split()
        if len(words) == len(group):
            cells += words
        elif at == len(texts) and len(words) < len(group):
            cells += [text.strip()] if words else []
        else:
            cells += [f"{text.strip()} in place of {len(group)} cells"] * len(group)
    return cells


def _row_text(line: str) -> str:
    """Return a line without blanks at its end, and without what follows the last cell."""
    return _MISSED.sub("", line).rstrip(" >")


def _counts_bits(titles: str, names: list[str], rows: dict[int, list[str]]) -> bool:
    """Return True when disk and network are printed in bits.

    Small numbers end in ``b`` then, and in ``B`` otherwise. Where there are none, dool counts in
    bits unless it prints ``K``, which only bytes have; dstat and pcp-dstat count in bytes.
    """
    title, counted = "", []
    for position, name in enumerate(names):
        title = name or title
        if title.startswith(("dsk/", "net/")):
            counted.append(position)
    units = {cells[at][-1:] for cells in rows.values() for at in counted if at < len(cells)}
    is_dool = not titles.isascii() or _SEPARATORS.search(titles) is not None
    return "b" in units or (is_dool and units.isdisjoint("BK"))
