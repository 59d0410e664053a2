"""Lists and ranges as sentences have them."""

from collections.abc import Iterable


def joined(items: Iterable[object]) -> str:
    """Write a list of at least one item, ``8, 16 and 32``."""
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: float, noun: str) -> str:
    """Write a number of things, ``1 key`` or ``3 keys``."""
    return f"{number:.0f} {noun}{'' if number == 1 else 's'}"
