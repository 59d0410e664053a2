"""Tables that stay within the page: font size and column widths from the lengths of the cells.

Typst shares out the page among columns by how wide their whole text is, which lets long numbers
run into the next column. Here no column gets less than its longest word needs, as in HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

PORTRAIT_PT = 453.5
LANDSCAPE_PT = 700.0
PORTRAIT_SIZES_PT = (9.5, 9.0, 8.5, 8.0, 7.5, 7.0)
LANDSCAPE_SIZES_PT = (9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0)
# Of the font size: the width of a character (in bold), of a capital, of the widest ones, and the
# space that the template leaves on both sides of a cell.
CHARACTER_EM = 0.53
CAPITAL_EM = 0.7
WIDEST_EM = 0.95
WIDEST = "MW%"
INSET_EM = 1.0
READABLE_EM = 14  # a column of sentences gets that much where a smaller font makes it possible
READABLE_SIZES_PT = (9.5, 9.0, 8.5, 8.0)
_BREAKS = re.compile(r"[ \n]+")  # where lines may end: never at a no-break space


@dataclass(frozen=True)
class Layout:
    """How a table is set: font size, page turned or not, and each column's share of the width.

    `shares` is empty where the columns need not be told their width.
    """

    size_pt: float
    landscape: bool
    shares: tuple[float, ...]


def fit(rows: Sequence[Sequence[str]]) -> Layout | None:
    """Lay out a table.

    Parameters
    ----------
    rows : sequence of sequence of str
        The text of every cell, headings included, shape (rows, columns).

    Returns
    -------
    Layout or None
        The largest font size whose words fit, on the upright page if at all possible; None when
        not even the smallest size fits on the turned page.
    """
    columns = list(zip(*rows, strict=True))
    words = [
        max(_length_em(word) for cell in column for word in _BREAKS.split(cell))
        for column in columns
    ]
    texts = [max(map(_length_em, column)) for column in columns]
    readable = [max(word, min(text, READABLE_EM)) for word, text in zip(words, texts, strict=True)]
    candidates = [(PORTRAIT_PT, size_pt, readable) for size_pt in READABLE_SIZES_PT]
    candidates += [(PORTRAIT_PT, size_pt, words) for size_pt in PORTRAIT_SIZES_PT]
    candidates += [(LANDSCAPE_PT, size_pt, words) for size_pt in LANDSCAPE_SIZES_PT]
    for width_pt, size_pt, lengths in candidates:
        least = _widths(lengths, size_pt)
        if sum(least) <= width_pt:
            shares = _shares(least, _widths(texts, size_pt), width_pt)
            return Layout(size_pt, width_pt == LANDSCAPE_PT, shares)
    return None


def _length_em(text: str) -> float:
    return sum(
        WIDEST_EM if char in WIDEST else CAPITAL_EM if char.isupper() else CHARACTER_EM
        for char in text
    )


def _widths(lengths_em: Sequence[float], size_pt: float) -> list[float]:
    return [size_pt * (INSET_EM + length) for length in lengths_em]


def _shares(least: list[float], whole: list[float], width_pt: float) -> tuple[float, ...]:
    if sum(whole) <= width_pt:
        return ()
    spare = width_pt - sum(least)
    wanted = sum(whole) - sum(least)
    return tuple(
        (low + spare * (high - low) / wanted) / width_pt
        for low, high in zip(least, whole, strict=True)
    )
