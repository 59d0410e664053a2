"""What the network of queues predicts of a changed system, with controls for what is changed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import ipywidgets
import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.series import (
    CLIENTS_TITLE,
    add_measured,
    add_model,
    add_model_legend,
    clients_axis,
    count_runs,
    time_axis,
)
from analysis.figures.theme import BLACK, BLUE, FRAME, Style, new_figure
from analysis.models.asymptotes import bounds_over, least_response_time
from analysis.models.prediction import largest_throughput, predict
from analysis.models.system import System
from analysis.statistics.loads.curve import THINK_TIME
from analysis.text.formatting import heading
from analysis.units import BITS_PER_MBIT, MS_PER_S

_MEASURED = Style(name="measured", color=BLACK, symbol="circle")
_AS_IT_IS = Style(name="as it is", color=FRAME, symbol="circle")
_CHANGED = Style(name="changed", color=BLUE, symbol="circle")
_THROUGHPUT, _RESPONSE_TIME = "client_throughput_ops_per_s", "client_response_time_ms"


def plot_what_if(
    cells: pd.DataFrame,
    systems: Mapping[str, System],
    *,
    workload: str,
    num_clients: int,
    middlewares: int,
    workers: int,
    server_link_mbit_per_s: float,
    round_trip_ms: float,
) -> go.Figure:
    """Plot what the network of queues predicts of a changed system, beside the system as it is.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`: of the system as it is.
    systems
        Workload to the system as it is.
    workload
        Which of them.
    num_clients
        N, up to which the load rises.
    middlewares, workers, server_link_mbit_per_s, round_trip_ms
        What the change replaces.
    """
    base = systems[workload]
    changed = replace(
        base,
        middlewares=middlewares,
        workers=workers,
        server_link_rate=server_link_mbit_per_s * BITS_PER_MBIT,
        network_delay=round_trip_ms / 2 / MS_PER_S,
    )
    measured = cells[(cells["workload"] == workload) & (cells["workers"] == base.workers)]
    measured = measured[measured["num_clients"] <= num_clients].sort_values("num_clients")
    if THINK_TIME in measured:
        measured = measured[measured[THINK_TIME].fillna(0) == base.think_time]
    throughput = new_figure(CLIENTS_TITLE, "Throughput (op/s)")
    response_time = new_figure(CLIENTS_TITLE, "Response time (ms)")
    for system, style in ((base, _AS_IT_IS), (changed, _CHANGED)):
        load = predict(system, num_clients).measures
        most, least = largest_throughput(system), least_response_time(system)
        bounds = bounds_over(most, least, system.think_time, load["num_clients"])
        for figure, column, bound in (
            (throughput, "throughput_ops_per_s", bounds[0]),
            (response_time, _RESPONSE_TIME, bounds[1] * MS_PER_S),
        ):
            line = {"color": style.color}
            figure.add_scatter(
                x=load["num_clients"], y=load[column], mode="lines", line=line, name=style.name
            )
            add_model(figure, style, load["num_clients"], bound)
    for figure, column in ((throughput, _THROUGHPUT), (response_time, _RESPONSE_TIME)):
        add_measured(figure, _MEASURED, measured, column)
        add_model_legend(figure, "asymptotic bound")
        clients_axis(count_runs(figure, measured, column), measured)
    return panels([[throughput, time_axis(response_time)]], [["Throughput", "Response time"]])


def what_if_controls(systems: Mapping[str, System], num_clients: int) -> dict[str, Any]:
    """Return the controls of `plot_what_if`, which begin with a server link twice as fast.

    Parameters
    ----------
    systems
        As for `plot_what_if`; the first is shown to begin with.
    num_clients
        N to begin with.
    """
    base = next(iter(systems.values()))
    rate = base.server_link_rate / BITS_PER_MBIT
    round_trip_ms = 2 * base.network_delay * MS_PER_S
    sliders = {
        "num_clients": ipywidgets.IntSlider(value=num_clients, min=2, max=2 * num_clients),
        "middlewares": ipywidgets.IntSlider(value=base.middlewares, min=1, max=4),
        "workers": ipywidgets.IntSlider(value=base.workers, min=1, max=2 * base.workers),
        "server_link_mbit_per_s": ipywidgets.FloatSlider(value=2 * rate, min=1, max=10 * rate),
        "round_trip_ms": ipywidgets.FloatSlider(
            value=round_trip_ms, min=0.01, max=10 * round_trip_ms + 1, step=0.01
        ),
    }
    for name, slider in sliders.items():
        slider.description = heading(name)
        slider.style.description_width = "initial"
    return {"workload": list(systems), **sliders}
