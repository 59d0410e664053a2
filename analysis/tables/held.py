"""The tables of what a campaign holds of a chapter, where it need not hold all of it."""

from pathlib import Path

from analysis.tables.frames import Tables
from analysis.tables.run import measured_sections
from analysis.tables.tidied import campaign_tables


def held_tables(campaign_dir: Path, *sections: str) -> Tables:
    """Return the tables of those of the sections that were measured.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    FileNotFoundError
        None of them was measured.
    """
    there = set(measured_sections(campaign_dir))
    return campaign_tables(campaign_dir, [name for name in sections if name in there] or sections)
