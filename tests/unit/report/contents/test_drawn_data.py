import json

import numpy as np
import plotly.graph_objects as go

from report.contents.drawn_data import drawn_data


def spec(fig):
    return json.loads(fig.to_json())


def test_lines_with_error_bars_give_one_row_per_point():
    fig = go.Figure()
    fig.add_scatter(
        x=np.array([6, 12]), y=np.array([2.5, 3.5]), error_y={"array": [0.1, 0.2]}, name="get"
    )
    fig.add_scatter(x=[6], y=[9.0])
    fig.update_layout(xaxis_title="Clients", yaxis_title="Throughput (op/s)")
    frame = drawn_data(spec(fig))
    assert list(frame.columns) == ["trace", "x_axis", "y_axis", "x", "y", "error_y"]
    assert frame.iloc[1].to_list() == ["get", "Clients", "Throughput (op/s)", 12, 3.5, 0.2]
    assert frame["trace"].to_list() == ["get", "get", "trace 1"]
    assert frame["error_y"].isna().to_list() == [False, False, True]


def test_asymmetric_errors_and_categories_are_kept():
    fig = go.Figure(
        go.Bar(x=["get", "set"], y=[1, 2], error_y={"array": [1, 1], "arrayminus": [0.5, 0.5]})
    )
    frame = drawn_data(spec(fig))
    assert frame["x"].to_list() == ["get", "set"]
    assert frame["error_y_minus"].to_list() == [0.5, 0.5]


def test_heat_map_is_unrolled():
    fig = go.Figure(
        go.Heatmap(x=["c1", "c2"], y=["s1", "s2"], z=np.array([[1.0, 2.0], [3.0, 4.0]]))
    )
    frame = drawn_data(spec(fig))
    cells = frame[["x", "y", "z"]].to_numpy().tolist()
    assert cells == [["c1", "s1", 1.0], ["c2", "s1", 2.0], ["c1", "s2", 3.0], ["c2", "s2", 4.0]]


def test_each_subplot_names_its_own_axes():
    fig = go.Figure(go.Scatter(x=[1], y=[2], xaxis="x2", yaxis="y2"))
    fig.update_layout(yaxis_title="not this", yaxis2={"title": {"text": "Response time (ms)"}})
    assert drawn_data(spec(fig))["y_axis"].to_list() == ["Response time (ms)"]
