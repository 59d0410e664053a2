from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.figures.plots import plot_effects, plot_interactions, plot_prediction, plot_residuals
from analysis.figures.theme import BLUE, FRAME, VERMILLION
from analysis.statistics.factorial import analyse


@pytest.fixture
def runs():
    """y = 100 + 10 a + 5 ab, errors of +-1 in two repetitions."""
    rows = [(a, b, 100 + 10 * a + 5 * a * b + e) for a, b, e in product((-1, 1), (-1, 1), (-1, 1))]
    return pd.DataFrame(rows, columns=["servers", "workers", "throughput"])


@pytest.fixture
def result(runs):
    return analyse(runs, ["servers", "workers"], "throughput")


def test_effects_have_intervals_and_those_without_significance_are_grey(result):
    figure = plot_effects(result, "op/s")
    (points,) = figure.data
    assert list(points.x) == ["A", "B", "AB"]
    assert list(points.y) == pytest.approx([10, 0, 5])
    assert list(points.marker.color) == [BLUE, FRAME, BLUE]
    upper = np.array(points.y) + np.array(points.error_y.array)
    assert upper == pytest.approx(result.effects["ci_high"].iloc[1:])
    assert figure.layout.yaxis.title.text == "Change from the mean (op/s)"


def test_effects_of_a_multiplicative_model_say_so(runs):
    result = analyse(runs, ["servers", "workers"], "throughput", model="multiplicative")
    figure = plot_effects(result, "op/s")
    assert figure.layout.yaxis.title.text == "Change from the mean (log10 of op/s)"


def test_interactions_show_means_of_both_levels(runs, result):
    figure = plot_interactions(runs, result.factors, "throughput", "Throughput (op/s)")
    low, high = figure.data
    assert (low.name, high.name) == ("B = -1", "B = +1")
    assert list(low.y) == [95, 105]
    assert list(high.y) == [85, 115]
    assert (low.line.color, high.line.color) == (BLUE, VERMILLION)
    assert figure.layout.xaxis.title.text == "servers"
    assert figure.layout.yaxis.title.text == "Throughput (op/s)"


def test_interactions_of_three_factors_name_each_level_once(runs):
    both = [runs.assign(clients=level) for level in (-1, 1)]
    factors = {"A": "servers", "B": "workers", "C": "clients"}
    figure = plot_interactions(pd.concat(both), factors, "throughput", "Throughput (op/s)")
    assert len(figure.data) == 6
    named = [trace.name for trace in figure.data if trace.showlegend]
    assert named == ["B = -1", "B = +1", "C = -1", "C = +1"]
    assert len({trace.marker.color for trace in figure.data if trace.showlegend}) == 4
    panels = [note.text for note in figure.layout.annotations]
    assert panels == [f"{a} \N{MULTIPLICATION SIGN} {b}" for a, b in ("AB", "AC", "BC")]


def test_interactions_show_real_levels(runs, result):
    levels = {"servers": (1, 3), "workers": (1, 32)}
    figure = plot_interactions(runs, result.factors, "throughput", "Throughput (op/s)", levels)
    assert [trace.name for trace in figure.data] == ["1 worker", "32 workers"]
    assert list(figure.data[0].x) == ["1", "3"]
    assert figure.layout.xaxis.title.text == "Number of servers"


def test_interactions_need_two_factors(runs):
    with pytest.raises(ValueError, match="at least 2 factors"):
        plot_interactions(runs, {"A": "servers"}, "throughput", "Throughput (op/s)")


def test_residuals_stand_against_prediction_and_normal_quantiles(result):
    figure = plot_residuals(result, "op/s")
    against_prediction, against_normal, line = figure.data
    assert list(against_prediction.x) == pytest.approx(list(result.residuals["predicted"]))
    assert list(against_normal.y) == pytest.approx(sorted(result.residuals["residual"]))
    assert line.mode == "lines"
    assert figure.layout.xaxis.title.text == "Predicted (op/s)"


def test_residuals_need_repetitions(runs):
    once = analyse(runs.iloc[::2], ["servers", "workers"], "throughput")
    with pytest.raises(ValueError, match="residuals need repetitions, got r = 1"):
        plot_residuals(once, "op/s")


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
