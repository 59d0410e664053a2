"""`lab claims` on the reference campaign and beside a small one that differs from it."""

import json

import pytest
from click.testing import CliRunner

from analysis.chapters.claims import claims_of
from lab.cli import main
from records.paths import PROJECT, REFERENCE
from tests.helpers.campaign import build_campaign


@pytest.fixture(scope="module")
def campaign(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    return build_campaign(folder, sections=["3.1"], clients_per_thread=[8], workers=[64])


def claims(*options):
    return CliRunner().invoke(main, ["claims", *map(str, options)])


@pytest.mark.selected
def test_claims_of_the_reference_are_printed():
    result = claims("reference")
    assert result.exit_code == 0, result.output
    assert "without-middleware.one-server-gets-fill-links" in result.output
    assert "With one server, the server's link limits" in result.output


def test_campaigns_that_differ_are_told_by_the_exit_status(campaign):
    result = claims(campaign, "--against", "reference")
    assert result.exit_code == 1
    assert "reference: supported\n" in result.output


def test_a_campaign_agrees_with_itself(campaign):
    found = json.loads(claims(campaign, "--json").output)
    assert len(found) > 10
    assert {claim["verdict"] for claim in found} <= {"supported", "refuted", "undecided"}
    same = claims(campaign, "--against", campaign)
    assert same.exit_code == 0
    assert f"{len(found)} of {len(found)} claims have the same verdict" in same.output


def test_claims_about_the_studies_lead_to_figures_and_tables():
    (notebook,) = (PROJECT / "notebooks").glob("10-*.ipynb")
    found = claims_of(REFERENCE, chapter=10)
    assert found
    for claim in (outcome.claim for outcome in found):
        assert f'name=\\"{claim.see}\\"' in notebook.read_text(), claim.statement
