"""Verdicts depend on the interval, never on the value alone."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from analysis.claims.rules import Verdict, at_least, at_most, equal_to
from analysis.statistics.estimates import Estimate, mean_of, ratio_of

HOLDS, FAILS, UNKNOWN = Verdict


@pytest.mark.parametrize(
    ("rule", "values", "verdict"),
    [
        (at_least(0.9), [0.95, 0.96, 0.97], HOLDS),
        (at_least(0.9), [0.80, 0.81, 0.82], FAILS),
        (at_least(0.9), [0.80, 0.91, 0.99], UNKNOWN),
        (at_most(0.9), [0.80, 0.81, 0.82], HOLDS),
        (at_most(0.9), [0.95, 0.96, 0.97], FAILS),
        (at_most(0.9), [0.80, 0.91, 0.99], UNKNOWN),
        (equal_to(2, 0.05), [2.0, 2.01, 1.99], HOLDS),
        (equal_to(2, 0.05), [2.2, 2.21, 2.19], FAILS),
        (equal_to(2, 0.05), [1.8, 2.0, 2.2], UNKNOWN),
        (equal_to(2, 0.05), [2.09, 2.1, 2.11], UNKNOWN),
        (equal_to(-2, 0.05), [-2.0, -2.01, -1.99], HOLDS),
        (at_least(0), [5], UNKNOWN),
        (at_least(0), [], UNKNOWN),
        (at_least(5), [5, 5], HOLDS),
    ],
)
def test_verdicts(rule, values, verdict):
    assert rule.verdict(mean_of(values)) == verdict


def scaled(freedom):
    """Return what distances are multiplied by: the quantile of 95 % over that of 98 %."""
    return stats.t.ppf(0.975, freedom) / stats.t.ppf(0.99, freedom)


def test_p_values_are_those_of_one_sided_t_tests_with_the_quantile_of_intervals():
    values = [0.95, 0.97, 0.96, 0.99]
    test = stats.ttest_1samp(values, 0.9, alternative="greater")
    above = stats.t.sf(test.statistic * scaled(3), 3)
    assert at_least(0.9).p_value(mean_of(values)) == pytest.approx(above)
    assert at_most(0.9).p_value(mean_of(values)) == pytest.approx(above)  # refuted as clearly
    nearer = DescrStatsW(values).ttost_mean(0.9, 1.1)[1][0]  # two one-sided tests
    both = stats.t.sf(nearer * scaled(3), 3)
    assert equal_to(1, 0.1).p_value(mean_of(values)) == pytest.approx(both)
    assert np.isnan(at_least(0.9).p_value(mean_of([1.0])))


def test_p_values_of_ratios_are_of_their_logarithms():
    ratio = ratio_of([1.9, 2.0, 2.1], [1.0, 1.0, 1.0])
    quantile = np.log(ratio.value / 1.5) / ratio.error * scaled(ratio.freedom)
    assert at_least(1.5).p_value(ratio) == pytest.approx(stats.t.sf(quantile, ratio.freedom))
    assert at_most(3).p_value(ratio) < 0.05


def test_p_values_and_verdicts_agree():
    """An edge on a bound of the interval that is shown has a p value of 2.5 %."""
    estimate = mean_of([0.95, 0.97, 0.96, 0.99])
    low, high = estimate.interval()
    assert at_least(low).p_value(estimate) == pytest.approx(0.025)
    assert at_most(high).p_value(estimate) == pytest.approx(0.025)


def test_an_error_that_was_not_estimated_is_not_small_by_luck():
    known = Estimate(value=1.0, error=0.01, freedom=np.inf)
    assert at_least(0.98).p_value(known) == pytest.approx(stats.norm.sf(2))


def test_rules_say_what_they_ask():
    assert at_least(0.92).text == "at least 0.92"
    assert at_most(1).text == "at most 1"
    assert equal_to(2, 0.05).text == "2 within 5\N{NO-BREAK SPACE}%"
