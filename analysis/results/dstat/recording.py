"""What a recording holds, whether it is CSV or was printed on a terminal."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Text of one recording.

    Attributes
    ----------
    titles, subtitles
        Name of the group of each column, empty where the group goes on, and name of each column.
    rows
        Number of the line, from 1, to its cells. The first row that the tool wrote is absent: it
        is the average since boot, or empty.
    date
        Date at which the recording started, with its year and zone; empty where it is not told.
    in_bits
        Disk and network are counted in bits.
    has_units
        Numbers are rounded and end in a unit: ``12k``.
    """

    titles: list[str]
    subtitles: list[str]
    rows: dict[int, list[str]]
    date: str
    in_bits: bool
    has_units: bool
