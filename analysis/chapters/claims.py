"""All claims about a campaign, the same for every one: what the report says was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from analysis.chapters.gets_and_multi_gets import claims as gets_and_multi_gets
from analysis.chapters.lab_and_network import claims as lab_and_network
from analysis.chapters.message_queues import claims as message_queues
from analysis.chapters.published_results import claims as published_results
from analysis.chapters.queueing_models import claims as queueing_models
from analysis.chapters.routing_and_replication import claims as routing_and_replication
from analysis.chapters.stability import claims as stability
from analysis.chapters.two_k_factorial import claims as two_k_factorial
from analysis.chapters.what_limits_it import claims as what_limits_it
from analysis.chapters.with_middleware import claims as with_middleware
from analysis.chapters.without_middleware import claims as without_middleware
from analysis.chapters.writes import claims as writes
from analysis.claims.claim import Claim
from analysis.claims.findings import Findings
from analysis.lab.measured_study import MeasuredStudy, held_studies, read_study
from analysis.tables.frames import Tables
from analysis.tables.held import held_sections, held_tables

CHAPTERS: dict[int, Callable[[Findings], None]] = {
    0: lab_and_network.check,
    2: without_middleware.check,
    3: with_middleware.check,
    4: writes.check,
    5: gets_and_multi_gets.check,
    6: two_k_factorial.check,
    7: queueing_models.check,
    8: stability.check,
    9: routing_and_replication.check,
    10: published_results.check,
    12: what_limits_it.check,
    13: message_queues.check,
}
"""Number of a chapter, which is that of its notebook, to what checks its claims."""

ABOUT_RUNS = tuple(number for number, check in CHAPTERS.items() if check != published_results.check)
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
