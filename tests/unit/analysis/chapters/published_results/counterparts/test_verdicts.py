"""Verdicts follow from the campaign's numbers, the studies' and the claims."""

import pandas as pd
import pytest

from analysis.chapters.published_results.counterparts.comparisons import (
    COMPARISONS,
    compare_with_published,
)
from analysis.chapters.published_results.counterparts.counterpart_list import read_counterparts
from analysis.chapters.published_results.counterparts.printed_numbers import Quantity
from analysis.chapters.published_results.counterparts.verdicts import (
    NOT_FITTED,
    Counterpart,
    explains,
    judge_counterparts,
    judge_derived,
    judge_measured,
    verdict_words,
)
from analysis.claims.claim import Claim, Kind, Outcome
from analysis.claims.rules import at_least
from analysis.statistics.estimates import exact
from tests.helpers.campaign import build_campaign

slow = pytest.mark.slow  # chapter 10, which `make test` checks, shows the same
LIMIT = "without-middleware.one-server-gets-fill-links"


def outcome(id: str, share: float, kind: Kind = Kind.FINDING) -> Outcome:
    claim = Claim(
        id=id,
        section="10",
        statement="It is so.",
        quantity="share",
        rule=at_least(0.8),
        see="10-7-predicted",
        compute=lambda measured: exact(share),
        kind=kind,
    )
    return Outcome(claim, exact(share))


def rows(*near: bool, fitted: bool = False, campaign: str = "schmid2018") -> pd.DataFrame:
    return pd.DataFrame({"near": near}).assign(
        fitted=fitted, campaign=campaign, quantity=Quantity.THROUGHPUT
    )


def test_only_a_supported_finding_about_cells_not_fitted_explains():
    assert explains(outcome(NOT_FITTED, 0.9))
    assert not explains(outcome(NOT_FITTED, 0.3))  # refuted
    assert not explains(outcome(NOT_FITTED, 0.9, Kind.VALIDITY))
    assert not explains(outcome(LIMIT, 0.9))
    assert not explains(None)


@pytest.mark.parametrize(
    ("numbers", "share", "verdict"),
    [
        (rows(True, True), 0.3, Counterpart.REPRODUCED),
        (rows(True, True, fitted=True), 0.9, Counterpart.FITTED),
        (rows(True, False, fitted=True), 0.9, Counterpart.MISSED_FIT),
        (rows(True, False), 0.3, Counterpart.UNEXPLAINED),
        (rows(True, False), 0.9, Counterpart.EXPLAINED),
        (rows(True, False, campaign="reference"), 0.9, Counterpart.UNEXPLAINED),
    ],
)
def test_verdicts_of_measured_numbers(numbers, share, verdict):
    claims = {NOT_FITTED: outcome(NOT_FITTED, share), LIMIT: outcome(LIMIT, 0.9)}
    assert judge_measured(numbers, LIMIT, claims)[0] == verdict


def test_a_claim_stands_beside_a_difference_with_its_verdict():
    claims = {NOT_FITTED: outcome(NOT_FITTED, 0.3), LIMIT: outcome(LIMIT, 0.9)}
    _, reason = judge_measured(rows(False, campaign="reference"), LIMIT, claims)
    assert reason == "what limits our lab: 10: It is so (supported)"
    verdict, reason = judge_measured(rows(False), LIMIT, claims)
    assert reason == "claim of chapter 10: It is so (refuted)"
    assert verdict_words(verdict, reason).startswith("differs, unexplained; claim of chapter 10: ")


def test_a_wide_tolerance_is_not_agreement():
    derived = pd.DataFrame(
        {"near": [True, False], "in_digits": [False, True], "agrees": [True, True]}
    )
    assert judge_derived(derived) == (Counterpart.FOLLOWS, "")
    wide = derived.assign(in_digits=False)
    verdict, reason = judge_derived(wide)
    assert verdict == Counterpart.DOES_NOT_FOLLOW
    assert reason.startswith("1 only within a wider tolerance")
    off = wide.assign(agrees=[True, False])
    assert judge_derived(off)[1].startswith("table 10-disagreements has 1 of them")


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Judge a campaign of section 2.1 alone."""
    return judge_counterparts(
        build_campaign(
            tmp_path_factory.mktemp("one"), sections=["2.1"], clients_per_thread=(12, 32)
        )
    )


@slow
def test_nothing_that_is_listed_gets_lost(judged):
    listed = read_counterparts()
    names = ["study", "place", "shows", "see"]
    assert (
        judged[names]
        .drop_duplicates(ignore_index=True)
        .equals(listed[names].drop_duplicates(ignore_index=True))
    )
    assert set(judged["verdict"]) <= set(Counterpart)


@slow
def test_an_empty_campaign_is_compared_with_nothing(tmp_path):
    for name, (sections, _) in COMPARISONS.items():
        assert compare_with_published(name, tmp_path).empty == bool(sections), name
    with pytest.raises(ValueError, match="comparison must be one of"):
        compare_with_published("everything", tmp_path)
