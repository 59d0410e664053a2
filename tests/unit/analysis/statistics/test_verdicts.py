"""Planted differences: how often each verdict is right, and when nothing can be told."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.estimates import Estimate, mean_of, ratio_of
from analysis.statistics.verdicts import Equality, equality, equality_by_bounds

EQUAL, DIFFERENT, UNKNOWN = Equality.EQUAL, Equality.DIFFERENT, Equality.CANNOT_BE_TOLD
MARGIN = 0.05


def shares(truth, sd, repetitions=4, experiments=2000, seed=1):
    """Share of each verdict on a number whose target is 1."""
    draws = np.random.default_rng(seed).normal(truth, sd, (experiments, repetitions))
    found = [equality(mean_of(values.tolist()), 1, MARGIN) for values in draws]
    return {verdict: found.count(verdict) / experiments for verdict in Equality}


@pytest.mark.parametrize("sd", [0.005, 0.02, 0.05])
@pytest.mark.parametrize("repetitions", [3, 6])
def test_what_is_as_far_off_as_the_margin_is_called_equal_in_a_twentieth(sd, repetitions):
    assert shares(1 + MARGIN, sd, repetitions)[EQUAL] <= 0.065


@pytest.mark.parametrize("sd", [0.005, 0.02, 0.05, 0.2])
@pytest.mark.parametrize("repetitions", [3, 6])
def test_what_is_the_same_is_called_different_in_a_twentieth(sd, repetitions):
    assert shares(1, sd, repetitions)[DIFFERENT] <= 0.065


def test_good_data_always_tells():
    for truth, verdict in ((1.0, EQUAL), (1.02, EQUAL), (1.1, DIFFERENT), (0.24, DIFFERENT)):
        assert shares(truth, 0.005)[verdict] > 0.99


def test_bad_data_tell_nothing_but_what_is_far_off():
    assert shares(1, 0.5)[UNKNOWN] > 0.9
    assert shares(0.24, 0.15, repetitions=6)[DIFFERENT] > 0.99


@given(
    value=st.floats(0.1, 10),
    error=st.floats(0, 5),
    freedom=st.integers(1, 30),
    is_ratio=st.booleans(),
    margin=st.floats(0.01, 0.5),
)
def test_nothing_is_left_open_by_an_interval_narrower_than_the_margin(
    value, error, freedom, is_ratio, margin
):
    estimate = Estimate(value=value, error=error, freedom=freedom, is_ratio=is_ratio)
    low, high = estimate.interval()
    if high - low < margin:
        assert equality(estimate, 1, margin) != UNKNOWN


def test_ratios_are_judged_by_their_own_interval():
    assert equality(ratio_of([200, 201, 199], [100, 100.5, 99.5]), 2, MARGIN) == EQUAL
    assert equality(ratio_of([200, 201, 199], [100]), 2, MARGIN) == UNKNOWN


def test_bounds_that_are_known_can_be_judged():
    assert equality_by_bounds((0.98, 1.01), (0.97, 1.02), 1, MARGIN) == EQUAL
    assert equality_by_bounds((0.98, np.inf), (0.97, np.inf), 1, MARGIN) == UNKNOWN
    assert equality_by_bounds((1.2, np.inf), (1.1, np.inf), 1, MARGIN) == DIFFERENT


@pytest.mark.parametrize(
    ("target", "margin", "message"),
    [(0, 0.05, "target must be a number other than 0"), (1, 0, "margin must be > 0, got 0")],
)
def test_targets_and_margins_have_domains(target, margin, message):
    with pytest.raises(ValueError, match=message):
        equality(mean_of([1, 1]), target, margin)
