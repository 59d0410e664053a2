"""The claims of the report: on an empty campaign, on the reference and on changed ones."""

import dataclasses
import re

import pytest

from analysis.chapters import claims as chapters
from analysis.chapters.claims import ABOUT_RUNS, CHAPTERS, judge_chapters
from analysis.claims.measurements import THROUGHPUT
from analysis.claims.rules import Verdict
from records.paths import PROJECT, REFERENCE
from tests.helpers.black_box import as_black_box

LONGEST_STATEMENT = 120  # characters: two lines on the page of claims


@pytest.fixture(scope="module")
def claims(tmp_path_factory):
    """Claims about a campaign without runs: their statements are those about any campaign."""
    judged = judge_chapters(tmp_path_factory.mktemp("empty"), ABOUT_RUNS)
    return [outcome for chapter in judged.values() for outcome in chapter.outcomes]


def of_chapters(*chapters):
    judged = judge_chapters(REFERENCE, chapters)
    return {one.claim.id: one for chapter in judged.values() for one in chapter.outcomes}


def test_ids_are_unique_and_name_the_chapters_folder():
    ids = [claim.id for chapter in CHAPTERS.values() for claim in chapter.claims]
    assert len(set(ids)) == len(ids) > 100
    for number, chapter in CHAPTERS.items():
        folder = chapter.name.replace("-", "_")
        assert (PROJECT / "analysis" / "chapters" / folder / "claims.py").is_file()
        for claim in chapter.claims:
            assert re.fullmatch(rf"{chapter.name}(\.[a-z0-9]+(-[a-z0-9]+)*)+", claim.id), claim.id
            assert int(claim.section.partition(".")[0]) == number
            assert claim.statement.endswith(".")
            assert len(claim.statement) <= LONGEST_STATEMENT, claim.statement


def test_every_claim_leads_to_a_figure_or_table_of_its_chapter(claims):
    for claim in (outcome.claim for outcome in claims):
        chapter = int(claim.section.partition(".")[0])
        (notebook,) = (PROJECT / "notebooks").glob(f"{chapter:02d}-*.ipynb")
        assert f'name=\\"{claim.see}\\"' in notebook.read_text(), claim.statement


FULL, TWICE = (
    "without-middleware.one-server-gets-fill-links",
    "without-middleware.two-servers-double-gets",
)


def test_a_slower_server_changes_verdicts(monkeypatch):
    claims = of_chapters(2)
    assert claims[FULL].verdict == claims[TWICE].verdict == Verdict.SUPPORTED
    read = chapters.load_tables

    def slowed(folder, *sections):
        tables = read(folder, *sections)
        hosts = tables.hosts.copy()
        if "send_link_utilization" in hosts:
            hosts["send_link_utilization"] *= 0.6
        runs = tables.runs.copy()
        if sections == ("2.2",):
            runs[THROUGHPUT] *= 0.6
        return dataclasses.replace(tables, hosts=hosts, runs=runs)

    monkeypatch.setattr(chapters, "load_tables", slowed)
    changed = of_chapters(2)
    assert changed[FULL].verdict == changed[TWICE].verdict == Verdict.REFUTED


def test_claims_about_a_black_box_are_of_what_can_be_told(monkeypatch):
    read = chapters.load_tables
    monkeypatch.setattr(chapters, "load_tables", lambda *asked: as_black_box(read(*asked)))
    told = of_chapters(2, 5)
    for name, verdict in (
        (FULL, Verdict.SUPPORTED),
        ("gets-and-multi-gets.sharding-9-keys-are-faster", Verdict.UNDECIDED),
        ("gets-and-multi-gets.sharded-gets-fill-server-links", Verdict.UNDECIDED),
    ):
        assert told[name].verdict == verdict, name


def test_claims_of_sections_that_were_not_measured_cannot_be_told(claims):
    assert {claim.verdict for claim in claims} == {Verdict.UNDECIDED}
