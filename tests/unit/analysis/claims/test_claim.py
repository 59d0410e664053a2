import json

from analysis.claims.claim import Claim, claims_table, differences
from analysis.claims.rules import at_least
from analysis.statistics.estimates import mean_of


def claim(values, statement="Links are busy.", section="2.1"):
    return Claim(
        section=section,
        statement=statement,
        quantity="utilization",
        rule=at_least(0.9),
        estimate=mean_of(values),
        see="02-1-limits",
    )


def test_a_claim_is_told_with_its_number_its_interval_and_its_rule():
    told = json.loads(json.dumps(claim([0.95, 0.95]).to_dict(), allow_nan=False))
    assert told == {
        "section": "2.1",
        "statement": "Links are busy.",
        "quantity": "utilization",
        "rule": "at least 0.9",
        "value": 0.95,
        "ci_low": 0.95,
        "ci_high": 0.95,
        "verdict": "holds",
        "instead": "",
        "see": "02-1-limits",
    }
    unknown = json.loads(json.dumps(claim([]).to_dict(), allow_nan=False))
    assert (unknown["value"], unknown["verdict"]) == (None, "cannot be told")


def test_table_has_a_row_for_each_claim():
    table = claims_table([claim([0.95, 0.95]), claim([0.5]), claim([])])
    assert table["measured"].tolist() == ["0.95", "0.5", "not measured"]
    assert table["verdict"].tolist() == ["holds", "cannot be told", "cannot be told"]
    assert claims_table([]).empty


def test_differences_are_other_verdicts_not_other_numbers():
    same, ours, theirs = claim([0.95, 0.95]), claim([1, 1], "A."), claim([0, 0], "A.")
    assert differences([same, ours], [claim([0.99, 0.99]), theirs]) == [(ours, theirs)]


def test_numbers_have_the_digits_that_their_interval_leaves():
    table = claims_table([claim([0.951, 0.953, 0.949]), claim([17210, 17330, 17300])])
    assert table["measured"].tolist() == [
        "0.951 (0.946 to 0.956)",
        "17\N{NARROW NO-BREAK SPACE}280 (17\N{NARROW NO-BREAK SPACE}125 to "
        "17\N{NARROW NO-BREAK SPACE}435)",
    ]
