import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from analysis.figures.over_time.seconds import add_seconds, plot_seconds

SECONDS = pd.DataFrame(
    {
        "server": ["s1"] * 3 + ["s2"] * 3,
        "second_s": [-1, 0, 1] * 2,
        "stable": [False, True, True] * 2,
        "response_time_max_ms": [1.0, 2.0, 900.0, 1.0, 2.0, 3.0],
    }
)
LONG = pd.DataFrame(
    {"server": "s1", "second_s": range(1800), "stable": True, "response_time_max_ms": 1.0}
)


def windows(length_s=1800):
    """Two sides; only the middlewares have a queue."""
    sides = [("client", float("nan")), ("middleware", 2.0)]
    return pd.concat(
        pd.DataFrame(
            {
                "side": side,
                "second_s": range(length_s),
                "stable": True,
                "throughput_ops_per_s": 5.0,
                "queue_length": queue,
                "service_time_ms": queue,
            }
        )
        for side, queue in sides
    )


def test_lines_are_broken_where_seconds_are_missing():
    seconds = SECONDS[SECONDS["second_s"] != 0]
    for line in plot_seconds(seconds, "response_time_max_ms", "x").data:
        assert pd.isna(line.y[1])
        assert line.line.dash


def test_the_stable_window_is_shaded_where_there_is_more():
    (shape,) = plot_seconds(SECONDS, "response_time_max_ms", "x").layout.shapes
    assert (shape.x0, shape.x1) == (-0.5, 1.5)
    assert not plot_seconds(LONG, "response_time_max_ms", "x").layout.shapes


def test_seconds_before_and_after_the_run_are_not_drawn():
    seconds = pd.DataFrame(
        {
            "side": "middleware",
            "second_s": range(-3, 5),
            "stable": True,
            "throughput_ops_per_s": [0.0, 90, 100, 0, 100, 100, 4, 0],
        }
    )
    (line,) = plot_seconds(seconds, "throughput_ops_per_s", "x", series="side").data
    assert list(line.x) == [-2, -1, 0, 1, 2]  # a pause in the middle is


def test_rows_of_several_runs_are_refused():
    with pytest.raises(ValueError, match="a trace shows one run"):
        plot_seconds(pd.concat([SECONDS, SECONDS]), "response_time_max_ms", "x")


def test_of_two_hours_what_is_seen_is_drawn():
    second_s = np.arange(7200)
    values = np.random.default_rng(1).normal(100.0, 1.0, len(second_s))
    values[[1234, 5678]] = 250.0, 3.0
    values[4000:4005] = np.nan
    figure = go.Figure()
    seconds = pd.DataFrame({"second_s": second_s, "x_ms": values, "side": "client"})
    add_seconds(figure, seconds, "x_ms", "side")
    (line,) = figure.data
    drawn = pd.Series(line.y, index=line.x)
    assert len(drawn) < len(values) / 5
    assert drawn.dropna().to_dict().items() <= dict(zip(second_s, values, strict=True)).items()
    assert (drawn[1234], drawn[5678]) == (250.0, 3.0)
    assert drawn[4000:4004].isna().all()
    assert (drawn.index[0], drawn.index[-1]) == (0, 7199)
    ends = pd.Series(values).groupby(second_s // 60)  # a tenth of an inch
    of_minutes = drawn.groupby(drawn.index // 60)
    pd.testing.assert_series_equal(of_minutes.max(), ends.max())
    pd.testing.assert_series_equal(of_minutes.min(), ends.min())
    add_seconds(figure, seconds.head(1800), "x_ms", "side")
    assert len(figure.data[1].y) == 1800
