"""The claims of chapter 4, on made-up runs."""

from dataclasses import replace

import pytest

from analysis.chapters.writes.claims import chapter
from analysis.claims.measurements import Measurements
from analysis.claims.rules import Verdict
from tests.helpers.limits import made_up


def of(tables):
    outcomes = chapter.judge(Measurements(tables))
    return {one.claim.id.removeprefix("writes."): one for one in outcomes}


@pytest.mark.parametrize(
    ("far", "told"), [({}, "supported"), ({"s3": 4.0}, "refuted: s3 answers after 4.00 ms")]
)
def test_a_far_server_is_named(far, told):
    judged = of({"4.1": made_up(far=far)})
    assert judged["no-server-answers-later"].told.startswith(told)


@pytest.mark.parametrize(("least_clients", "is_told"), [(6, True), (48, False)])
def test_what_three_servers_cost_is_said_of_equal_loads_only(least_clients, is_told):
    three, one = made_up(), made_up()
    for tables in (three, one):
        tables.runs["workers"] = 64
    one = replace(one, runs=one.runs[one.runs["num_clients"] >= least_clients])
    judged = of({"4.1": three, "3.2": one})
    lone = judged["three-servers-cost-a-lone-set-little"]
    assert (lone.verdict is not Verdict.UNDECIDED) == is_told
    assert judged["three-servers-take-fewer-sets"].verdict is not Verdict.UNDECIDED
