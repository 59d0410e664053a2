"""Tables that stay within the page: font size and column widths from the lengths of the cells.

Typst shares out the page among columns by how wide their whole text is, which lets long numbers
run into the next column. Here no column gets less than its longest word needs, as in HTML, and
rows stay on one line where a smaller font makes that possible.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

WIDTH_PT = 453.5
SIZES_PT = (8.5, 8.0, 7.5, 7.0, 6.5)
BROKEN_SIZES_PT = (7.5, 7.0, 6.5)  # where lines are broken whatever the size
# Of the font size: the widths of characters in bold headings, and of digits, capitals and others in
# the cells below, whose longest words get some room to spare; the space on both sides of a cell.
CHARACTER_EM, CAPITAL_EM, WIDEST_EM = 0.53, 0.7, 0.95
BODY_CHARACTER_EM, BODY_DIGIT_EM, BODY_CAPITAL_EM = 0.42, 0.47, 0.62
WIDEST = "MW%"
INSET_EM = 1.0
_BREAKS = re.compile("[ \n\u200b]+")  # where lines may end: never at a no-break space


@dataclass(frozen=True)
class Layout:
    """How a table is set: font size, and each column's share of the width.

    `shares` is empty where the columns need not be told their width.
    """

    size_pt: float
    shares: tuple[float, ...]


def fit(rows: Sequence[Sequence[str]]) -> Layout | None:
    """Lay out a table.

    Parameters
    ----------
    rows : sequence of sequence of str
        The text of every cell, headings first, shape (rows, columns).

    Returns
    -------
    Layout or None
        The largest font size at which rows stay on one line, headings broken where need be; else
        the largest whose words fit. None when not even the smallest fits.
    """
    words, bodies, texts = [], [], []
    for heading, *cells in zip(*rows, strict=True):
        longest = max(map(_heading_em, _BREAKS.split(heading)))
        inner = max(
            [_heading_em(word) for cell in cells for word in _BREAKS.split(cell)], default=0
        )
        words.append(max(longest, inner))
        bodies.append(max([words[-1], *map(_body_em, cells)]))
        texts.append(max(_heading_em(heading), bodies[-1]))
    for lengths, sizes_pt in ((bodies, SIZES_PT), (words, BROKEN_SIZES_PT)):
        for size_pt in sizes_pt:
            least = _widths(lengths, size_pt)
            if sum(_widths(texts, size_pt)) <= WIDTH_PT:
                return Layout(size_pt, ())
            if sum(least) <= WIDTH_PT:
                return Layout(size_pt, _shares(least, _widths(bodies, size_pt)))
    return None


def _heading_em(text: str) -> float:
    return sum(
        WIDEST_EM if char in WIDEST else CAPITAL_EM if char.isupper() else CHARACTER_EM
        for char in text
    )


def _body_em(text: str) -> float:
    return sum(
        BODY_DIGIT_EM
        if char.isdigit()
        else BODY_CAPITAL_EM
        if char.isupper() or char in WIDEST
        else BODY_CHARACTER_EM
        for char in text
    )


def _widths(lengths_em: Sequence[float], size_pt: float) -> list[float]:
    return [size_pt * (INSET_EM + length) for length in lengths_em]


def _shares(least: list[float], whole: list[float]) -> tuple[float, ...]:
    """Give each column what it wants up to a common width, which the widest are held to."""
    low, high = 0.0, WIDTH_PT
    for _ in range(50):
        level = (low + high) / 2
        widths = _held_to(level, least, whole)
        low, high = (level, high) if sum(widths) <= WIDTH_PT else (low, level)
    widths = _held_to(low, least, whole)
    spare = (WIDTH_PT - sum(widths)) / len(widths)
    return tuple((width + spare) / WIDTH_PT for width in widths)


def _held_to(level: float, least: list[float], whole: list[float]) -> list[float]:
    return [min(want, max(need, level)) for need, want in zip(least, whole, strict=True)]
