import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from analysis.statistics.intervals import (
    aggregate,
    half_width_of_difference,
)


def test_cells_have_mean_sd_and_interval():
    frame = pd.DataFrame({"n": [6, 6, 6, 12], "x": [1.0, 2.0, 3.0, 5.0]})
    cells = aggregate(frame, ["n"], ["x"]).set_index("n")
    assert cells.loc[6, ["x_mean", "x_sd", "x_repetitions"]].tolist() == [2, 1, 3]
    assert cells.loc[6, "x_ci_high"] - 2 == pytest.approx(6.964557 / np.sqrt(3))


def test_one_repetition_has_no_interval_rather_than_one_of_width_0():
    cells = aggregate(pd.DataFrame({"n": [6], "x": [1.0]}), ["n"], ["x"])
    assert cells["x_mean"].item() == 1
    assert cells[["x_sd", "x_ci_low", "x_ci_high"]].isna().all(axis=None)


def test_missing_values_are_not_repetitions_and_missing_levels_are_levels():
    frame = pd.DataFrame({"workers": [np.nan, np.nan, 8], "x": [1.0, np.nan, 3.0]})
    cells = aggregate(frame, ["workers"], ["x"])
    assert cells["x_repetitions"].tolist() == [1, 1]
    assert cells["workers"].isna().sum() == 1


def test_what_is_never_below_0_has_no_interval_below_0():
    frame = pd.DataFrame({"queue": [0.0, 3.0], "change": [-1.0, 4.0], "cell": 1})
    cell = aggregate(frame, ["cell"], ["queue", "change"]).iloc[0]
    assert cell["queue_ci_low"] == 0
    assert cell["change_ci_low"] < -1


def test_rows_of_one_repetition_are_averaged_first():
    """Two blocks that differ: six rows are no six independent repetitions."""
    frame = pd.DataFrame(
        {"n": 6, "repetition": [1, 1, 1, 2, 2, 2], "x": [10.0, 10.1, 9.9, 12.0, 12.1, 11.9]}
    )
    cell = aggregate(frame, ["n"], ["x"]).iloc[0]
    assert (cell["x_mean"], cell["x_repetitions"]) == (pytest.approx(11), 2)
    assert cell["x_ci_low"] == 0  # t of one degree of freedom


@given(st.lists(st.floats(1, 1e3), min_size=2, max_size=9), st.lists(st.floats(1, 1e3), min_size=2))
def test_interval_of_a_difference_is_that_of_statsmodels(one, other):
    assume(np.ptp(one) > 1e-3 and np.ptp(other) > 1e-3)
    low, high = CompareMeans(DescrStatsW(one), DescrStatsW(other)).tconfint_diff(
        alpha=0.02, usevar="unequal"
    )
    sds = (np.std(one, ddof=1), np.std(other, ddof=1))
    half_width = half_width_of_difference(sds, (len(one), len(other)))
    assert half_width == pytest.approx((high - low) / 2)


def test_difference_without_repetitions_has_no_interval_and_without_spread_one_of_width_0():
    half_widths = half_width_of_difference(([1, 0], [1, 0]), ([1, 2], [4, 2]))
    assert half_widths == pytest.approx([np.nan, 0], nan_ok=True)
