"""The comparison of the reference campaign with the studies, as docs/studies.md shows it."""

import pytest

from analysis.claims.counterparts.judged import NOT_MEASURED, judged_counterparts
from analysis.claims.counterparts.page import page
from analysis.paths import PROJECT, REFERENCE


@pytest.fixture(scope="module")
def reference():
    return judged_counterparts(REFERENCE)


def test_every_comparison_finds_numbers_in_the_reference(reference):
    missing = reference[reference["reason"] == NOT_MEASURED]
    assert missing.empty, missing[["study", "place"]]


def test_the_documentation_shows_the_reference(reference):
    """Where it does not: `make studies`, then commit."""
    assert (PROJECT / "docs" / "studies.md").read_text() == page(reference)
