import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, norm

from analysis.statistics.within_run import percentile_interval

ONE = pd.DataFrame({"upper_edge_ms": [1.0], "count": [1]})


def test_bounds_are_the_samples_of_binomial_ranks():
    """Hahn & Meeker 1991, section 5.2.1: of 100 samples, the 90th percentile from 84 to 96."""
    each = pd.DataFrame({"upper_edge_ms": np.arange(1.0, 101.0), "count": 1})
    found = percentile_interval(each, 90, 100)
    assert (found.value_ms, found.low_ms, found.high_ms) == (90, 84, 96)
    assert binom.cdf(83, 100, 0.9) <= 0.025 and binom.sf(95, 100, 0.9) <= 0.025
    assert found.error_ms == pytest.approx(12 / (2 * norm.ppf(0.975)))


def test_too_few_samples_have_no_upper_bound():
    each = pd.DataFrame({"upper_edge_ms": np.arange(1.0, 101.0), "count": 1})
    found = percentile_interval(each, 99, 100)
    assert found.value_ms == 99
    assert found.low_ms > 90
    assert np.isnan(found.high_ms) and np.isnan(found.error_ms)


def test_what_cannot_be_told_is_missing():
    each = pd.DataFrame({"upper_edge_ms": [1.0, 2.0], "count": [50, 50]})
    assert np.isnan(percentile_interval(each, 50, np.nan).error_ms)
    assert np.isnan(percentile_interval(each, 50, 0.3).low_ms)
    assert np.isnan(percentile_interval(each.iloc[:0], 50, 100).value_ms)


@pytest.mark.parametrize("percent", [0, 100])
def test_a_percentile_lies_between(percent):
    with pytest.raises(ValueError, match="percentile"):
        percentile_interval(ONE, percent, 1)


def test_an_effective_number_is_not_below_zero():
    with pytest.raises(ValueError, match="effective"):
        percentile_interval(ONE, 50, -1)
