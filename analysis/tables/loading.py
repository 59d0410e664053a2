"""The tables of what a campaign holds of a chapter, where it need not hold all of it.

What is measured of another middleware is a campaign of its own in that of ours,
``data/<campaign>/middlewares/<name>``. What has no middleware is measured once, for all of them.
A section of which every run was rejected, or only the links were measured, is not held: it tells
nothing.
"""

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

import pandas as pd

from analysis.results import ParseError
from analysis.results.manifests import measured_sections
from analysis.tables.frames import Tables, stack
from analysis.tables.provenance import each_manifest
from analysis.tables.tidy_cache import campaign_tables
from records.paths import MIDDLEWARES
from records.verdict import ACCEPTED

OWN = "mwlab"
WITHOUT_MIDDLEWARE = ("0", "2.1", "2.2")
_LINKS = "links"  # the kind of a plan


def load_tables(campaign_dir: Path, *sections: str) -> Tables:
    """Load the tables of those of the sections that were measured.

    Those of another middleware have what has none from the campaign that it stands in.

    Raises
    ------
    ParseError
        A file of an accepted run, or a table, is missing or damaged; names its path.
    FileNotFoundError
        None of them was measured, or every run was rejected.
    """
    there = find_sections(campaign_dir)
    wanted = [name for name in sections if name in there]
    if not wanted:
        raise _absent(campaign_dir, sections)
    folders = dict.fromkeys(there[name] for name in wanted)
    return _stacked(
        [_tables_of(folder, [n for n in wanted if there[n] == folder]) for folder in folders]
    )


def find_sections(campaign_dir: Path) -> dict[str, Path]:
    """Return the sections that a campaign holds, each with the folder of the campaign it is in."""
    own = dict.fromkeys(_accepted_sections(campaign_dir), campaign_dir)
    if campaign_dir.parent.name != MIDDLEWARES:
        return own
    around = campaign_dir.parent.parent
    shared = [name for name in _accepted_sections(around) if name in WITHOUT_MIDDLEWARE]
    return {**dict.fromkeys(shared, around), **own}


def load_tables_by_middleware(campaign_dir: Path, *sections: str) -> Tables:
    """Load the tables of those of the sections that were measured, of every middleware.

    The column `middleware` tells which; ours come first.

    Parameters
    ----------
    campaign_dir
        The campaign, or that of another middleware in it.
    """
    inside = campaign_dir.parent.name == MIDDLEWARES
    around = campaign_dir.parent.parent if inside else campaign_dir
    folders = {OWN: around, **{path.name: path for path in sorted(around.glob(f"{MIDDLEWARES}/*"))}}
    parts = []
    for name, folder in folders.items():
        there = set(_accepted_sections(folder)).intersection(sections)
        if there:
            tables = _tables_of(folder, there)
            parts.append(
                Tables(**{f.name: _named(getattr(tables, f.name), name) for f in fields(Tables)})
            )
    if not parts:
        raise _absent(around, sections)
    return _stacked(parts)


def _tables_of(campaign_dir: Path, sections: Iterable[str]) -> Tables:
    try:
        return campaign_tables(campaign_dir, sections)
    except FileNotFoundError:
        raise
    except OSError as exc:
        folder = campaign_dir / "tidy"
        message = f"holds a damaged table: {exc}; delete this folder, and tables are made anew"
        raise ParseError(folder, None, message) from exc


def _accepted_sections(campaign_dir: Path) -> list[str]:
    return [name for name in measured_sections(campaign_dir) if _is_held(campaign_dir, name)]


def _is_held(campaign_dir: Path, section: str) -> bool:
    """Whether a run was accepted, under load where the section has any.

    What was measured of its links before tells nothing yet.
    """
    told = set()
    for manifest in each_manifest(campaign_dir, [section]):
        if manifest.plan.get("kind") == _LINKS:
            continue
        told.add((bool(manifest.generator), manifest.status == ACCEPTED))
        if (True, True) in told:
            return True
    return (False, True) in told and (True, False) not in told


def _absent(campaign_dir: Path, sections: Iterable[str]) -> FileNotFoundError:
    names = " or ".join(sections)
    return FileNotFoundError(
        f"{campaign_dir} holds no accepted run of section {names}: measure it first"
    )


def _named(frame: pd.DataFrame, middleware: str) -> pd.DataFrame:
    return frame if frame.empty else frame.assign(middleware=middleware)


def _stacked(parts: list[Tables]) -> Tables:
    if len(parts) == 1:
        return parts[0]
    return Tables(
        **{f.name: stack([getattr(part, f.name) for part in parts]) for f in fields(Tables)}
    )
