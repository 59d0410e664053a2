"""All claims about a campaign, the same for every one: what the report says was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from analysis.claims.chapters import (
    dynamics,
    elasticities,
    factors,
    message_queues,
    multi_gets,
    network,
    published,
    queueing,
    replication,
    with_middleware,
    without_middleware,
    writes,
)
from analysis.claims.claim import Claim
from analysis.claims.findings import Findings
from analysis.lab.measured_study import MeasuredStudy, held_studies, read_study
from analysis.tables.frames import Tables
from analysis.tables.held import held_sections, held_tables

CHAPTERS: dict[int, Callable[[Findings], None]] = {
    0: network.check,
    2: without_middleware.check,
    3: with_middleware.check,
    4: writes.check,
    5: multi_gets.check,
    6: factors.check,
    7: queueing.check,
    8: dynamics.check,
    9: replication.check,
    10: published.check,
    12: elasticities.check,
    13: message_queues.check,
}
"""Number of a chapter, which is that of its notebook, to what checks its claims."""

ABOUT_RUNS = tuple(number for number, check in CHAPTERS.items() if check != published.check)
"""Chapters whose claims depend on a campaign's runs; the others are about what studies print."""


def claims_of(campaign_dir: Path, chapter: int | None = None) -> list[Claim]:
    """Make the claims about a campaign, of one chapter or of all in their order.

    Those of which it holds no runs are there, too: they cannot be told.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    """
    chapters = CHAPTERS if chapter is None else [chapter]
    found = findings_of(campaign_dir, chapters)
    return [claim for findings in found.values() for claim in findings.claims]


def findings_of(campaign_dir: Path, chapters: Iterable[int] = CHAPTERS) -> dict[int, Findings]:
    """Check the claims of chapters: what each found, and the sections that it asked for.

    Raises
    ------
    ParseError
        As `claims_of`.
    """
    held, studies = _Held(campaign_dir), _HeldStudies(campaign_dir)
    found = {chapter: Findings(held, studies) for chapter in chapters}
    for chapter, findings in found.items():
        CHAPTERS[chapter](findings)
    return found


class _Held(Mapping[str, Tables]):
    """The tables of the sections that a campaign holds, read when they are asked for."""

    def __init__(self, campaign_dir: Path) -> None:
        self._campaign_dir = campaign_dir
        self._sections = held_sections(campaign_dir)
        self._read: dict[str, Tables] = {}

    def __getitem__(self, section: str) -> Tables:
        if section not in self._sections:
            raise KeyError(section)
        if section not in self._read:
            self._read[section] = held_tables(self._campaign_dir, section)
        return self._read[section]

    def __iter__(self) -> Iterator[str]:
        return iter(self._sections)

    def __len__(self) -> int:
        return len(self._sections)


class _HeldStudies(Mapping[str, MeasuredStudy]):
    """The elasticities that a campaign holds, read when they are asked for."""

    def __init__(self, campaign_dir: Path) -> None:
        self._folders = held_studies(campaign_dir)

    def __getitem__(self, name: str) -> MeasuredStudy:
        return read_study(self._folders[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)
