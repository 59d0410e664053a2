import numpy as np
import pytest

from analysis.statistics.precision.split_by_regime import regimes


def test_queues_of_two_regimes_are_told_apart():
    """Sets, 16 workers, 288 clients: queues of 3, 232 and 19 jobs."""
    assert regimes([3.0, 232.1, 19.2], [5.6, 37.0, 27.0], least=14) == [0, 1, 0]


def test_what_errors_allow_is_one_regime():
    assert regimes([100.0, 104.0, 97.0], [3.0, 2.0, 4.0]) is None


def test_a_gap_that_does_not_matter_is_none():
    assert regimes([80.1, 80.2], [0.001, 0.001], least=5) is None
    assert regimes([80.1, 80.2], [0.001, 0.001]) == [0, 1]


def test_without_errors_nothing_is_told():
    assert regimes([1.0, 100.0], [0.1, np.nan]) is None
    assert regimes([1.0], [0.1]) is None


def test_runs_without_any_spread_differ_if_they_do():
    assert regimes([5.0, 5.0, 7.0], [0.0, 0.0, 0.0]) == [0, 0, 1]
    assert regimes([0.0, 0.0], [0.0, 0.0]) is None


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize("unequal", [1, 5])
def test_one_regime_is_split_in_at_most_one_of_a_hundred(count, unequal):
    rng = np.random.default_rng(10 * count + unequal)
    splits = 0
    for _ in range(3000):
        sigmas = np.geomspace(1, unequal, count)
        errors = sigmas * np.sqrt(rng.chisquare(9, count) / 9)
        splits += regimes(rng.normal(100, sigmas), errors) is not None
    assert splits / 3000 < 0.01 + 3 * np.sqrt(0.01 / 3000)


@pytest.mark.parametrize(
    ("means", "errors", "least", "words"),
    [
        ([1.0, 2.0], [1.0], 0, "an error is needed"),
        ([1.0, 2.0], [1.0, 1.0], -1, "gap"),
    ],
)
def test_wrong_arguments_are_told(means, errors, least, words):
    with pytest.raises(ValueError, match=words):
        regimes(means, errors, least=least)
