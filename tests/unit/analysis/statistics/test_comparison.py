import numpy as np
import pandas as pd
import pytest

from analysis.statistics.comparison import (
    compare,
    error_table,
    shown,
    side_by_side,
    verdict_words,
    wide_formats,
)

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
    assert [reason.replace("\xa0", " ") for reason in table["reason"]] == [
        "inside the 95 % CI",
        "3.0 % above the measurement, outside the 95 % CI",
        "20.0 % below the measurement, outside the 95 % CI",
        "4.0 % above the measurement, without a CI to judge by",
    ]


def test_the_interval_goes_with_the_measurement():
    table = compare(CELLS, CELLS["x_mean"], "x")
    assert table.loc["a", ["ci_low", "ci_high"]].tolist() == [98.0, 102.0]
    assert shown(table)["ci95"].tolist()[:3] == ["98\xa0to\xa0102"] * 3
    assert pd.isna(shown(table).loc["d", "ci95"])
    assert not {"reason", "ci_low", "ci_high"} & set(shown(table))


def test_every_verdict_is_told_with_its_limits():
    words = verdict_words(0.05).replace("\xa0", " ")
    assert "at most 10 % off" in words and "at most 5 % off" in words
    wide = CELLS.assign(x_ci_low=0.0, x_ci_high=200.0)
    predicted = pd.Series([109.0, 111.0, 250.0, np.nan], CELLS.index)
    given = set(compare(wide, predicted, "x")["verdict"]) - {"no prediction"}
    assert given == {"agrees", "undecided", "differs"}
    assert all(f"**{verdict}**" in words for verdict in given | {"close"})


def test_models_stand_beside_each_other_in_one_row_per_case():
    parts = [
        compare(CELLS, CELLS["x_mean"] * factor, "x").assign(model=model, case=CELLS.index)
        for model, factor in (("network of queues", 1.01), ("simulation", 1.2))
    ]
    wide = side_by_side(pd.concat(parts), ["case"])
    assert wide["case"].tolist() == ["a", "b", "c", "d"]
    assert wide["Network of queues"].tolist() == pytest.approx([101] * 4)
    assert wide["Simulation error"].tolist() == pytest.approx([0.2] * 4)
    assert wide["Simulation verdict"].tolist() == ["differs"] * 4
    assert set(wide_formats(wide)) == {
        "measured", "Network of queues", "Network of queues error", "Simulation",
        "Simulation error",
    }  # fmt: skip


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
