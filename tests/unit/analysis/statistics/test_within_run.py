import math

import numpy as np
import pytest

from analysis.statistics.within_run import (
    error_of_percentile,
    error_of_ratio,
    transient_slices,
)


@pytest.fixture
def rng():
    return np.random.default_rng(15)


def autoregressive(rng, length, phi):
    noise = rng.normal(size=length) * math.sqrt(1 - phi**2)
    series = np.empty(length)
    series[0] = rng.normal()
    for i in range(1, length):
        series[i] = phi * series[i - 1] + noise[i]
    return series


def test_error_of_independent_values_is_that_of_their_mean(rng):
    values = rng.normal(10, 2, size=30)
    expected = values.std(ddof=1) / math.sqrt(30)
    assert error_of_ratio(values, np.ones(30)) == pytest.approx(expected)


def test_batches_grow_until_the_error_holds_what_dependence_adds(rng):
    phi, length = 0.9, 2000
    true_error = math.sqrt((1 + phi) / (1 - phi) / length)
    series = [10 + autoregressive(rng, length, phi) for _ in range(40)]
    errors = [error_of_ratio(values, np.ones(length)) for values in series]
    assert np.mean(errors) == pytest.approx(true_error, rel=0.15)
    assert np.mean(errors) > 3 * np.mean([v.std() / math.sqrt(length) for v in series])


def test_error_of_a_ratio_is_the_spread_of_ratios_measured_again(rng):
    ratios, errors = [], []
    for _ in range(300):
        weights = rng.poisson(20, size=60)
        sums = np.array([rng.exponential(3, size=n).sum() for n in weights])
        ratios.append(sums.sum() / weights.sum())
        errors.append(error_of_ratio(sums, weights))
    assert np.mean(errors) == pytest.approx(np.std(ratios), rel=0.1)


@pytest.mark.parametrize(("sums", "weights"), [([1] * 4, [1] * 4), ([0] * 9, [0] * 9)])
def test_error_of_too_little_cannot_be_told(sums, weights):
    assert math.isnan(error_of_ratio(sums, weights))


def test_transient_ends_where_the_series_settles(rng):
    times = rng.normal(5, 0.3, size=200)
    times[:38] += np.linspace(10, 2, 38)
    assert transient_slices(times * 20, np.full(200, 20)) in (40, 45)


def test_series_without_a_transient_loses_little(rng):
    lost = [transient_slices(rng.normal(5, 0.3, size=200), np.ones(200)) for _ in range(50)]
    assert np.median([50 if length is None else length for length in lost]) <= 20


@pytest.mark.parametrize("slices", [np.arange(100.0, 0, -1), [1.0] * 19])
def test_transient_longer_than_half_the_run_cannot_be_told(slices):
    assert transient_slices(slices, np.ones(len(slices))) is None


def histograms(rng, seconds, scale):
    """Counts by second in bins of 1 ms, of exponential times whose means change by second."""
    times = [rng.exponential(mean, size=400) for mean in scale]
    edges = np.arange(1.0, 400)
    return edges, np.array([np.histogram(t, bins=np.append(0, edges))[0] for t in times])


@pytest.mark.parametrize("percentile", [50, 95])
def test_error_of_a_percentile_is_its_spread_over_runs(rng, percentile):
    values, errors = [], []
    for _ in range(300):
        edges, counts = histograms(rng, 20, [20.0] * 20)
        cumulative = counts.sum(axis=0).cumsum()
        values.append(np.interp(percentile / 100 * cumulative[-1], cumulative, edges))
        errors.append(error_of_percentile(edges, counts, percentile))
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.15)


def test_seconds_that_are_slow_together_widen_the_error_of_a_percentile(rng):
    alone = error_of_percentile(*histograms(rng, 20, [20.0] * 20), 95)
    together = error_of_percentile(*histograms(rng, 20, [10.0, 30.0] * 10), 95)
    assert together > 2 * alone


def test_percentile_that_lies_beyond_the_requests_has_no_error(rng):
    counts = np.ones((6, 10))
    assert math.isnan(error_of_percentile(np.arange(1.0, 11), counts, 99))
    assert error_of_percentile(np.arange(1.0, 11), counts, 50) > 0
    assert math.isnan(error_of_percentile(np.array([]), np.zeros((6, 0)), 50))
