"""The claims of the report, on the reference campaign and on ones that differ from it."""

import dataclasses

import pytest

from analysis.claims import of_sections
from analysis.claims.of_sections import THROUGHPUT, claims_of
from analysis.claims.rules import Verdict
from analysis.paths import REFERENCE
from analysis.tables.run import measured_sections


@pytest.fixture(scope="module")
def claims():
    return claims_of(REFERENCE)


def of(claims, section, begin):
    (found,) = [c for c in claims if c.section == section and c.statement.startswith(begin)]
    return found


def test_every_claim_is_made_once_and_can_be_judged_on_the_reference(claims):
    assert len({(claim.section, claim.statement) for claim in claims}) == len(claims) > 12
    assert {claim.section for claim in claims} <= set(measured_sections(REFERENCE))
    assert all(claim.estimate.value == claim.estimate.value for claim in claims)
    assert [claim.section for claim in claims] == sorted(claim.section for claim in claims)


def test_what_the_emulated_links_decide_holds_on_the_reference(claims):
    assert of(claims, "2.1", "Gets are limited").verdict == Verdict.HOLDS
    assert of(claims, "6", "Three servers give").estimate.value == pytest.approx(3, rel=0.05)


def test_a_slower_server_changes_verdicts_and_no_statement(claims, monkeypatch):
    read = of_sections.campaign_tables

    def slowed(folder, sections):
        tables = read(folder, sections)
        hosts = tables.hosts.copy()
        if "send_link_utilization" in hosts:
            hosts["send_link_utilization"] *= 0.6
        runs = tables.runs.copy()
        if sections == ["2.2"]:
            runs[THROUGHPUT] *= 0.6
        return dataclasses.replace(tables, hosts=hosts, runs=runs)

    monkeypatch.setattr(of_sections, "campaign_tables", slowed)
    changed = claims_of(REFERENCE)
    assert [claim.statement for claim in changed] == [claim.statement for claim in claims]
    assert of(changed, "2.1", "Gets are limited").verdict == Verdict.DOES_NOT_HOLD
    assert of(changed, "2.2", "Two servers").verdict == Verdict.DOES_NOT_HOLD


def test_claims_of_sections_that_were_not_measured_cannot_be_told(tmp_path):
    claims = claims_of(tmp_path)
    assert {claim.verdict for claim in claims} == {Verdict.CANNOT_BE_TOLD}
