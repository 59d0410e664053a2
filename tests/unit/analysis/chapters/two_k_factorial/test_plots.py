import numpy as np
import pandas as pd
import pytest

from analysis.chapters.two_k_factorial.plots import plot_effects, plot_interactions, plot_residuals
from analysis.figures.panels import runs_of
from analysis.statistics.factorial.designs import analyse_designs
from tests.unit.analysis.figures.plots.gallery import FACTORS, THROUGHPUT, factorial_runs

UNITS = {"throughput": "op/s"}


def designs(runs, model="additive"):
    expected = runs.query("repetition == 1")
    found, predicted = (
        analyse_designs(rows, FACTORS, {"throughput": THROUGHPUT}, model)
        for rows in (runs, expected)
    )
    return {model: (found, predicted)}


def named(figure, name):
    return [trace for trace in figure.data if trace.name == name]


def test_effects_have_intervals_and_stand_beside_the_predicted():
    figure = plot_effects(designs(factorial_runs()), UNITS, model="additive")
    sets, gets = named(figure, "measured")
    assert dict(zip(sets.x, sets.y, strict=True)) == pytest.approx({"A": 10, "AB": 5})
    assert list(gets.y) == pytest.approx([20, 10])
    assert (np.array(sets.error_y.array) > 0).all()
    (idle, _) = named(figure, "not significant")
    assert list(idle.x) == ["B"]
    (predicted, _) = named(figure, "bound")
    assert list(predicted.x) == ["A", "B", "AB"]
    assert figure.layout.yaxis.title.text == "Effect (op/s)"
    assert sum(runs_of(figure).values()) == len(factorial_runs())


def test_effects_of_a_multiplicative_model_say_so():
    found = designs(factorial_runs(), "multiplicative")
    figure = plot_effects(found, UNITS, model="multiplicative")
    assert figure.layout.yaxis.title.text == "Effect (log10 of op/s)"


def test_interactions_show_means_of_both_levels():
    runs = factorial_runs()
    figure = plot_interactions(runs, runs, FACTORS, response=THROUGHPUT)
    few = named(figure, "8 workers")[0]
    many = named(figure, "32 workers")[0]
    assert list(few.x) == ["1", "3"]
    assert list(few.y) == [95, 105]
    assert list(many.y) == [85, 115]
    assert few.line.color != many.line.color
    assert [note.text for note in figure.layout.annotations] == [
        "Sets: A \N{MULTIPLICATION SIGN} B",
        "Gets: A \N{MULTIPLICATION SIGN} B",
    ]
    assert figure.layout.xaxis2.title.text == "Number of servers"
    assert figure.layout.yaxis.title.text == "Throughput (op/s)"


def test_interactions_of_three_factors_name_each_level_once():
    both = [factorial_runs().assign(num_middlewares=level) for level in (1, 2)]
    runs = pd.concat(both)
    factors = ["num_servers", "num_middlewares", "workers"]
    figure = plot_interactions(runs, runs, factors, response=THROUGHPUT)
    shown = [trace.name for trace in figure.data if trace.showlegend]
    assert shown == ["1 middleware", "2 middlewares", "8 workers", "32 workers", "bound"]
    assert len(figure.layout.annotations) == 6


def test_interactions_need_two_factors():
    with pytest.raises(ValueError, match="at least 2 factors"):
        plot_interactions(factorial_runs(), factorial_runs(), ["workers"], response=THROUGHPUT)


def test_residuals_stand_against_prediction_and_normal_quantiles():
    found = designs(factorial_runs())
    figure = plot_residuals(found, UNITS, response="throughput", model="additive")
    against_prediction, against_normal, line, *_ = figure.data
    residuals = found["additive"][0]["set", "throughput"].residuals
    assert list(against_prediction.x) == pytest.approx(list(residuals["predicted"]))
    assert list(against_normal.y) == pytest.approx(sorted(residuals["residual"]))
    assert line.mode == "lines"
    assert figure.layout.yaxis.title.text == "Residual (op/s)"


def test_residuals_need_repetitions():
    once = factorial_runs().query("repetition == 1")
    with pytest.raises(ValueError, match="residuals need repetitions, got r = 1"):
        plot_residuals(designs(once), UNITS, response="throughput", model="additive")
