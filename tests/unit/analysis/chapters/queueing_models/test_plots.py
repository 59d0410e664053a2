import ipywidgets
import pandas as pd
import pytest

from analysis.chapters.queueing_models.plots import (
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
