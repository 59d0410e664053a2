import pandas as pd
import pytest

from analysis.chapters.published_results.plots import (
    plot_design_effects,
    plot_over_clients,
    plot_ratios,
    plot_station_models,
)
from analysis.studies.rederived_stations import station_table
from analysis.studies.rederived_variation import throughput_effects


def test_designs_stand_beside_each_other_over_the_same_effects():
    results = {name: throughput_effects(name, "set") for name in ("schmid2018", "cetin2018")}
    figure = plot_design_effects(results)
    left, right = figure.data
    assert [trace.name for trace in figure.data] == ["schmid2018", "cetin2018"]
    assert (right.x - left.x).tolist() == pytest.approx([0.2] * 7)
    assert figure.layout.xaxis.ticktext == ("A", "B", "C", "AB", "AC", "BC", "ABC")
    assert figure.layout.yaxis.title.text == "Change (% of the mean)"


def test_models_of_a_station_are_shown_as_printed_and_as_computed():
    figure = plot_station_models(
        station_table().query("measure == 'queue_length'"), "Jobs in the queue"
    )
    assert [trace.mode for trace in figure.data] == [
        "markers", "markers", "lines", "markers", "lines",
    ]  # fmt: skip
    assert figure.data[0].y.tolist() == [33.66, 2.4, 48.51, 13.64]
    assert figure.layout.yaxis.type == "log"


def test_points_and_lines_over_the_clients():
    frame = pd.DataFrame({"num_clients": [8, 16], "x": [1.0, 2.0]})
    figure = plot_over_clients(
        "x",
        "X (1/s)",
        points=frame.assign(series="measured", order=1),
        lines=frame.assign(model="bounds"),
    )
    assert [(trace.name, trace.mode) for trace in figure.data] == [
        ("measured", "markers"),
        ("bounds", "lines"),
    ]
    assert not plot_over_clients("x", "X (1/s)").data


def test_ratios_stand_over_the_sets_at_once_with_their_intervals():
    beside = pd.DataFrame(
        {
            "study": ["A", "A", "B"], "at_once": [8, 64, 16], "ratio": [1.2, 1.0, 0.9],
            "published": [1000.0, 2000.0, 1000.0], "measured": [1200.0, 2000.0, 900.0],
            "ci_low": [1100.0, 1900.0, 850.0], "ci_high": [1300.0, 2200.0, 950.0],
        }
    )  # fmt: skip
    first, second = plot_ratios(beside).data
    assert (first.name, second.name) == ("A", "B")
    assert first.x.tolist() == [8, 64]
    assert first.y.tolist() == [1.2, 1.0]
    assert first.error_y.array.tolist() == pytest.approx([0.1, 0.1])
    assert first.error_y.arrayminus.tolist() == pytest.approx([0.1, 0.05])
