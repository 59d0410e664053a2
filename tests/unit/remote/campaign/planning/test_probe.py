import math

import pytest

from remote.campaign.planning.probe import Judgement, Limit, Probe

LIMIT = Limit(limit_ms=5.0, goal=0.05, repetitions=(3, 5))


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


def judged(*values, **more):
    return probe(*values, **more).judged(LIMIT)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((4.4, 4.5, 4.6), Judgement.PASSES),
        ((5.4, 5.5, 5.6), Judgement.FAILS),
        ((4.8, 4.9, 5.0), Judgement.OPEN),
        ((4.5, 5.2, 4.9, 5.3, 4.4), Judgement.UNDECIDED),
        ((1.0,), Judgement.PASSES),
        ((9.0,), Judgement.FAILS),
        ((4.0,), Judgement.OPEN),
        ((), Judgement.OPEN),
    ],
)
def test_what_is_judged_lies_on_one_side_of_the_limit(values, expected):
    assert judged(*values) == expected


def test_the_error_within_a_single_run_counts():
    assert judged(3.0) == Judgement.PASSES
    assert judged(3.0, errors=(0.5,)) == Judgement.OPEN


def test_a_rate_that_the_system_does_not_keep_up_with_fails_whatever_the_response_times():
    assert judged(1.0, 1.0, 1.0, throughput=0.94) == Judgement.FAILS
    assert judged(1.0, 1.0, 1.0, throughput=0.965) == Judgement.PASSES  # its interval holds 0.97
    assert judged(1.0, 1.0, 1.0, throughput=0.98) == Judgement.PASSES


def test_no_more_is_asked_of_a_rate_whose_runs_are_refused():
    assert judged(given_up=True) == Judgement.UNDECIDED
    assert judged(4.9, 5.1, given_up=True) == Judgement.UNDECIDED


def test_confirmed_is_what_was_judged_alike_when_measured_again():
    def confirmed(*values):
        return probe(*values).is_confirmed(LIMIT)

    assert not confirmed(1.0)
    assert not confirmed(4.4, 4.5, 4.6)
    assert confirmed(4.4, 4.5, 4.6, 4.5)
    assert not confirmed(4.4, 4.5, 4.6, 9.0)
