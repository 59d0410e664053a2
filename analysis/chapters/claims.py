"""All claims about a campaign, the same for every one: what the report says was found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from analysis.chapters.gets_and_multi_gets.claims import chapter as gets_and_multi_gets
from analysis.chapters.lab_and_network.claims import chapter as lab_and_network
from analysis.chapters.message_queues.claims import chapter as message_queues
from analysis.chapters.published_results.claims import chapter as published_results
from analysis.chapters.queueing_models.claims import chapter as queueing_models
from analysis.chapters.routing_and_replication.claims import chapter as routing_and_replication
from analysis.chapters.stability.claims import chapter as stability
from analysis.chapters.two_k_factorial.claims import chapter as two_k_factorial
from analysis.chapters.what_limits_it.claims import chapter as what_limits_it
from analysis.chapters.with_middleware.claims import chapter as with_middleware
from analysis.chapters.without_middleware.claims import chapter as without_middleware
from analysis.chapters.writes.claims import chapter as writes
from analysis.claims.claim import Chapter, Outcome
from analysis.claims.measurements import Measurements
from analysis.lab.measured_study import find_studies, read_study
from analysis.tables.loading import find_sections, load_tables

CHAPTERS: dict[int, Chapter] = {
    0: lab_and_network,
    2: without_middleware,
    3: with_middleware,
    4: writes,
    5: gets_and_multi_gets,
    6: two_k_factorial,
    7: queueing_models,
    8: stability,
    9: routing_and_replication,
    10: published_results,
    12: what_limits_it,
    13: message_queues,
}
"""By the number of their notebooks."""

ABOUT_RUNS = tuple(number for number in CHAPTERS if CHAPTERS[number] != published_results)
"""Chapters whose claims depend on a campaign's runs; the others are about what studies print."""
Read = TypeVar("Read")


@dataclass(frozen=True)
class Judged:
    """The outcomes of a chapter's claims, and the sections and studies that they asked for."""

    outcomes: list[Outcome]
    asked: list[str]


def claims_of(campaign_dir: Path, chapter: int | None = None) -> list[Outcome]:
    """Judge the claims about a campaign, of one chapter or of all in their order.

    Those of which it holds no runs are there, too: they cannot be told.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    """
    judged = judge_chapters(campaign_dir, CHAPTERS if chapter is None else [chapter])
    return [outcome for one in judged.values() for outcome in one.outcomes]


def judge_chapters(campaign_dir: Path, chapters: Iterable[int] = CHAPTERS) -> dict[int, Judged]:
    """Judge the claims of chapters by a campaign.

    Raises
    ------
    ParseError
        As `claims_of`.
    """
    sections = _Lazy(find_sections(campaign_dir), lambda name: load_tables(campaign_dir, name))
    folders = find_studies(campaign_dir)
    studies = _Lazy(folders, lambda name: read_study(folders[name]))
    judged = {}
    for chapter in chapters:
        measured = Measurements(sections, studies)
        judged[chapter] = Judged(CHAPTERS[chapter].judge(measured), list(measured.asked))
    return judged


class _Lazy(Mapping[str, Read]):
    """The sections or studies of a campaign by name; each is read when it is first used."""

    def __init__(self, names: Iterable[str], read: Callable[[str], Read]) -> None:
        self._names = list(names)
        self._read = cache(read)

    def __getitem__(self, name: str) -> Read:
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
