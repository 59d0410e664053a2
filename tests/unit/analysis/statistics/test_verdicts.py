"""Planted truths: how often each verdict is wrong, and which intervals leave it undecided."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.statistics.estimates import Estimate, mean_of
from analysis.statistics.verdicts import Verdict, verdict_equal, verdict_within

SUPPORTED, REFUTED, UNDECIDED = Verdict
MARGIN = 0.05


def shares(truth, sd, repetitions=4, experiments=2000, seed=1):
    """Return the share of each verdict on a number whose target is 1."""
    draws = np.random.default_rng(seed).normal(truth, sd, (experiments, repetitions))
    found = [verdict_equal(mean_of(values.tolist()).interval(), 1, MARGIN) for values in draws]
    return {verdict: found.count(verdict) / experiments for verdict in Verdict}


@pytest.mark.parametrize("edge", [-MARGIN, MARGIN])
@pytest.mark.parametrize("sd", [0.005, 0.01, 0.05, 0.2])
@pytest.mark.parametrize("repetitions", [2, 3, 6])
def test_on_the_margin_a_twentieth_at_most_is_supported_or_refuted(edge, sd, repetitions):
    found = shares(1 + edge, sd, repetitions)
    assert found[SUPPORTED] <= 0.05
    assert found[REFUTED] <= 0.05


def test_precise_numbers_are_decided():
    for truth, verdict in (
        (1.0, SUPPORTED),
        (1.02, SUPPORTED),
        (1.1, REFUTED),
        (0.24, REFUTED),
    ):
        assert shares(truth, 0.005)[verdict] > 0.99


def test_numbers_without_precision_are_undecided_but_far_off():
    assert shares(1, 0.5)[UNDECIDED] > 0.9
    assert shares(0.24, 0.15, repetitions=6)[REFUTED] > 0.99


@given(
    value=st.floats(0.1, 10),
    error=st.floats(0, 5),
    freedom=st.integers(1, 30),
    is_ratio=st.booleans(),
    margin=st.floats(0.01, 0.5),
)
def test_each_verdict_is_of_the_whole_interval(value, error, freedom, is_ratio, margin):
    estimate = Estimate(value=value, error=error, freedom=freedom, is_ratio=is_ratio)
    low, high = estimate.interval()
    verdict = verdict_equal((low, high), 1, margin)
    inside = [1 - margin <= bound <= 1 + margin for bound in (low, high)]
    assert (verdict == SUPPORTED) == all(inside)
    assert (verdict == REFUTED) == (high < 1 - margin or low > 1 + margin)


def test_one_bound_is_enough_to_refute():
    assert verdict_equal((0.97, 1.02), 1, MARGIN) == SUPPORTED
    assert verdict_equal((0.97, np.inf), 1, MARGIN) == UNDECIDED
    assert verdict_equal((1.1, np.inf), 1, MARGIN) == REFUTED
    assert verdict_within((1.1, np.inf), (1.1, np.inf)) == SUPPORTED


@pytest.mark.parametrize("interval", [(0.5, 0.9), (1.1, 1.5)])
def test_an_interval_that_reaches_the_edge_of_the_margin_refutes_nothing(interval):
    assert verdict_within(interval, (0.9, 1.1)) == UNDECIDED


@pytest.mark.parametrize(
    ("target", "margin", "message"),
    [(0, 0.05, "target must be a number other than 0"), (1, 0, "margin must be > 0, got 0")],
)
def test_targets_and_margins_have_domains(target, margin, message):
    with pytest.raises(ValueError, match=message):
        verdict_equal((1.0, 1.0), target, margin)
