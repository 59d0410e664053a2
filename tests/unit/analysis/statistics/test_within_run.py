import math

import numpy as np
import pytest

from analysis.statistics.within_run import independent_requests, percentile_of_seconds


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
