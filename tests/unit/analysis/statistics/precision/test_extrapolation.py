import numpy as np
import pytest
from scipy.stats import linregress, t

from analysis.statistics.precision.extrapolation import without_machine


def test_a_line_is_followed_to_its_limit():
    found = without_machine([5.0, 3.5, 3.25], [1, 4, 8])
    assert (found.value, found.slope) == (pytest.approx(3), pytest.approx(2))
    assert found.low == pytest.approx(3) and found.high == pytest.approx(3)
    assert found.fits


def test_its_interval_is_that_of_least_squares():
    k, y = np.array([1, 1, 2, 2, 4, 4]), np.array([5.1, 4.9, 4.1, 3.9, 3.4, 3.7])
    line = linregress(1 / k, y)
    reach = t.ppf(0.99, 4) * line.intercept_stderr
    found = without_machine(y, k)
    assert found.value == pytest.approx(line.intercept)
    assert found.high - found.value == pytest.approx(reach)
    assert found.p_value > 0.05


def test_what_does_not_fit_a_line_is_refused():
    k = np.repeat([1, 2, 4, 16], 3)
    rng = np.random.default_rng(2)
    bent = 3 + 2 / k**3 + rng.normal(0, 0.02, 12)
    found = without_machine(bent, k)
    assert not found.fits
    assert np.isnan([found.value, found.low, found.high]).all()


def test_a_run_that_is_known_well_counts_for_more():
    k, y = [1, 1, 4, 4], [5.0, 9.0, 3.5, 3.5]
    assert without_machine(y, k, [0.01, 10, 0.01, 0.01]).value == pytest.approx(3, abs=1e-3)
    assert without_machine(y, k).value != pytest.approx(3, abs=0.1)


def test_two_dilations_cannot_tell_a_lack_of_fit():
    assert np.isnan(without_machine([5.0, 5.1, 3.5, 3.6], [1, 1, 4, 4]).p_value)


@pytest.mark.parametrize(
    ("results", "dilations", "errors", "words"),
    [
        ([1.0, 2.0], [1, 4], None, "three runs"),
        ([1.0, 2.0, np.nan], [1, 2, 4], None, "finite"),
        ([1.0, 2.0, 3.0], [1, 2, 4], [1, 1, 0], "above 0"),
    ],
)
def test_wrong_arguments_are_told(results, dilations, errors, words):
    with pytest.raises(ValueError, match=words):
        without_machine(results, dilations, errors)
