import numpy as np
import pytest
from statsmodels.stats.weightstats import DescrStatsW

from analysis.statistics.estimates import mean_of, ratio_of


def test_interval_of_a_mean_is_that_of_statsmodels():
    values = [1.5, 2.6, -1.8, 1.3, -0.5, 1.7, 2.4]
    estimate = mean_of([*values, float("nan")])
    assert estimate.value == pytest.approx(np.mean(values))
    assert estimate.interval() == pytest.approx(DescrStatsW(values).tconfint_mean(alpha=0.02))


def test_values_without_spread_are_known_and_single_ones_are_not():
    ratio = ratio_of([2, 2], [1, 1])
    assert (ratio.value, *ratio.interval()) == (2, 2, 2)
    assert np.isnan(ratio_of([2, 2], [1]).interval()).all()
    assert np.isnan(mean_of([3]).interval()).all()
    assert np.isnan(mean_of([]).value)
