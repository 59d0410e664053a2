"""Models beside measurements: by workload, under open arrivals, and of a changed system."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import ipywidgets
import pandas as pd
import plotly.graph_objects as go

from analysis.chapters.queueing_models.open_loop import (
    RESPONSE_TIME,
    ServiceCenter,
    compare_open,
    open_curves,
)
from analysis.figures.panels import panels
from analysis.figures.plots.measured_and_model import AT_CLIENTS, plot_prediction
from analysis.figures.plots.series import (
    CLIENTS_TITLE,
    add_measured,
    add_model,
    add_model_legend,
    clients_axis,
    count_runs,
    time_axis,
)
from analysis.figures.theme import BLACK, BLUE, FRAME, GREEN, PURPLE, VERMILLION, Style, new_figure
from analysis.models.asymptotes import bounds_over, least_response_time
from analysis.models.prediction import largest_throughput, predict
from analysis.models.system import System
from analysis.statistics.intervals import aggregate
from analysis.statistics.loads.curve import THINK_TIME
from analysis.text.formatting import heading
from analysis.units import BITS_PER_MBIT, MS_PER_S

_MEASURED = Style(name="measured", color=BLACK, symbol="circle")
_AS_IT_IS = Style(name="as it is", color=FRAME, symbol="circle")
_CHANGED = Style(name="changed", color=BLUE, symbol="circle")
_THROUGHPUT, _RESPONSE_TIME = "client_throughput_ops_per_s", "client_response_time_ms"
_OPEN_MODELS = {  # by the beginning of a model's name, the longer ones first
    "M/D/1, token bucket": Style(name="token bucket", color=PURPLE, symbol="x", dash="dashdot"),
    "M/M/": Style(name="M/M/m", color=BLUE, symbol="x"),
    "M/D/": Style(name="M/D/m", color=VERMILLION, symbol="x", dash="dash"),
    "M/G/": Style(name="M/G/m", color=GREEN, symbol="x", dash="dot"),
}
_LEVELS = ("section", "workload", "num_clients", "num_middlewares", "workers", "arrival_rate_per_s")
_ROOM = 1.6  # above and below what a logarithmic axis shows


def plot_by_workload(
    cells: pd.DataFrame, predictions: pd.DataFrame, measures: Mapping[str, str] = AT_CLIENTS
) -> go.Figure:
    """Plot models of sets and of gets as panels, `plot_prediction` of each number of workers.

    Parameters
    ----------
    cells, predictions
        As for `plot_prediction`, with columns `workload` and `workers`.
    measures
        Column to the title of its axis. Of several, each workload has a row; of one, all have one
        row.
    """
    plots = [
        [
            plot_prediction(
                cells[cells["workload"] == workload],
                predictions[predictions["workload"] == workload],
                column=column,
                title=title,
                series="workers",
            )
            for column, title in measures.items()
        ]
        for workload in ("set", "get")
    ]
    names = [title.partition(" (")[0].lower() for title in measures.values()]
    titles = [[f"{kind}: {name}" for name in names] for kind in ("Sets", "Gets")]
    if len(names) == 1:
        plots, titles = [[plot for (plot,) in plots]], [["Sets", "Gets"]]
    return panels(plots, titles)


def plot_open_stations(centers: Mapping[str, ServiceCenter]) -> go.Figure:
    """Plot response times under Poisson arrivals over the utilization, with models as lines.

    One panel per station. The axis of times is logarithmic; intervals are cut where they reach far
    beyond all means.

    Parameters
    ----------
    centers
        Name to station.
    """
    plots = [_open_station(center) for center in centers.values()]
    return panels([plots], [[name.capitalize() for name in centers]])


def _open_station(center: ServiceCenter) -> go.Figure:
    figure = new_figure("Utilization", "Response time (ms)")
    figure.update_xaxes(range=[0, 1], tickformat=".1f")
    if center.runs.empty:
        return figure
    curves = open_curves(center)
    points = compare_open(center).drop_duplicates("arrival_rate_per_s")
    shown = pd.concat([points["measured"], curves["response_time_ms"]]).astype(float)
    low, high = shown.min() / _ROOM, shown.max() * _ROOM
    figure.add_scatter(
        x=points["utilization"],
        y=points["measured"],
        error_y={
            "type": "data",
            "symmetric": False,
            "array": points["ci_high"].clip(upper=high) - points["measured"],
            "arrayminus": points["measured"] - points["ci_low"].clip(lower=low),
        },
        mode="markers",
        marker={"color": _MEASURED.color, "symbol": "circle-open", "line": {"width": 1.3}},
        name=_MEASURED.name,
    )
    for model, curve in curves.groupby("model", sort=False):
        style = next(s for start, s in _OPEN_MODELS.items() if str(model).startswith(start))
        figure.add_scatter(
            x=curve["utilization"],
            y=curve["response_time_ms"],
            mode="lines",
            line={"color": style.color, "dash": style.dash},
            name=style.name,
        )
    known = center.runs.dropna(axis="columns", how="all")
    levels = [name for name in _LEVELS if name in known]
    return count_runs(time_axis(figure), aggregate(known, levels, [RESPONSE_TIME]), RESPONSE_TIME)


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
        From `analysis.laws.summary.cells`: of the system as it is.
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
