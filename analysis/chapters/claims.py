"""All claims about a campaign, the same for every one: what the report says was found."""

from __future__ import annotations

import contextlib
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
from analysis.claims.fingerprint import Fingerprint, fingerprint
from analysis.claims.kept import keep, read_kept
from analysis.claims.measurements import Measurements
from analysis.lab.measured_study import find_studies, read_study
from analysis.studies.machines import khalils_server, printed_sets
from analysis.tables.loading import find_sections, load_tables
from records.paths import BUILD, DATA, MIDDLEWARES

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
KEPT = BUILD / "claims"
"""Outcomes that were judged before: a folder for each campaign, a file for each chapter."""
_STUDIES = (*printed_sets.STUDIES, khalils_server.STUDY)  # chapter 10 reads their machines' runs
Read = TypeVar("Read")


@dataclass(frozen=True)
class Judged:
    """The outcomes of a chapter's claims, and the sections and studies that they asked for."""

    outcomes: list[Outcome]
    asked: list[str]


def claims_of(campaign_dir: Path, chapter: int | None = None) -> list[Outcome]:
    """Return the outcomes of the claims about a campaign, of one chapter or of all in their order.

    Claims that the campaign holds no runs of are undecided. Outcomes are kept in `KEPT`, and judged
    anew when the campaign, a campaign that they also depend on, the code or a library has changed.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    """
    chapters = list(CHAPTERS) if chapter is None else [chapter]
    found = _fingerprint(campaign_dir)
    outcomes = {one: _read_kept(campaign_dir, one, found) for one in chapters}
    missing = [one for one in chapters if outcomes[one] is None]
    if missing:
        judged = judge_chapters(campaign_dir, missing)
        outcomes |= {one: judged[one].outcomes for one in missing}
        now = _fingerprint(campaign_dir)  # judging makes tables that were missing
        if found and now and found.sources == now.sources:
            for one in missing:
                keep(_kept_file(campaign_dir, one), now, judged[one].outcomes)
    return [outcome for one in chapters for outcome in outcomes[one] or []]


def _fingerprint(campaign_dir: Path) -> Fingerprint | None:
    """Return the fingerprint of a campaign and of all others that its claims depend on.

    None for campaigns elsewhere than in `DATA`, and where a file cannot be read.
    """
    if not campaign_dir.is_relative_to(DATA):
        return None
    top = campaign_dir.parents[1] if campaign_dir.parent.name == MIDDLEWARES else campaign_dir
    with contextlib.suppress(OSError):
        return fingerprint([top, *(DATA / study for study in _STUDIES)])
    return None


def _kept_file(campaign_dir: Path, chapter: int) -> Path:
    return KEPT / campaign_dir.relative_to(DATA) / f"{chapter}.json"


def _read_kept(campaign_dir: Path, chapter: int, found: Fingerprint | None) -> list[Outcome] | None:
    if found is None:
        return None
    return read_kept(_kept_file(campaign_dir, chapter), found, CHAPTERS[chapter].claims)


def judge_chapters(campaign_dir: Path, chapters: Iterable[int] = CHAPTERS) -> dict[int, Judged]:
    """Judge the claims of chapters by a campaign, whatever was kept.

    Raises
    ------
    ParseError
        As `claims_of`.
    """
    judged = {}
    whole = measurements_of(campaign_dir)
    for chapter in chapters:
        measured = whole.asked_anew()
        judged[chapter] = Judged(CHAPTERS[chapter].judge(measured), list(measured.asked))
    return judged


def measurements_of(campaign_dir: Path) -> Measurements:
    """Return what a campaign has measured; its sections and studies are read when asked for."""
    sections = _Lazy(find_sections(campaign_dir), lambda name: load_tables(campaign_dir, name))
    folders = find_studies(campaign_dir)
    return Measurements(sections, _Lazy(folders, lambda name: read_study(folders[name])))


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
