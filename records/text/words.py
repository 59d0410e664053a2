"""Lists, counts and numbers as tables and sentences have them."""

from collections.abc import Iterable

MISSING = "\N{EN DASH}"
"""What a table has in place of a value that is not known."""


def joined(items: Iterable[object]) -> str:
    """Write a list of at least one item, ``8, 16 and 32``."""
    *first, last = map(str, items)
    return f"{', '.join(first)} and {last}" if first else last


def counted(number: float, noun: str) -> str:
    """Write a number of things, ``1 key`` or ``3 keys``."""
    return f"{number:.0f} {noun}{'' if number == 1 else 's'}"


def grouped(value: float) -> str:
    """Write a number without decimals, grouped by thousands, for sentences."""
    return group_digits(f"{value:,.0f}")


def group_digits(text: str) -> str:
    """Group thousands by a narrow no-break space (ISO 80000-1) and write a true minus sign."""
    return text.replace(",", "\N{NARROW NO-BREAK SPACE}").replace("-", "\N{MINUS SIGN}")
