import numpy as np
import pytest
from scipy.signal import lfilter

from analysis.statistics.precision.batches import LEAST_BATCHES, batch_means


def autoregressive(rng, runs, slices, correlation):
    noise = rng.normal(size=(runs, slices + 400))
    return lfilter([1], [1, -correlation], noise, axis=1)[:, 400:]


def test_independent_slices_have_the_error_of_a_mean():
    rng = np.random.default_rng(1)
    found = [batch_means(rng.normal(10, 2, 200)) for _ in range(300)]
    variances = [run.error**2 for run in found if run.batches]
    assert len(variances) > 290
    assert np.mean(variances) == pytest.approx(4 / 200, rel=0.25)
    assert np.std([run.mean for run in found]) == pytest.approx(2 / np.sqrt(200), rel=0.15)


def test_ten_batches_have_the_error_of_ten_repetitions():
    """Batches of two slices are 1 and -1 in turns: their variance is 10 / 9."""
    run = batch_means([1.0, 1.0, -1.0, -1.0] * 5)
    assert run.batches == LEAST_BATCHES
    assert run.error == pytest.approx(1 / 3)


def test_a_slice_that_is_left_over_at_the_start_adds_nothing_to_the_error():
    slices = np.random.default_rng(7).normal(10, 2, 40)
    first, second = (batch_means([start, *slices]) for start in (9.0, 11.0))
    assert first.batches == second.batches == 20
    assert first.error == pytest.approx(second.error)


def test_correlated_slices_have_the_error_of_their_long_run():
    rng = np.random.default_rng(2)
    found = [batch_means(run) for run in autoregressive(rng, 200, 1000, 0.8)]
    variances = [run.error**2 for run in found if run.batches]
    assert len(variances) > 170
    assert np.mean(variances) == pytest.approx(25 / 1000, rel=0.25)


def test_a_run_that_is_too_short_for_its_correlation_has_no_error():
    rng = np.random.default_rng(3)
    found = [batch_means(run) for run in autoregressive(rng, 200, 60, 0.95)]
    assert np.mean([run.batches == 0 for run in found]) > 0.9
    assert all(np.isnan(run.error) for run in found if run.batches == 0)


def test_a_drift_has_no_error():
    slices = np.linspace(90, 110, 300) + np.random.default_rng(4).normal(0, 0.5, 300)
    assert batch_means(slices).batches == 0


def test_batches_are_at_least_ten():
    rng = np.random.default_rng(5)
    numbers = [batch_means(rng.normal(size=slices)).batches for slices in range(5, 60)]
    assert set(numbers) - {0} and min(set(numbers) - {0}) >= LEAST_BATCHES
    assert set(numbers[: 2 * LEAST_BATCHES - 5]) == {0}


def test_a_ratio_is_of_sums():
    """Mean response time: slices with many requests count for more."""
    rng = np.random.default_rng(6)
    found = []
    for _ in range(300):
        counts = rng.poisson(50, 200)
        times = rng.gamma(counts, 2.0)
        found.append(batch_means(times, counts))
        assert found[-1].mean == times.sum() / counts.sum()
    variances = [run.error**2 for run in found if run.batches]
    assert np.mean(variances) == pytest.approx(2.0**2 / (50 * 200), rel=0.25)


@pytest.mark.parametrize(
    ("totals", "weights"),
    [([1.0, np.nan], None), ([1.0, 2.0], [1.0]), ([1.0, 2.0], [0.0, 0.0]), ([], None)],
)
def test_wrong_slices_are_told(totals, weights):
    with pytest.raises(ValueError, match="weights"):
        batch_means(totals, weights)


def test_slices_that_never_change_have_no_spread():
    run = batch_means(np.full(40, 7.0))
    assert (run.mean, run.error) == (7.0, 0.0)
