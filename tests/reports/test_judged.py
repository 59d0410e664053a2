"""The comparison of the reference campaign with the studies, as docs/studies.md shows it."""

import pytest

from analysis.chapters.claims import CHAPTERS
from analysis.chapters.published_results.counterparts.counterpart_list import read_counterparts
from analysis.chapters.published_results.counterparts.page import reference_page
from analysis.chapters.published_results.counterparts.verdicts import (
    MEASURED,
    NOT_FITTED,
    NOT_MEASURED,
    judge_counterparts,
)
from records.paths import PROJECT, REFERENCE


@pytest.fixture(scope="module")
def reference():
    return judge_counterparts(REFERENCE)


def test_every_comparison_finds_numbers_in_the_reference(reference):
    missing = reference[reference["reason"] == NOT_MEASURED]
    assert missing.empty, missing[["study", "place"]]
    assert len(reference[reference["verdict"].isin(MEASURED)])


def test_differences_are_explained_by_claims_that_are_made():
    rows = read_counterparts()
    named = rows["because"].str.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
    reasons = {*rows.loc[named, "because"], NOT_FITTED}
    made = {claim.id for chapter in CHAPTERS.values() for claim in chapter.claims}
    assert reasons - made == set()


def test_the_documentation_shows_the_reference():
    """Where it does not: `make studies`, then commit."""
    assert (PROJECT / "docs" / "studies.md").read_text() == reference_page()
