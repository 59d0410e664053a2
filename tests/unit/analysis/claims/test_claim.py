import json

import pandas as pd
import pytest

from analysis.claims.claim import Claim, Kind, claims_table, doubtful_findings, pair
from analysis.claims.measurements import Measurements, NotMeasured
from analysis.claims.rules import Verdict, at_least, equal_to
from analysis.figures import present
from analysis.statistics.estimates import mean_of


def outcome(values, name="busy", statement="Links are busy.", **others):
    claim = Claim(
        id=f"writes.{name}",
        section="2.1",
        statement=statement,
        quantity="utilization",
        rule=at_least(0.9),
        see="02-1-limits",
        compute=lambda measured: mean_of(values),
        **others,
    )
    return claim.judge(Measurements({}))


def test_a_claim_is_told_with_its_number_its_interval_and_its_rule():
    told = json.loads(json.dumps(outcome([0.95, 0.95]).to_dict(), allow_nan=False))
    assert told == {
        "id": "writes.busy",
        "section": "2.1",
        "kind": "finding",
        "statement": "Links are busy.",
        "quantity": "utilization",
        "rule": "at least 0.9",
        "value": 0.95,
        "ci_low": 0.95,
        "ci_high": 0.95,
        "verdict": "supported",
        "instead": "",
        "see": "02-1-limits",
    }
    unknown = json.loads(json.dumps(outcome([]).to_dict(), allow_nan=False))
    assert (unknown["value"], unknown["verdict"]) == (None, "undecided")


def test_table_has_a_row_for_each_claim():
    table = claims_table([outcome([0.95, 0.95]), outcome([0.5]), outcome([])])
    assert table["measured"].tolist() == ["0.95", "0.5", "not measured"]
    assert table["verdict"].tolist() == ["supported", "undecided: no repetitions", "undecided"]
    assert claims_table([]).empty


def test_campaigns_are_compared_by_id_however_a_claim_is_worded():
    ours, theirs = outcome([1, 1]), outcome([0, 0], statement="Every link is busy.")
    one, other = outcome([1, 1], "ours"), outcome([1, 1], "theirs")
    assert [pairs[1:] for pairs in pair([one, ours], [theirs, other])] == [
        (ours, theirs),
        (None, other),
        (one, None),
    ]


def test_numbers_have_the_digits_that_their_interval_leaves():
    table = claims_table([outcome([0.951, 0.953, 0.949]), outcome([17210, 17330, 17300])])
    assert table["measured"].tolist() == [
        "0.951 (0.943 to 0.959)",
        "17\N{NARROW NO-BREAK SPACE}280 (17\N{NARROW NO-BREAK SPACE}029 to "
        "17\N{NARROW NO-BREAK SPACE}531)",
    ]


def test_findings_that_chance_explains_are_named():
    """One clear finding among a hundred that are barely decided or not at all."""
    clear = outcome([1.0, 1.001, 0.999], "clear")
    barely = outcome([0.99, 1.01, 0.97, 0.93, 1.03], "barely")
    assert clear.verdict == barely.verdict == Verdict.SUPPORTED
    noise = [outcome([0.8, 1.0, 0.95, 0.9 + n / 1e4], f"{n}") for n in range(98)]
    doubtful, staying = doubtful_findings([clear, barely, *noise])
    assert doubtful == [barely]
    assert staying == 1
    alone, _ = doubtful_findings([clear, barely])
    assert alone == []
    assert doubtful_findings([outcome([1, 1.001, 0.999], kind=Kind.VALIDITY)]) == ([], 0)


def test_findings_come_before_validity_checks():
    check = outcome([1, 1], statement="Law.", kind=Kind.VALIDITY)
    table = claims_table([check, outcome([1, 1])])
    assert table["claim"].tolist() == ["Links are busy.", "Law."]
    assert table["kind"].tolist() == ["finding", "validity check"]


def test_a_chapters_answer_leaves_out_checks_that_hold_unless_there_is_nothing_else():
    holds = outcome([1, 1], statement="Holds.", kind=Kind.VALIDITY)
    fails = outcome([0.5, 0.5], statement="Fails.", kind=Kind.VALIDITY)

    def claims(*outcomes):
        table = present.answer(outcomes, "02-answer")
        return table.columns[table.headings.index("Claim")]

    assert claims(holds, fails, outcome([1, 1])) == ["Links are busy.", "Fails."]
    assert claims(holds) == ["Holds."]


def judged(compute, rule, **others):
    claim = Claim(
        id="writes.one",
        section="4.1",
        statement="Nothing changes.",
        quantity="ratio",
        rule=rule,
        see="04-1-load",
        compute=compute,
        **others,
    )
    return claim.judge(Measurements({}))


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([], "undecided: no runs of q3"),
        ([1.0], "undecided: no repetitions"),
        ([0.7, 1.0, 1.3], "undecided: the interval is too wide"),
        ([0.99, 1.0, 1.01], "supported"),
    ],
)
def test_what_cannot_be_told_says_why(values, told):
    own = judged(lambda measured: mean_of(values), equal_to(1, 0.05), missing="no runs of q3")
    assert own.told == told


@pytest.mark.parametrize(
    ("reason", "told"), [((), "undecided: no runs"), (("no disk",), "undecided: no disk")]
)
def test_what_was_not_measured_is_undecided(reason, told):
    def compute(measured):
        raise NotMeasured(*reason)

    assert judged(compute, at_least(1), missing="no runs").told == told


@pytest.mark.parametrize(
    ("missing", "told"),
    [(3, "refuted: 3 of 20 miss: a, b, c"), (12, "refuted: 12 of 20 miss: a, b, c and 9 more")],
)
def test_a_share_names_three_cells_that_miss_and_counts_the_rest(missing, told):
    passes = pd.Series([number >= missing for number in range(20)], list("abcdefghijklmnopqrst"))
    assert judged(lambda measured: passes, at_least(0.9)).told == told
