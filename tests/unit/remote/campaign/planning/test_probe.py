import math

import pytest

from remote.campaign.planning.probe import Probe, Verdict

LIMIT_MS = 5.0
REPETITIONS = (3, 5)


def probe(*values, errors=(), throughput=1.0, given_up=False):
    count = len(values)
    return Probe(
        rate_per_s=1000,
        values_ms=values,
        errors_ms=errors or (math.nan,) * count,
        throughputs_per_s=(1000 * throughput,) * count,
        throughput_errors=(10.0,) * count,
        next_repetition=count + 1,
        given_up=given_up,
    )


def verdict(*values, **more):
    return probe(*values, **more).verdict(LIMIT_MS, REPETITIONS)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((4.4, 4.5, 4.6), Verdict.PASSES),
        ((5.4, 5.5, 5.6), Verdict.FAILS),
        ((4.8, 4.9, 5.0), Verdict.OPEN),
        ((4.5, 5.2, 4.9, 5.3, 4.4), Verdict.UNDECIDED),
    ],
)
def test_interval_must_lie_on_one_side_of_the_limit(values, expected):
    assert verdict(*values) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [((1.0,), Verdict.PASSES), ((9.0,), Verdict.FAILS), ((4.0,), Verdict.OPEN), ((), Verdict.OPEN)],
)
def test_few_repetitions_judge_only_what_is_far_from_the_limit(values, expected):
    assert verdict(*values) == expected


def test_what_is_not_known_within_a_run_counts():
    assert verdict(3.0) == Verdict.PASSES
    assert verdict(3.0, errors=(0.5,)) == Verdict.OPEN
    agree = (4.7, 4.7, 4.7)
    assert verdict(*agree) == Verdict.PASSES
    assert verdict(*agree, errors=(0.6, 0.6, 0.6)) == Verdict.OPEN


def test_a_rate_that_the_system_does_not_keep_up_with_fails_whatever_the_response_times():
    assert verdict(1.0, 1.0, 1.0, throughput=0.94) == Verdict.FAILS
    assert verdict(1.0, 1.0, 1.0, throughput=0.965) == Verdict.PASSES  # its interval holds 0.97
    assert verdict(1.0, 1.0, 1.0, throughput=0.98) == Verdict.PASSES


def test_no_more_is_asked_of_a_rate_whose_runs_are_refused():
    assert verdict(given_up=True) == Verdict.UNDECIDED
    assert verdict(4.9, 5.1, given_up=True) == Verdict.UNDECIDED


def test_confirmed_is_what_was_judged_alike_when_measured_again():
    def confirmed(*values):
        return probe(*values).is_confirmed(LIMIT_MS, REPETITIONS)

    assert not confirmed(1.0)
    assert not confirmed(4.4, 4.5, 4.6)
    assert confirmed(4.4, 4.5, 4.6, 4.5)
    assert not confirmed(4.4, 4.5, 4.6, 9.0)
