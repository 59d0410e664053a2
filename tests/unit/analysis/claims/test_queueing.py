"""The claims of chapter 7, on a synthetic campaign that saturates where its links do."""

import pytest

from analysis.claims.chapters import queueing
from analysis.claims.findings import Findings
from analysis.claims.rules import Verdict

pytestmark = pytest.mark.slow

SECTIONS = ("3.1", "3.2")


@pytest.fixture(scope="module")
def tables(synthetic):
    return {name: synthetic(name) for name in ("0", *SECTIONS)}


def claims(held):
    found = Findings(held)
    queueing.check(found)
    return {claim.statement: claim for claim in found.claims}


def test_cells_that_judge_are_split_by_whether_a_full_link_is_expected(tables):
    full, others = [claim for claim in claims(tables).values() if claim.section == "7.2"]
    assert (full.estimate.value, others.estimate.value) == (1, 0.8)
    assert others.instead == "1 of 5 miss: set 192 clients 8 workers"


def test_other_sections_are_predicted_from_3_1(tables):
    (claim,) = [c for c in claims(tables).values() if c.section == "7.6"]
    assert claim.instead.startswith("2 of 4 miss: ")  # the largest load of 3.2, two workloads


def test_claims_are_the_same_whatever_was_measured(tables):
    everything, one, none = claims(tables), claims({"3.1": tables["3.1"]}), claims({})
    assert list(everything) == list(one) == list(none)
    assert {claim.verdict for claim in none.values()} == {Verdict.UNDECIDED}
    assert all(len(statement) <= 120 for statement in everything)
    assert all(len(claim.quantity) <= 80 for claim in everything.values())
