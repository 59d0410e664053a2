import numpy as np
import pandas as pd
import pytest

from analysis.statistics.comparison import as_points, compare, error_table, misses_more, shown

CELLS = pd.DataFrame(
    {
        "x_mean": [100.0, 100.0, 100.0, 100.0],
        "x_ci_low": [98.0, 98.0, 98.0, np.nan],
        "x_ci_high": [102.0, 102.0, 102.0, np.nan],
    },
    index=["a", "b", "c", "d"],
)


def test_errors_are_relative_to_what_was_measured():
    predicted = pd.Series({"d": 104.0, "c": 80.0, "b": 103.0, "a": 101.0})  # in another order
    table = compare(CELLS, predicted, "x")
    assert table["relative_error"].tolist() == pytest.approx([0.01, 0.03, -0.2, 0.04])


def test_predictions_are_judged_by_equivalence():
    predicted = pd.Series({"a": 101.0, "b": 107.0, "c": 20.0, "d": 100.0})
    verdicts = compare(CELLS, predicted, "x")["verdict"].tolist()
    assert verdicts == ["supported", "undecided", "refuted", "undecided"]
    assert compare(CELLS, predicted * np.nan, "x")["verdict"].isna().all()


def test_the_interval_goes_with_the_measurement():
    table = compare(CELLS, CELLS["x_mean"], "x")
    assert table.loc["a", ["ci_low", "ci_high"]].tolist() == [98.0, 102.0]
    assert shown(table)["ci95"].tolist()[:3] == ["98\xa0to\xa0102"] * 3
    assert pd.isna(shown(table).loc["d", "ci95"])
    assert not {"ci_low", "ci_high"} & set(shown(table))


def test_measurements_must_be_above_zero():
    with pytest.raises(ValueError, match="x must be > 0, got 0"):
        compare(CELLS * 0, CELLS["x_mean"], "x")


def test_models_are_summed_up_by_their_errors():
    frame = pd.DataFrame({"model": ["a", "a", "b"], "relative_error": [0.01, -0.2, np.nan]})
    frame["verdict"] = ["cannot be told", "refuted", None]
    (row,) = error_table({"throughput": frame}).to_dict("records")
    assert (row["quantity"], row["model"]) == ("throughput", "a")
    assert row["largest_error"] == -0.2
    assert row["rms_log_error"] == pytest.approx(
        ((np.log(1.01) ** 2 + np.log(0.8) ** 2) / 2) ** 0.5
    )
    assert row["near"] == 0.5
    assert (row["supported"], row["refuted"]) == (0, 1)


def test_models_are_compared_in_the_cells_that_both_predict():
    errors = {
        "a": [0.5, -0.4, 0.1, 9.0, np.nan],
        "b": [0.2, 0.5, 0.1, np.nan, 0.3],
    }
    frame = pd.concat(
        pd.DataFrame({"model": name, "load": [1, 2, np.nan, 4, 5], "relative_error": own})
        for name, own in errors.items()
    )
    more = misses_more(frame, "a", "b", on=["load"])
    assert more["misses_more"].tolist() == [True, True, False]  # ln 0.6 is further off than ln 1.5
    twice = misses_more(frame, "a", "b", on=["load"], factor=2)
    assert twice["misses_more"].tolist() == [True, False, False]
    differ = misses_more(frame, "a", "b", on=["load"], apart=0.3)
    assert differ["load"].tolist() == [2]  # 1.5 is 25 % above 1.2
    assert misses_more(frame.iloc[:0], "a", "b", on=["load"]).empty


def test_points_are_what_has_a_prediction():
    table = compare(CELLS, CELLS["x_mean"].where(CELLS.index != "b"), "x")
    points = as_points(table, "y")
    assert points.index.tolist() == ["a", "c", "d"]
    bounds = points.loc["a", ["y_predicted", "y_mean", "y_ci_low", "y_ci_high"]]
    assert bounds.tolist() == [100, 100, 98, 102]
