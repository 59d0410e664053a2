"""The claims of the report: on an empty campaign, on the reference and on changed ones."""

import dataclasses

import pytest

from analysis.chapters import claims as chapters
from analysis.chapters.claims import ABOUT_RUNS, claims_of, findings_of
from analysis.claims.findings import THROUGHPUT
from analysis.claims.rules import Verdict
from analysis.paths import PROJECT, REFERENCE
from tests.helpers.black_box import as_black_box

LONGEST_STATEMENT = 120  # characters: two lines on the page of claims


@pytest.fixture(scope="module")
def claims(tmp_path_factory):
    """Claims about a campaign without runs: their statements are those about any campaign."""
    found = findings_of(tmp_path_factory.mktemp("empty"), ABOUT_RUNS)
    return [claim for findings in found.values() for claim in findings.claims]


def of_chapters(*chapters):
    return [claim for chapter in chapters for claim in claims_of(REFERENCE, chapter)]


def of(claims, section, begin):
    (found,) = [c for c in claims if c.section == section and c.statement.startswith(begin)]
    return found


def test_every_claim_is_made_once_and_fits_a_line(claims):
    assert len({(claim.section, claim.statement) for claim in claims}) == len(claims) > 30
    assert {int(claim.section.partition(".")[0]) for claim in claims} == set(ABOUT_RUNS)
    for claim in claims:
        assert len(claim.statement) <= LONGEST_STATEMENT, claim.statement


def test_every_claim_leads_to_a_figure_or_table_of_its_chapter(claims):
    for claim in claims:
        chapter = int(claim.section.partition(".")[0])
        (notebook,) = (PROJECT / "notebooks").glob(f"{chapter:02d}-*.ipynb")
        assert f'name=\\"{claim.see}\\"' in notebook.read_text(), claim.statement


def test_a_slower_server_changes_verdicts_and_no_statement(monkeypatch):
    claims = of_chapters(2)
    assert of(claims, "2.1", "One server: its link limits gets").verdict == Verdict.SUPPORTED
    assert of(claims, "2.2", "Two servers give").verdict == Verdict.SUPPORTED
    read = chapters.held_tables

    def slowed(folder, *sections):
        tables = read(folder, *sections)
        hosts = tables.hosts.copy()
        if "send_link_utilization" in hosts:
            hosts["send_link_utilization"] *= 0.6
        runs = tables.runs.copy()
        if sections == ("2.2",):
            runs[THROUGHPUT] *= 0.6
        return dataclasses.replace(tables, hosts=hosts, runs=runs)

    monkeypatch.setattr(chapters, "held_tables", slowed)
    changed = of_chapters(2)
    assert [claim.statement for claim in changed] == [claim.statement for claim in claims]
    assert of(changed, "2.1", "One server: its link").verdict == Verdict.REFUTED
    assert of(changed, "2.2", "Two servers give").verdict == Verdict.REFUTED


def test_claims_about_a_black_box_are_the_same_and_of_what_can_be_told(claims, monkeypatch):
    read = chapters.held_tables
    monkeypatch.setattr(chapters, "held_tables", lambda *asked: as_black_box(read(*asked)))
    asked = (2, 5)
    told = of_chapters(*asked)
    assert [(c.section, c.see) for c in told] == [
        (c.section, c.see) for c in claims if int(c.section.partition(".")[0]) in asked
    ]
    for section, begin, verdict in (
        ("2.1", "One server: its link", Verdict.SUPPORTED),
        ("5.1", "Cut up, gets of nine keys are", Verdict.UNDECIDED),
        ("5.1", "Cut up, gets of nine keys fill", Verdict.UNDECIDED),
    ):
        assert of(told, section, begin).verdict == verdict, begin


def test_claims_of_sections_that_were_not_measured_cannot_be_told(claims):
    assert {claim.verdict for claim in claims} == {Verdict.UNDECIDED}
