"""A campaign's tidy tables without reading its runs anew when nothing changed.

Reading a run takes about a tenth of a second, reading the tables of a section less than that in
all. With the tables of each section stands what they were made from.
"""

import os
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from analysis.results.manifests import measured_sections
from analysis.tables.frames import Tables, read_origin, read_tables, tables_path
from analysis.tables.packed import raw_files, sections_without_files
from analysis.tables.tidying import origin_of, tidy_campaign
from records.files.locks import locked


def campaign_tables(
    campaign_dir: Path | str, sections: Iterable[str], *, all_observers: bool = False
) -> Tables:
    """Return the tidy tables of some sections, made anew only where runs or `SCHEMA` changed.

    Where the campaign's folder cannot be written the tables are made all the same, and not kept.
    Of several notebooks that ask at the same time one makes them, the others wait.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged, or tables that must be made anew are of a
        section without raw files; names its path.
    FileNotFoundError
        A section was not measured.
    """
    campaign_dir = Path(campaign_dir)
    wanted = sorted(sections)
    if not _can_write(campaign_dir):
        return _current_tables(campaign_dir, wanted, all_observers, may_write=False)
    lock = campaign_dir / "tidy" / ".lock"
    lock.parent.mkdir(exist_ok=True)
    lock.touch()
    with locked(lock):
        return _current_tables(campaign_dir, wanted, all_observers, may_write=True)


def _current_tables(
    campaign_dir: Path, wanted: list[str], all_observers: bool, *, may_write: bool
) -> Tables:
    stale = [name for name in wanted if not _is_current(campaign_dir, name)]
    if stale and not may_write:
        with (
            TemporaryDirectory(prefix="middleware-lab-") as folder,
            raw_files(campaign_dir, wanted) as runs_dir,
        ):
            tidy_campaign(runs_dir, wanted, into=folder)
            return read_tables(folder, wanted, all_observers=all_observers)
    if stale:
        with raw_files(campaign_dir, stale) as runs_dir:
            tidy_campaign(runs_dir, stale, into=campaign_dir)
    return read_tables(campaign_dir, wanted, all_observers=all_observers)


def _is_current(campaign_dir: Path, section: str) -> bool:
    return read_origin(tables_path(campaign_dir, section)) == origin_of(campaign_dir, section)


def _can_write(campaign_dir: Path) -> bool:
    folder = campaign_dir / "tidy"
    return os.access(folder if folder.exists() else campaign_dir, os.W_OK)


def remake_tables(campaign_dir: Path) -> list[str]:
    """Make the tables of a campaign anew; return the sections that keep theirs.

    Those have no raw files in this copy: their tables cannot be made again.
    """
    kept = sections_without_files(campaign_dir)
    for section in measured_sections(campaign_dir):
        if section not in kept:
            tables_path(campaign_dir, section).unlink(missing_ok=True)
            campaign_tables(campaign_dir, [section])
    return kept


if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:]):
        if kept := remake_tables(folder):
            names = ", ".join(kept)
            print(f"{folder}: no raw files here of sections {names}: their tables stay")
