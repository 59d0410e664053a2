import numpy as np
import pandas as pd
import pytest

from analysis.comparison import compare, error_table

CELLS = pd.DataFrame(
    {
        "x_mean": [100.0, 100.0, 100.0, 100.0],
        "x_ci_low": [98.0, 98.0, 98.0, np.nan],
        "x_ci_high": [102.0, 102.0, 102.0, np.nan],
    },
    index=["a", "b", "c", "d"],
)


def test_verdict_follows_from_interval_and_tolerance():
    predicted = pd.Series({"d": 104.0, "c": 80.0, "b": 103.0, "a": 101.0})  # in another order
    table = compare(CELLS, predicted, "x")
    assert table["verdict"].tolist() == ["agrees", "close", "differs", "close"]
    assert table["relative_error"].tolist() == pytest.approx([0.01, 0.03, -0.2, 0.04])
    assert table["reason"].tolist() == [
        "inside the 95 % CI",
        "3.0% above the measurement, outside the 95 % CI",
        "20.0% below the measurement, outside the 95 % CI",
        "4.0% above the measurement, without a CI to judge by",
    ]


def test_arguments_out_of_their_domain_are_refused():
    with pytest.raises(ValueError, match="x must be > 0, got 0"):
        compare(CELLS * 0, CELLS["x_mean"], "x")
    with pytest.raises(ValueError, match="tolerance must be > 0, got 0"):
        compare(CELLS, CELLS["x_mean"], "x", tolerance=0)


def test_models_are_summed_up_by_their_errors():
    frame = pd.DataFrame({"model": ["a", "a", "b"], "relative_error": [0.01, -0.2, np.nan]})
    (row,) = error_table({"throughput": frame}).to_dict("records")
    assert row["model"] == "a"
    assert row["largest_error"] == -0.2
    assert row["median_absolute_error"] == pytest.approx(0.105)
    assert row["near"] == 0.5
