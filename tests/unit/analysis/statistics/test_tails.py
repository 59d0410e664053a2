import numpy as np
import pandas as pd
import pytest
from scipy.signal import lfilter
from scipy.stats import binom, norm

from analysis.statistics.tails import effective_number, percentile_interval

EDGES = np.geomspace(1e-3, 1e5, 4001)


def histogram(samples):
    bins = np.searchsorted(EDGES, samples)
    edges, counts = np.unique(bins, return_counts=True)
    return pd.DataFrame({"upper_edge_ms": EDGES[edges], "count": counts})


def test_bounds_are_the_samples_of_binomial_ranks():
    """Hahn & Meeker 1991, section 5.2.1: of 100 samples, the 90th percentile from 84 to 96."""
    each = pd.DataFrame({"upper_edge_ms": np.arange(1.0, 101.0), "count": 1})
    found = percentile_interval(each, 90)
    assert (found.value_ms, found.low_ms, found.high_ms) == (90, 84, 96)
    assert binom.cdf(83, 100, 0.9) <= 0.025 and binom.sf(95, 100, 0.9) <= 0.025
    assert found.error_ms == pytest.approx(12 / (2 * norm.ppf(0.975)))


@pytest.mark.slow
@pytest.mark.parametrize("percent", [50, 90, 99])
def test_intervals_hold_the_percentile(percent):
    rng = np.random.default_rng(percent)
    truth = -np.log(1 - percent / 100)
    intervals = [
        percentile_interval(histogram(rng.exponential(1, 2000)), percent) for _ in range(400)
    ]
    held = [found.low_ms <= truth * 1.005 and truth <= found.high_ms for found in intervals]
    assert np.mean(held) > 0.93
    errors = np.std([found.value_ms for found in intervals])
    assert np.mean([found.error_ms for found in intervals]) == pytest.approx(errors, rel=0.2)


@pytest.mark.slow
def test_correlated_requests_tell_less():
    rng = np.random.default_rng(4)
    runs, slices, per_slice = 200, 600, 20
    level = lfilter([np.sqrt(1 - 0.8**2)], [1, -0.8], rng.normal(size=(runs, slices + 100)), axis=1)
    times = np.exp(level[:, 100:, None] + rng.normal(size=(runs, slices, per_slice)))
    truth = np.exp(norm.ppf(0.9) * np.sqrt(2))
    naive, corrected = [], []
    for run in times:
        found = histogram(run.ravel())
        value = percentile_interval(found, 90).value_ms
        number = effective_number((run > value).sum(1), np.full(slices, per_slice))
        for held, effective in ((naive, None), (corrected, number)):
            interval = percentile_interval(found, 90, effective)
            if not np.isnan(interval.error_ms):
                held.append(interval.low_ms <= truth <= interval.high_ms)
    assert np.mean(naive) < 0.7
    assert np.mean(corrected) > 0.9
    assert len(corrected) > 0.8 * runs


def test_independent_requests_count_fully():
    rng = np.random.default_rng(5)
    numbers = [effective_number(rng.binomial(100, 0.1, 100), np.full(100, 100)) for _ in range(50)]
    assert 7_000 < np.nanmean(numbers) <= 10_000


def test_too_few_samples_have_no_upper_bound():
    each = pd.DataFrame({"upper_edge_ms": np.arange(1.0, 101.0), "count": 1})
    found = percentile_interval(each, 99)
    assert found.value_ms == 99
    assert found.low_ms > 90
    assert np.isnan(found.high_ms) and np.isnan(found.error_ms)


def test_what_cannot_be_told_is_missing():
    each = pd.DataFrame({"upper_edge_ms": [1.0, 2.0], "count": [50, 50]})
    assert np.isnan(percentile_interval(each, 50, effective=np.nan).error_ms)
    assert np.isnan(percentile_interval(each, 50, effective=0.3).low_ms)
    assert np.isnan(percentile_interval(each.iloc[:0], 50).value_ms)
    assert np.isnan(effective_number([0] * 40, [10] * 40))


@pytest.mark.parametrize("percent", [0, 100])
def test_a_percentile_lies_between(percent):
    with pytest.raises(ValueError, match="percentile"):
        percentile_interval(histogram([1.0]), percent)


def test_an_effective_number_is_not_below_zero():
    with pytest.raises(ValueError, match="effective"):
        percentile_interval(histogram([1.0]), 50, effective=-1)
