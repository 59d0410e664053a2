"""Claims of limits say what limits where they do not hold."""

import pandas as pd
import pytest

from analysis.claims.claim import Chapter, claims_table
from analysis.claims.measurements import Measurements, by_repetition, once, whole_repetitions
from analysis.claims.rules import Verdict
from analysis.claims.shared import full_link, idle_cpus
from tests.helpers.limits import made_up


def of_link(tables, role="middlewares", **where):
    chapter = Chapter("writes")
    full_link(chapter, "full", "Its link limits sets.", "4.1", role, "04-2-limits", **where)
    (claim,) = chapter.judge(Measurements({} if tables is None else {"4.1": tables}))
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


def test_a_quota_is_a_machine_of_its_own():
    chapter = Chapter("writes")
    idle_cpus(chapter, "4.1", see="04-2-limits")
    (claim,) = chapter.judge(Measurements({"4.1": made_up(quotas={"clients": 0.97})}))
    assert claim.told == "refuted: c1's CPU 0.97 busy"


def test_what_several_claims_need_is_computed_once_for_each_campaign():
    computed = []
    number = once(lambda measured: computed.append(measured) or len(computed))
    one, other = Measurements({}), Measurements({})
    assert [number(one), number(one), number(other)] == [1, 1, 2]


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
