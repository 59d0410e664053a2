"""Lists and ranges as sentences have them."""

from collections.abc import Callable, Iterable

import pandas as pd

Case = tuple[tuple[object, ...], ...]


def joined(items: Iterable[object]) -> str:
    """Write a list of at least one item, ``8, 16 and 32``."""
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: float, noun: str) -> str:
    """Write a number of things, ``1 key`` or ``3 keys``."""
    return f"{number:.0f} {noun}{'' if number == 1 else 's'}"


def span(values: Iterable[float], write: Callable[[float], str]) -> str:
    """Write the range of at least one number, ``6 to 9``; one where both ends read alike."""
    found = list(values)
    low, high = write(min(found)), write(max(found))
    return low if low == high else f"{low} to {high}"


def merged(levels: pd.DataFrame) -> list[Case]:
    """Gather the rows that differ in one column only, by the last column first.

    Parameters
    ----------
    levels
        One row per case.

    Returns
    -------
    list
        A tuple of levels for each column: the rows ``get 8, get 16, set 8`` are
        ``((get,), (8, 16))`` and ``((set,), (8,))``.
    """
    cases: list[Case] = [
        tuple((level,) for level in row) for row in levels.itertuples(index=False, name=None)
    ]
    for place in reversed(range(levels.shape[1])):
        gathered: dict[Case, list[object]] = {}
        for case in cases:
            gathered.setdefault(case[:place] + case[place + 1 :], []).extend(case[place])
        cases = [
            (*others[:place], tuple(found), *others[place:]) for others, found in gathered.items()
        ]
    return cases
