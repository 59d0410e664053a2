import pandas as pd
import pytest

from analysis.figures.plots import plot_prediction


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
