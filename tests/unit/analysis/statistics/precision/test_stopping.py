import numpy as np
import pytest
from scipy import stats

from analysis.statistics.precision.stopping import standing

BOUNDS = (2, 6)


def half_width(values, count=None):
    count = count or len(values)
    return stats.t.ppf(0.99, count - 1) * np.std(values, ddof=1) / np.sqrt(count)


def test_the_half_width_is_that_of_students_t_at_98_percent():
    means = [100.0, 104.0, 96.0, 100.0]
    cell = standing(means, goal=0.02, repetitions=BOUNDS)
    assert cell.half_width == pytest.approx(half_width(means))
    assert cell.relative == pytest.approx(half_width(means) / 100)
    assert not cell.known


def test_repetitions_that_agree_are_enough():
    cell = standing([100.0, 100.3, 99.8], goal=0.02, repetitions=(3, 10))
    assert cell.known
    assert cell.needed is None
    assert cell.half_width < 2


def test_fewer_than_the_fewest_are_never_enough():
    cell = standing([100.0, 100.0], goal=0.05, repetitions=(3, 10))
    assert not cell.known
    assert cell.needed == 3


def test_one_repetition_has_no_interval():
    cell = standing([100.0], goal=0.05, repetitions=BOUNDS)
    assert np.isnan(cell.half_width)
    assert not cell.known
    assert cell.needed is None


@pytest.mark.parametrize("goal", [0.02, 0.052])
def test_what_is_needed_is_enough_if_the_spread_stays(goal):
    means = [100.0, 104.0, 96.0, 100.0]
    cell = standing(means, goal=goal, repetitions=BOUNDS)
    assert half_width(means, cell.needed) <= 100 * goal < half_width(means, cell.needed - 1)


def test_means_that_no_number_of_repetitions_is_enough_for_need_none():
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
    ],
)
def test_arguments_out_of_their_domain_are_refused(arguments, words):
    with pytest.raises(ValueError, match=words):
        standing(**{"goal": 0.02, "repetitions": BOUNDS} | arguments)
