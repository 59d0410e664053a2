"""Claims of limits say what limits where they do not hold."""

import pandas as pd
import pytest

from analysis.claims.claim import claims_table
from analysis.claims.findings import Findings, by_repetition, whole_repetitions
from analysis.claims.rules import Verdict, at_least, equal_to
from analysis.statistics.estimates import mean_of
from tests.helpers.limits import made_up


def of_link(tables, role="middlewares", **where):
    found = Findings({} if tables is None else {"4.1": tables})
    found.check_link("4.1", "Its link limits sets.", role, see="04-2-limits", **where)
    (claim,) = found.claims
    return claim


def test_a_limit_that_does_not_hold_is_told_with_what_limits_instead():
    claim = of_link(made_up(quotas={"servers": 0.98}), workload="set", workers=8)
    assert claim.told == "refuted: servers' CPUs 0.98 of their quota"
    assert claim.to_dict()["instead"] == claim.instead
    assert claims_table([claim])["verdict"].tolist() == [claim.told]


@pytest.mark.parametrize("tables", [made_up(links={"middlewares": 0.98}), None])
def test_a_limit_that_holds_or_cannot_be_told_has_none(tables):
    claim = of_link(tables)
    assert claim.instead == ""
    assert claim.told == str(claim.verdict) != str(Verdict.REFUTED)


@pytest.mark.parametrize(
    ("values", "told"),
    [
        ([], "undecided"),
        ([1.0], "undecided: no repetitions"),
        ([0.7, 1.0, 1.3], "undecided: the interval is too wide"),
        ([0.99, 1.0, 1.01], "supported"),
    ],
)
def test_what_cannot_be_told_says_why(values, told):
    found = Findings({})
    found.check(
        "4.1",
        "Nothing changes.",
        quantity="ratio",
        measured=mean_of(values),
        holds=equal_to(1, 0.05),
        see="04-1-load",
    )
    assert found.claims[0].told == told


@pytest.mark.parametrize(
    ("missing", "told"),
    [(3, "refuted: 3 of 20 miss: a, b, c"), (12, "refuted: 12 of 20 miss: a, b, c and 9 more")],
)
def test_a_share_names_three_cells_that_miss_and_counts_the_rest(missing, told):
    found = Findings({})
    passes = pd.Series([number >= missing for number in range(20)], list("abcdefghijklmnopqrst"))
    found.check_share(
        "10",
        "All cells pass.",
        of="cells",
        passes=passes,
        holds=at_least(0.9),
        see="10-7-predicted",
    )
    assert found.claims[0].told == told


def test_a_quota_is_a_machine_of_its_own():
    found = Findings({"4.1": made_up(quotas={"clients": 0.97})})
    found.processors("4.1", see="04-2-limits")
    assert found.claims[0].told == "refuted: c1's CPU 0.97 busy"


def test_a_repetition_that_not_all_configurations_have_is_no_mean_of_them():
    runs = pd.DataFrame(
        {
            "workers": [8, 8, 64, 64, 64],
            "repetition": [1, 2, 1, 2, 3],
            "num_clients": 96,
            "ops_per_s": [10.0, 12.0, 30.0, 32.0, 34.0],
        }
    )
    assert by_repetition(runs, "ops_per_s").tolist() == [20, 22]
    assert by_repetition(runs, "ops_per_s", workers=64).tolist() == [30, 32, 34]


def test_a_repetition_counts_as_whole_however_many_seconds_its_runs_have():
    seconds = pd.DataFrame(
        {
            "workers": [8, 8, 8, 64, 8, 64, 8, 8, 8, 8],
            "repetition": [1, 1, 1, 1, 2, 2, 3, 3, 3, 3],
        }
    )
    assert whole_repetitions(seconds, "workers")["repetition"].unique().tolist() == [1, 2]
    assert whole_repetitions(seconds)["repetition"].unique().tolist() == [1, 3]
