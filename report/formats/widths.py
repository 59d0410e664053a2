"""Tables that stay within the page: font size and column widths from the lengths of the cells.

Typst shares out the page among columns by how wide their whole text is, which lets long numbers
run into the next column. Here no column gets less than its longest word needs, as in HTML, and
rows stay on one line where a smaller font makes that possible.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

WIDTH_PT = 453.5
SIZES_PT = (8.5, 8.0, 7.5, 7.0, 6.5)
BROKEN_SIZES_PT = (7.5, 7.0, 6.5)  # where lines are broken whatever the size
# Of the font size: the widths of characters in bold headings, and of digits, capitals and others in
# the cells below, whose longest words get some room to spare; the space on both sides of a cell.
CHARACTER_EM, CAPITAL_EM, WIDEST_EM = 0.53, 0.7, 0.95
BODY_CHARACTER_EM, BODY_DIGIT_EM, BODY_CAPITAL_EM = 0.42, 0.47, 0.62
WIDEST = "MW%"
INSET_EM = 1.0
STEPS = 150  # in which columns get the width that no word needs
SMOOTHING = 6  # of the height of a row: the larger, the closer to that of its fullest cell
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
    whole = [[_body_em(cell) for cell in row] for row in rows]
    for lengths, sizes_pt in ((bodies, SIZES_PT), (words, BROKEN_SIZES_PT)):
        for size_pt in sizes_pt:
            least = _widths(lengths, size_pt)
            if sum(_widths(texts, size_pt)) <= WIDTH_PT:
                return Layout(size_pt, ())
            if sum(least) <= WIDTH_PT:
                return Layout(size_pt, _shares(least, [_widths(row, size_pt) for row in whole]))
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


def _shares(least: list[float], cells: Sequence[Sequence[float]]) -> tuple[float, ...]:
    """Share out the width so that the table gets low; widths of columns and `cells` are in pt.

    Each column has what it needs; the rest goes in small steps to the column that lowers the rows
    most, where a row is as high as its fullest cell (smoothed, so that equally full ones all gain).
    """
    widths = np.array(least)
    texts = np.array(cells).reshape(-1, len(least))
    step = max(WIDTH_PT - widths.sum(), 0.0) / STEPS
    for _ in range(STEPS):
        lines = np.maximum(texts / widths, 1.0)
        fuller = np.maximum(texts / (widths + step), 1.0)
        heights = (lines**SMOOTHING).sum(axis=1, keepdims=True)
        lowered = (heights - lines**SMOOTHING + fuller**SMOOTHING) ** (1 / SMOOTHING)
        gains = (heights ** (1 / SMOOTHING) - lowered).sum(axis=0)
        if gains.max() > 0:
            widths[gains.argmax()] += step
        else:
            widths += step / len(widths)
    return tuple((widths / widths.sum()).tolist())
