"""The claims of chapter 4, on made-up runs."""

from dataclasses import replace

import pytest

from analysis.chapters.writes import claims
from analysis.claims.findings import Findings
from analysis.claims.rules import Verdict
from tests.helpers.limits import made_up


@pytest.mark.parametrize(
    ("far", "told"), [({}, "supported"), ({"s3": 4.0}, "refuted: s3 answers after 4.00 ms")]
)
def test_a_far_server_is_named(far, told):
    found = Findings({"4.1": made_up(far=far)})
    claims.check(found)
    (claim,) = [c for c in found.claims if c.statement.startswith("No server answers later")]
    assert claim.told.startswith(told)


@pytest.mark.parametrize(("least_clients", "is_told"), [(6, True), (48, False)])
def test_what_three_servers_cost_is_said_of_equal_loads_only(least_clients, is_told):
    three, one = made_up(), made_up()
    for tables in (three, one):
        tables.runs["workers"] = 64
    one = replace(one, runs=one.runs[one.runs["num_clients"] >= least_clients])
    found = Findings({"4.1": three, "3.2": one})
    claims.check(found)
    (lone,) = [c for c in found.claims if c.statement.startswith("Waiting for the slowest")]
    (full,) = [c for c in found.claims if c.statement.startswith("Three servers take fewer")]
    assert (lone.verdict is not Verdict.UNDECIDED) == is_told
    assert full.verdict is not Verdict.UNDECIDED


def test_what_claims_ask_for_is_told_whether_or_not_it_is_held():
    found = Findings({})
    claims.check(found)
    assert list(found.asked) == ["4.1", "3.2", "4.4"]
