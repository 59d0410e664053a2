"""Text of one recording, the same for CSV and for what was printed on a terminal."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Titles and rows of one recording, as text.

    Attributes
    ----------
    titles
        Group of each column, such as ``net/total``; empty for the second and later columns of a
        group.
    subtitles
        Name of each column within its group, such as ``recv``.
    rows
        Line number, from 1, to the cells of a row. A row that was cut has fewer cells than
        `num_cells`, and its last cell may be cut, too. The first row that the tool wrote is absent,
        because it contains averages since boot, or nothing.
    date
        Date and time at which the recording started, with year and time zone; empty where the file
        does not state the date.
    in_bits
        True if the tool counted disk and network in bits, False if in bytes, None where the file
        does not state the unit.
    has_units
        True if numbers are rounded and end in a unit, such as ``12k``.
    """

    titles: list[str]
    subtitles: list[str]
    rows: dict[int, list[str]]
    date: str
    in_bits: bool | None
    has_units: bool

    @property
    def num_cells(self) -> int:
        """Number of cells of a complete row; untitled columns at the end do not count."""
        return max((at for at, name in enumerate(self.subtitles, 1) if name), default=0)
