from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from analysis.statistics.precision.stopping import standing
from analysis.statistics.spread import Usual

BOUNDS = (2, 6)


def test_the_larger_of_both_errors_counts():
    means = [100.0, 104.0, 96.0, 100.0]
    between = stats.t.ppf(0.985, 3) * np.std(means, ddof=1) / 2
    within = stats.t.ppf(0.975, 36) * 5.0 / 2
    assert standing(means, goal=0.02, repetitions=BOUNDS).half_width == pytest.approx(between)
    small = standing(means, goal=0.02, repetitions=BOUNDS, errors=[0.1] * 4)
    assert small.half_width == pytest.approx(between)
    same = standing([100.0] * 4, goal=0.02, repetitions=BOUNDS, errors=[5.0] * 4)
    assert same.half_width == pytest.approx(within)
    assert same.relative == pytest.approx(within / 100)
    assert not same.known


def test_repetitions_that_agree_and_know_themselves_are_enough():
    cell = standing([100.0, 100.3, 99.8], goal=0.02, repetitions=(3, 10), errors=[0.5, 0.4, 0.6])
    assert cell.known
    assert cell.needed is None
    assert cell.half_width < 2


def test_repetitions_that_agree_by_luck_are_not_enough():
    cell = standing([100.0, 100.1, 99.9], goal=0.02, repetitions=(3, 10), errors=[5.0, 4.0, 6.0])
    assert not cell.known
    assert cell.needed > 3


def test_two_repetitions_are_enough_only_where_they_differ_by_a_fourth_of_the_goal():
    errors = [0.3, 0.3]
    near = standing([100.0, 100.4], goal=0.02, repetitions=BOUNDS, errors=errors)
    assert near.known
    assert near.relative == pytest.approx(0.02)
    far = standing([100.0, 100.6], goal=0.02, repetitions=BOUNDS, errors=errors)
    assert not far.known
    assert far.half_width > 2
    unsure = standing([100.0, 100.4], goal=0.02, repetitions=BOUNDS, errors=[2.0, 2.0])
    assert not unsure.known


def test_fewer_than_the_fewest_are_never_enough():
    cell = standing([100.0, 100.0], goal=0.05, repetitions=(3, 10), errors=[0.1, 0.1])
    assert not cell.known
    assert cell.needed == 3


def test_one_repetition_tells_nothing_but_what_it_would_take():
    cell = standing([100.0], goal=0.05, repetitions=BOUNDS, errors=[2.0])
    assert np.isnan(cell.half_width)
    assert not cell.known
    assert 2 < cell.needed < 10
    alone = standing([100.0], goal=0.05, repetitions=BOUNDS)
    assert alone.needed is None


def test_an_error_that_cannot_be_told_leaves_the_spread():
    means = [100.0, 104.0, 96.0]
    unknown = standing(means, goal=0.02, repetitions=BOUNDS, errors=[0.1, np.nan, 0.1])
    assert unknown == standing(means, goal=0.02, repetitions=BOUNDS)


def test_what_is_needed_is_enough_if_the_spread_stays():
    cell = standing([100.0, 104.0, 96.0, 100.0], goal=0.02, repetitions=BOUNDS)
    spread = np.std([100.0, 104.0, 96.0, 100.0], ddof=1)

    def half_width(count):
        return stats.t.ppf(0.985, count - 1) * spread / np.sqrt(count)

    assert half_width(cell.needed) <= 2 < half_width(cell.needed - 1)


def test_what_no_number_is_enough_for_has_none():
    assert standing([-1.0, 1.0], goal=0.02, repetitions=BOUNDS).needed is None
    assert np.isnan(standing([-1.0, 1.0], goal=0.02, repetitions=BOUNDS).relative)
    assert standing([1e-3, 1.0], goal=1e-5, repetitions=BOUNDS).needed is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"means": []}, "finite means"),
        ({"means": [1.0, np.nan]}, "finite means"),
        ({"means": [1.0], "goal": 0.0}, "goal"),
        ({"means": [1.0], "repetitions": (3, 2)}, "fewest"),
        ({"means": [1.0], "errors": [1.0, 2.0]}, "an error is needed"),
        ({"means": [1.0], "errors": [-1.0]}, "an error is needed"),
    ],
)
def test_wrong_arguments_are_told(arguments, words):
    with pytest.raises(ValueError, match=words):
        standing(**{"goal": 0.02, "repetitions": BOUNDS} | arguments)


@pytest.mark.slow
@pytest.mark.parametrize("between", [0.0, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("bounds", [(2, 6), (3, 10)])
def test_intervals_hold_the_truth_wherever_one_stops(between, bounds):
    """Runs that differ, with errors within: 600 campaigns, against 93 % less three sigma."""
    rng = np.random.default_rng(15)
    goal, within, held = 0.02, 0.3, 0
    for _ in range(600):
        means = rng.normal(1, goal * np.hypot(between, within), bounds[1])
        errors = goal * within * np.sqrt(rng.chisquare(9, bounds[1]) / 9)
        for count in range(bounds[0], bounds[1] + 1):
            cell = standing(means[:count], goal=goal, repetitions=bounds, errors=errors[:count])
            if cell.known:
                break
        held += abs(cell.mean - 1) <= cell.half_width
    assert held / 600 > 0.93 - 3 * np.sqrt(0.93 * 0.07 / 600)


USUAL = Usual(variance=0.01**2, freedom=20, of_all=30)


def test_repetitions_that_differ_as_is_usual_are_enough():
    means, errors = [100.0, 101.2], [0.3, 0.3]
    assert not standing(means, goal=0.02, repetitions=BOUNDS, errors=errors).known
    shared = standing(means, goal=0.02, repetitions=BOUNDS, errors=errors, usual=USUAL)
    assert shared.known
    assert shared.half_width == pytest.approx(0.02 * shared.mean)


def test_repetitions_unlike_the_others_are_not():
    far = standing([100.0, 106.0], goal=0.02, repetitions=BOUNDS, errors=[0.3] * 2, usual=USUAL)
    assert not far.known
    noisy = replace(USUAL, variance=0.03**2)
    assert not standing([100.0, 101.5], goal=0.02, repetitions=BOUNDS, usual=noisy).known


def test_what_is_not_known_of_each_run_is_not_lent():
    cell = standing([100.0, 101.0], goal=0.02, repetitions=BOUNDS, errors=[2.0] * 2, usual=USUAL)
    assert not cell.known


def test_what_is_not_known_is_told_by_the_shared_spread_too():
    means = [100.0, 106.0]
    alone = standing(means, goal=0.02, repetitions=BOUNDS)
    shared = standing(means, goal=0.02, repetitions=BOUNDS, usual=USUAL)
    assert alone.half_width > 60
    assert shared.half_width == pytest.approx(9.0)  # three standard errors
