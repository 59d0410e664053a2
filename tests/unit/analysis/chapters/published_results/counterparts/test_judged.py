"""Verdicts follow from the campaign's numbers, the studies' and the claims."""

import pandas as pd
import pytest

from analysis.chapters.published_results.counterparts.compared import COMPARISONS, compared
from analysis.chapters.published_results.counterparts.judged import (
    NOT_FITTED,
    NOT_MEASURED,
    Counterpart,
    explains,
    judge_derived,
    judge_measured,
    judged_counterparts,
    together,
    verdict_words,
)
from analysis.chapters.published_results.counterparts.listed import listed_counterparts
from analysis.chapters.published_results.counterparts.printed_numbers import Quantity
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
    return judged_counterparts(
        build_campaign(
            tmp_path_factory.mktemp("one"), sections=["2.1"], clients_per_thread=(12, 32)
        )
    )


def of(judged: pd.DataFrame, study: str, place: str) -> list[dict]:
    return judged[(judged["study"] == study) & (judged["place"] == place)].to_dict("records")


@slow
def test_nothing_that_is_listed_gets_lost(judged):
    listed = listed_counterparts()
    names = ["study", "place", "shows", "see"]
    assert (
        judged[names]
        .drop_duplicates(ignore_index=True)
        .equals(listed[names].drop_duplicates(ignore_index=True))
    )
    assert set(judged["verdict"]) <= set(Counterpart)


@slow
def test_gets_of_a_campaign_stand_beside_sets_of_the_studies_machines(judged):
    found = of(judged, "schmid2018", "table 2")
    kinds = [(row["workload"], row["campaign"], row["numbers"]) for row in found]
    assert ("set", "schmid2018", 1) in kinds
    (gets,) = (row for row in found if row["workload"] == "get")
    assert (gets["numbers"], gets["near"], gets["verdict"]) == (1, 1, Counterpart.REPRODUCED)
    assert 0.9 <= gets["ratio_from"] <= gets["ratio_to"] <= 1.1


@slow
def test_figures_send_to_the_table_that_has_their_numbers(judged):
    (row,) = of(judged, "yenicelik2018", "figures of section 2.1, gets")
    assert (row["verdict"], row["reason"]) == (Counterpart.ELSEWHERE, "section 2.3, table")


@slow
def test_what_was_not_measured_is_not_compared(judged):
    (bandwidths,) = of(judged, "schmid2018", "table 1")
    assert (bandwidths["verdict"], bandwidths["reason"]) == (Counterpart.NOT_COMPARED, NOT_MEASURED)
    assert pd.isna(bandwidths["numbers"])
    (derived,) = of(judged, "su2015", "table 6")
    assert derived["verdict"] == Counterpart.FOLLOWS


@slow
@pytest.mark.parametrize(
    ("study", "place", "numbers", "near", "in_digits"),
    [
        ("cetin2018", "table 11", 13, 5, 6),
        ("yenicelik2018", "table 7", 16, 13, 3),
        ("su2015", "table 5", 30, 26, 30),
    ],
)
def test_derived_numbers_are_not_near_because_a_tolerance_is_wide(
    judged, study, place, numbers, near, in_digits
):
    (row,) = (r for r in of(judged, study, place) if r["quantity"] == "")
    assert (row["numbers"], row["near"], row["in_digits"]) == (numbers, near, in_digits)


@slow
def test_rows_of_one_verdict_stand_together(judged):
    table = together(judged)
    assert len(table) < len(judged) / 2
    conditions = table[table["verdict"].str.endswith("it holds conditions and no results")]
    assert len(conditions) == 4  # all studies but Su's print them
    assert conditions["places"].iloc[0].startswith("section 2.1, configuration table; section 2.2,")


@slow
def test_an_empty_campaign_is_compared_with_nothing(tmp_path):
    for name, (sections, _) in COMPARISONS.items():
        assert compared(name, tmp_path).empty == bool(sections), name
    with pytest.raises(ValueError, match="comparison must be one of"):
        compared("everything", tmp_path)
