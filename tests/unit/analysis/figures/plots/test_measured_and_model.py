import pandas as pd
import pytest

from analysis.figures.plots.measured_and_model import (
    plot_predicted_against_measured,
    plot_prediction,
)


@pytest.fixture
def cells():
    loads = pd.DataFrame({"workload": "get", "num_clients": [12, 6], "x_mean": [20.0, 10.0]})
    return loads.assign(x_ci_low=loads["x_mean"] - 1, x_ci_high=loads["x_mean"] + 1)


def test_predictions_are_lines_beside_measured_markers(cells):
    predictions = pd.DataFrame(
        {
            "model": ["exact", "exact", "simulation", "simulation"],
            "workload": "get",
            "num_clients": [12, 6, 6, 12],
            "x": [21.0, 11.0, 10.0, 20.0],
        }
    )
    figure = plot_prediction(cells, predictions, column="x", title="Throughput (op/s)")
    measured, exact, simulation, *legend = figure.data
    assert (measured.mode, exact.mode) == ("markers", "lines")
    assert list(measured.x) == list(exact.x) == [6, 12]
    assert list(exact.y) == [11, 21]
    assert exact.line.dash != simulation.line.dash
    assert exact.line.color == measured.marker.color
    assert [trace.name for trace in legend] == ["exact", "simulation"]


def test_more_models_than_dashes_are_refused(cells):
    predictions = pd.DataFrame(
        {"model": list("abcde"), "workload": "get", "num_clients": 6, "x": 1}
    )
    with pytest.raises(ValueError, match="at most 4 models, got 5"):
        plot_prediction(cells, predictions, column="x", title="Throughput (op/s)")


def test_levels_look_the_same_where_some_are_missing():
    points = pd.DataFrame({"section": ["3.2", "4.1", "6"]})
    points = points.assign(x_predicted=1.0, x_mean=1.0, x_ci_low=0.9, x_ci_high=1.1)
    whole = {"column": "x", "title": "(op/s)", "series": "section", "levels": ("3.2", "4.1", "6")}
    some = plot_predicted_against_measured(points.iloc[[0, 2]], **whole)
    every = plot_predicted_against_measured(points, **whole)
    color = {trace.name: trace.marker.color for trace in every.data}
    assert all(trace.marker.color == color[trace.name] for trace in some.data)
    none = plot_predicted_against_measured(points.head(0), **whole)
    assert none.data[0].name == "within 10\xa0%"
    assert list(none.data[-1].text) == ["no cell to compare"]
    assert all(trace.text is None for trace in every.data)
