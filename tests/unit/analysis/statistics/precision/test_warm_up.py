import numpy as np
import pytest

from analysis.statistics.precision.warm_up import truncation


def test_a_start_that_decays_is_cut_off():
    rng = np.random.default_rng(1)
    slices = 100 + 80 * np.exp(-np.arange(400) / 15) + rng.normal(0, 2, 400)
    assert 30 <= truncation(slices) <= 120


def test_a_step_is_cut_off_where_it_is():
    rng = np.random.default_rng(2)
    slices = np.concatenate([rng.normal(20, 1, 50), rng.normal(100, 1, 200)])
    assert truncation(slices) == 50


def test_a_run_without_warm_up_loses_little():
    rng = np.random.default_rng(3)
    cut = [truncation(rng.normal(100, 5, 400)) for _ in range(100)]
    assert np.mean([found is None or found > 100 for found in cut]) < 0.15


def test_a_run_that_still_warms_up_is_not_told():
    assert truncation(np.linspace(0, 100, 200)) is None


def test_a_run_of_few_slices_is_not_told():
    assert truncation(np.full(19, 3.0)) is None


def test_slices_must_be_finite():
    with pytest.raises(ValueError, match="finite"):
        truncation([1.0, np.nan] * 20)
