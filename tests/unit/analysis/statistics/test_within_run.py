import math

import numpy as np
import pytest

from analysis.statistics.within_run import independent_requests, percentile_of_seconds


@pytest.fixture
def rng():
    return np.random.default_rng(15)


def histograms(rng, means, requests=3000):
    """Bins of 1 ms, and in them exponential times of each second's mean."""
    edges = np.arange(1.0, 400)
    times = [rng.exponential(mean, size=requests) for mean in means]
    return edges, np.array([np.histogram(t, bins=np.append(0, edges))[0] for t in times])


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [8, 24])
@pytest.mark.parametrize("percent", [50, 90])
def test_interval_holds_the_percentile_as_often_as_it_says(rng, seconds, percent):
    truth = -20 * math.log(1 - percent / 100)
    found = [percentile_of_seconds(*histograms(rng, [20.0] * seconds), percent) for _ in range(300)]
    held = [f.low_ms - 1 <= truth <= f.high_ms for f in found]  # edges are up to 1 ms above
    assert np.mean(held) >= 0.93


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [8, 24])
def test_seconds_that_are_slow_together_widen_the_interval(rng, seconds):
    """The truth is that of the mix of all means that seconds may have."""
    spread = np.array([10.0, 15.0, 20.0, 25.0, 30.0])
    edges = np.linspace(0, 300, 30_001)
    share = (1 - np.exp(-edges[:, None] / spread)).mean(axis=1)
    truth = np.interp(0.9, share, edges)
    held, widths, naive = [], [], []
    for _ in range(300):
        edges_ms, counts = histograms(rng, rng.choice(spread, size=seconds))
        found = percentile_of_seconds(edges_ms, counts, 90)
        held.append(found.low_ms - 1 <= truth <= found.high_ms)
        widths.append(found.error_ms)
        alone = percentile_of_seconds(*histograms(rng, [20.0] * seconds), 90)
        naive.append(alone.error_ms)
    assert np.mean(held) >= 0.9
    assert np.nanmean(widths) > 2 * np.nanmean(naive)


@pytest.mark.parametrize(
    ("counts", "percent"),
    [
        (np.full((6, 10), 1e4), 95),
        (np.full((6, 10), 1e4), 99.9),
        (np.full((6, 10), 60), 50),
        (np.zeros((6, 10)), 50),
        (np.full((4, 10), 1e4), 50),
    ],
)
def test_tails_and_short_runs_have_no_interval(counts, percent):
    found = percentile_of_seconds(np.arange(1.0, 11), counts, percent)
    assert math.isnan(found.error_ms)


def test_percentile_of_no_request_is_none():
    assert math.isnan(percentile_of_seconds(np.array([]), np.zeros((6, 0)), 50).value_ms)


def test_few_seconds_tell_of_fewer_requests_than_they_hold():
    alternating = independent_requests([30, 10] * 4, [100] * 8)
    # share 0.2, z = 10 in each of 8 seconds, widened by t(0.975, 7) = 2.365
    expected = 0.2 * 0.8 / (2.3646 / 1.96 * math.sqrt(800 / 56) / 100) ** 2
    assert alternating == pytest.approx(expected, rel=1e-3)
    assert independent_requests([20] * 8, [100] * 8) == 800
