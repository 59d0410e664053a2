import math

import pandas as pd
import pytest

from analysis.figures.plots.measured_and_model import (
    plot_by_workload,
    plot_open_stations,
    plot_predicted_against_measured,
)
from analysis.sections.open_loop import ServiceCenter


def open_center(rates):
    runs = [
        {
            "section": "7", "num_clients": 384, "arrival_rate_per_s": rate,
            "repetition": repetition, "measured_rate_per_s": rate, "service_time_s": 1e-3,
            "service_scv": 0.0, "machine_share": math.nan,
            "client_response_time_ms": 2.0 + repetition,
        }
        for rate in rates
        for repetition in (-1, 0, 1)
    ]  # fmt: skip
    columns = ["arrival_rate_per_s", "service_scv"]
    return ServiceCenter(runs=pd.DataFrame(runs) if runs else pd.DataFrame(columns=columns))


def test_stations_are_panels_of_points_and_curves():
    figure = plot_open_stations(
        {"link": open_center([100.0, 800.0]), "one worker": open_center([])}
    )
    assert [trace.name for trace in figure.data] == ["measured", "M/M/m", "M/D/m"]
    points, curve, _ = figure.data
    assert list(points.x) == pytest.approx([0.1, 0.8])
    assert max(curve.x) == pytest.approx(0.8)
    assert sum(figure.layout.meta["runs"].values()) == 6


def test_intervals_are_cut_where_a_logarithmic_axis_would_lose_them():
    points = plot_open_stations({"link": open_center([100.0, 800.0])}).data[0]
    assert all(below < 2 for below in points.error_y.arrayminus)
    assert all(above < 10 for above in points.error_y.array)


def closed_cells():
    rows = [(w, 8, n) for w in ("set", "get") for n in (6, 12)]
    cells = pd.DataFrame(rows, columns=["workload", "workers", "num_clients"])
    for column in ("client_throughput_ops_per_s", "client_response_time_ms"):
        parts = {f"{column}_{part}": 1.0 for part in ("mean", "ci_low", "ci_high")}
        cells = cells.assign(**parts, **{f"{column}_repetitions": 3, column: 1.1})
    return cells


def test_each_workload_has_a_row_of_measures():
    cells = closed_cells()
    figure = plot_by_workload(cells, cells.assign(model="exact"))
    titles = [note.text for note in figure.layout.annotations]
    assert titles == [
        "Sets: throughput", "Sets: response time", "Gets: throughput", "Gets: response time",
    ]  # fmt: skip
    assert [t.name for t in figure.data if t.showlegend] == ["8 workers", "exact"]


def test_of_one_measure_the_workloads_share_a_row():
    cells = closed_cells()
    times = {"client_response_time_ms": "Response time (ms)"}
    figure = plot_by_workload(cells, cells.assign(model="exact"), times)
    assert [note.text for note in figure.layout.annotations] == ["Sets", "Gets"]
    assert figure.layout.yaxis.type == "log"


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
