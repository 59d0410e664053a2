import numpy as np
import pandas as pd
import pytest

from analysis.statistics.stationarity import stationarity, trend


@pytest.fixture
def rng():
    return np.random.default_rng(42)


def test_a_straight_line_drifts_by_its_rise():
    found = trend(np.linspace(90, 110, 60))
    assert found["drift"] == pytest.approx(0.2, rel=0.02)
    assert found["p_value"] < 1e-6


def test_a_constant_series_has_neither():
    assert trend([5.0] * 60) == {
        "drift": 0.0, "p_value": 1.0, "warm_up": 0.0, "p_value_of_warm_up": 1.0,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", ["p_value", "p_value_of_warm_up"])
def test_noise_is_called_neither_more_often_than_the_p_value_says(rng, name):
    p_values = [trend(rng.normal(100, 5, 60))[name] for _ in range(500)]
    assert np.mean(np.array(p_values) < 0.05) < 0.08


@pytest.mark.parametrize("ramp_s", [3, 5, 10, 15])
def test_a_warm_up_of_any_length_up_to_a_fourth_is_found(rng, ramp_s):
    ramp = 100 * (1 - 0.5 * np.clip(1 - np.arange(60) / ramp_s, 0, 1))
    found = [trend(ramp + rng.normal(0, 2, 60)) for _ in range(50)]
    assert all(start["p_value_of_warm_up"] < 0.01 for start in found)
    assert all(start["warm_up"] < -0.05 for start in found)


def test_a_start_before_nothing_is_a_warm_up():
    found = trend([5.0, 5.0, 5.0] + [0.0] * 17)
    assert found["warm_up"] == np.inf
    assert found["p_value_of_warm_up"] < 1e-6


def test_each_run_is_judged(rng):
    noise = rng.normal(0, 1, 60)
    series = {
        "steady": 100 + noise,
        "drifting": np.linspace(80, 120, 60) + noise,
        "cold": np.repeat([60.0, 100.0], [15, 45]) + noise * 30,
        "barely": np.linspace(99, 101, 60) + noise / 100,
    }
    windows = pd.DataFrame(
        [
            (name, second, second < 60, value)
            for name, values in series.items()
            for second, value in enumerate([*values, 0.0])  # the last is cool-down
        ],
        columns=["run", "second_s", "stable", "throughput_ops_per_s"],
    )
    found = stationarity(windows, ["run"]).set_index("run")
    assert found["stationary"].to_dict() == {
        "steady": True, "drifting": False, "cold": False, "barely": True,
    }  # fmt: skip
    assert found.loc["barely", "p_value"] < 0.01


def test_a_short_window_is_too_short_to_tell():
    windows = pd.DataFrame({"run": 1, "second_s": range(6), "stable": True, "x": 1.0})
    found = stationarity(windows, ["run"], "x").iloc[0]
    assert found["stationary"] is pd.NA
    assert pd.isna(found["drift"])


@pytest.mark.parametrize("values", [[1.0] * 11, [1.0] * 20 + [np.nan]])
def test_too_few_or_missing_values_are_refused(values):
    with pytest.raises(ValueError, match="at least 12 finite values are needed"):
        trend(values)


def test_seconds_without_a_value_are_not_judged():
    windows = pd.DataFrame(
        {"run": 1, "second_s": range(24), "stable": True, "x": [1.0, np.nan] * 12}
    )
    (row,) = stationarity(windows, ["run"], "x").to_dict("records")
    assert pd.isna(row["stationary"])
    with pytest.raises(ValueError, match="mean of the values must not be 0"):
        trend([-1, 1] * 12)


def test_a_slow_start_is_a_warm_up(rng):
    values = np.concatenate([np.full(15, 60.0), np.full(45, 100.0)]) + rng.normal(0, 1, 60)
    found = trend(values)
    assert found["warm_up"] == pytest.approx(-0.4, abs=0.01)
    assert found["p_value_of_warm_up"] < 0.01
