import json
from dataclasses import replace

from analysis.claims.claim import Claim, Kind, claims_table, differences, doubtful_findings
from analysis.claims.rules import Verdict, at_least
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
    unknown = json.loads(json.dumps(claim([]).to_dict(), allow_nan=False))
    assert (unknown["value"], unknown["verdict"]) == (None, "undecided")


def test_table_has_a_row_for_each_claim():
    table = claims_table([claim([0.95, 0.95]), claim([0.5]), claim([])])
    assert table["measured"].tolist() == ["0.95", "0.5", "not measured"]
    assert table["verdict"].tolist() == ["supported", "undecided", "undecided"]
    assert claims_table([]).empty


def test_differences_are_other_verdicts_not_other_numbers():
    same, ours, theirs = claim([0.95, 0.95]), claim([1, 1], "A."), claim([0, 0], "A.")
    assert differences([same, ours], [claim([0.99, 0.99]), theirs]) == [(ours, theirs)]


def test_numbers_have_the_digits_that_their_interval_leaves():
    table = claims_table([claim([0.951, 0.953, 0.949]), claim([17210, 17330, 17300])])
    assert table["measured"].tolist() == [
        "0.951 (0.943 to 0.959)",
        "17\N{NARROW NO-BREAK SPACE}280 (17\N{NARROW NO-BREAK SPACE}029 to "
        "17\N{NARROW NO-BREAK SPACE}531)",
    ]


def test_findings_that_chance_explains_are_named():
    """One clear finding among a hundred that are barely decided or not at all."""
    clear = claim([1.0, 1.001, 0.999], "Clear.")
    barely = claim([0.99, 1.01, 0.97, 0.93, 1.03], "Barely.")
    assert clear.verdict == barely.verdict == Verdict.SUPPORTED
    noise = [claim([0.8, 1.0, 0.95, 0.9 + n / 1e4], f"{n}") for n in range(98)]
    doubtful, staying = doubtful_findings([clear, barely, *noise])
    assert doubtful == [barely]
    assert staying == 1
    alone, _ = doubtful_findings([clear, barely])
    assert alone == []
    checks = [replace(one, kind=Kind.VALIDITY) for one in (clear, barely)]
    assert doubtful_findings(checks) == ([], 0)


def test_findings_come_before_validity_checks():
    check = replace(claim([1, 1], "Law."), kind=Kind.VALIDITY)
    table = claims_table([check, claim([1, 1])])
    assert table["claim"].tolist() == ["Links are busy.", "Law."]
    assert table["kind"].tolist() == ["finding", "validity check"]
