"""Printed numbers are counted once, and those that set up the lab apart."""

import pandas as pd
import pytest

from analysis.claims.counterparts.numbers import comparable_numbers, counts
from analysis.claims.counterparts.page import page
from analysis.paths import REFERENCE

pytestmark = pytest.mark.slow  # reads what chapter 10 reads


@pytest.fixture(scope="module")
def numbers():
    return comparable_numbers(REFERENCE)


def test_sets_are_those_of_the_studies_machines(numbers):
    """No set of a study is counted by the reference and by its own machine, too."""
    sets = numbers[numbers["what"].str.startswith("sets: ")]
    assert not sets.duplicated(["study", "what"]).any()
    others = numbers[numbers["study"].isin(sets["study"]) & ~numbers.index.isin(sets.index)]
    assert not others["what"].str.contains(r"\bset\b|^workers|^full_system").any()
    without = sets["what"].str.contains(", 0 ")  # no middlewares: not fitted
    assert (sets["fitted"] == ~without).all()


def test_settings_of_the_lab_are_no_confirmation(numbers):
    assert numbers.loc[numbers["what"].str.startswith("bandwidths"), "fitted"].all()
    every, near, free, near_and_free = counts(numbers)
    assert every > near > near_and_free > 0
    assert every > free > near_and_free


def test_counts_of_known_ratios():
    known = pd.DataFrame({"ratio": [1.0, 1.09, 1.2, 0.95], "fitted": [True, False, False, False]})
    assert counts(known) == (4, 3, 3, 2)


def test_the_page_begins_with_three_numbers(numbers):
    judged = pd.DataFrame(
        {
            "study": "su2015", "place": "table 1", "shows": "times", "see": "13-2-growth",
            "numbers": [2, pd.NA], "near": [2, pd.NA], "ratio_from": [0.9, pd.NA],
            "ratio_to": [1.1, pd.NA], "verdict": ["reproduced within 10 %", "cannot be"],
            "reason": ["", "it is a diagram"],
        }
    )  # fmt: skip
    text = page(judged, numbers)
    every, near, _, near_and_free = counts(numbers)
    for number in (every, near, near_and_free):
        assert f"- **{number}**" in text
    assert "Of 1 tables and figures with results" in text
    assert "The other 1 are diagrams and configurations." in text
