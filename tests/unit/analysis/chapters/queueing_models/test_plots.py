import math

import ipywidgets
import pandas as pd
import pytest

from analysis.chapters.queueing_models.open_loop import ServiceCenter
from analysis.chapters.queueing_models.plots import (
    plot_by_workload,
    plot_open_stations,
    plot_what_if,
    what_if_controls,
)
from analysis.models import System, message_bytes, predict

SYSTEMS = {
    workload: System(middlewares=1, workers=64, network_delay=5e-4, **message_bytes(workload))
    for workload in ("get", "set")
}


@pytest.fixture
def cells():
    rows = [(w, 64, n) for w in SYSTEMS for n in (6, 48, 192)]
    frame = pd.DataFrame(rows, columns=["workload", "workers", "num_clients"])
    for column in ("client_throughput_ops_per_s", "client_response_time_ms"):
        parts = {f"{column}_{part}": 1000.0 for part in ("mean", "ci_low", "ci_high")}
        frame = frame.assign(**parts, **{f"{column}_repetitions": 3})
    return frame


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


def first_choices():
    controls = what_if_controls(SYSTEMS, 192)
    values = {
        key: control.value if isinstance(control, ipywidgets.Widget) else control[0]
        for key, control in controls.items()
    }
    return controls, values


def test_controls_begin_with_a_server_link_twice_as_fast(cells):
    controls, values = first_choices()
    assert values == {
        "workload": "get", "num_clients": 192, "middlewares": 1, "workers": 64,
        "server_link_mbit_per_s": 200.0, "round_trip_ms": 1.0,
    }  # fmt: skip
    assert controls["server_link_mbit_per_s"].description == "Server link (Mbit/s)"
    figure = plot_what_if(cells, SYSTEMS, **values)
    before, after = (
        next(trace for trace in figure.data if trace.name == name and len(trace.x) == 192)
        for name in ("as it is", "changed")
    )
    expected = predict(SYSTEMS["get"], 192).measures["throughput_ops_per_s"]
    assert list(before.y) == pytest.approx(expected.tolist())
    assert after.y[-1] == pytest.approx(2 * before.y[-1], rel=0.02)
    assert figure.layout.meta["runs"]


def test_measured_loads_beyond_the_clients_are_left_out(cells):
    _, values = first_choices()
    figure = plot_what_if(cells, SYSTEMS, **{**values, "num_clients": 50})
    measured = next(trace for trace in figure.data if trace.name == "measured")
    assert list(measured.x) == [6, 48]


def test_the_bound_lies_above_what_is_predicted(cells):
    _, values = first_choices()
    figure = plot_what_if(cells, SYSTEMS, **values)
    curve, bound = figure.data[:2]
    pairs = zip(bound.y, curve.y, strict=True)
    assert all(reached <= most * (1 + 1e-9) for most, reached in pairs)
