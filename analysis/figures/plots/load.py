"""Throughput and response time against clients, and by workers, with what bounds them."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.series import (
    CLIENTS_TITLE,
    add_knees,
    add_measured,
    add_model,
    add_model_legend,
    clients_axis,
    count_runs,
    each_series,
    time_axis,
)
from analysis.figures.theme import FRAME, error_bars, new_figure
from analysis.models.asymptotes import bounds_over
from analysis.statistics.loads.curve import THINK_TIME
from analysis.units import MS_PER_S

THROUGHPUT, RESPONSE_TIME = "throughput_ops_per_s", "response_time_ms"
BOUND = "asymptotic bound"
_POINTS = 80  # of a bound
_TICKS_PX = 60  # of the ticks of all series of one number of workers
_GAP = 0.6  # of the room of a number of workers, between its markers and those of the next
_TITLES = {THROUGHPUT: "Throughput (op/s)", RESPONSE_TIME: "Response time (ms)"}


def plot_throughput(
    cells: pd.DataFrame,
    bounds: pd.DataFrame | None = None,
    *,
    series: str = "workload",
) -> go.Figure:
    """Plot measured throughput with 95 % CIs, and the most that links, delays and workers allow.

    A mark on each bound is its knee, N*.

    Parameters
    ----------
    cells
        From `analysis.laws.summary.cells`, one row per `series` and `num_clients`.
    bounds
        From `analysis.models.asymptotes.asymptote_table`, one row per level of `series`.
    """
    return _against_clients(cells, bounds, THROUGHPUT, series)


def plot_response_time(
    cells: pd.DataFrame,
    bounds: pd.DataFrame | None = None,
    *,
    series: str = "workload",
) -> go.Figure:
    """Plot measured response time with 95 % CIs, and the least that it can be; logarithmic."""
    return time_axis(_against_clients(cells, bounds, RESPONSE_TIME, series))


def plot_by_workers(cells: pd.DataFrame, bounds: pd.DataFrame, *, series: str) -> go.Figure:
    """Plot throughput and response time by workers; series stand beside each other, none hidden."""
    plots = load_by_workers(cells, bounds, series=series)
    return panels([plots], [["Throughput", "Response time"]])


def load_by_workers(cells: pd.DataFrame, bounds: pd.DataFrame, *, series: str) -> list[go.Figure]:
    """Plot throughput, and response time on a logarithmic axis, by workers.

    Parameters
    ----------
    cells
        From `analysis.laws.summary.cells`, one row per `workers` and level of `series`.
    bounds
        `workers`, `series`, `most_ops_per_s`, `least_response_time_ms`: at the clients of `cells`.
    """
    throughput = _by_workers(cells, bounds, THROUGHPUT, "most_ops_per_s", series)
    response_time = _by_workers(cells, bounds, RESPONSE_TIME, "least_response_time_ms", series)
    return [throughput, time_axis(response_time)]


def _by_workers(
    cells: pd.DataFrame, bounds: pd.DataFrame, measure: str, bound: str, series: str
) -> go.Figure:
    column = f"client_{measure}"
    figure = new_figure("Workers", _TITLES[measure])
    tick = {"symbol": "line-ew-open", "size": _TICKS_PX / cells[series].nunique(), "color": FRAME}
    for style, rows in each_series(cells, series):
        figure.add_scatter(
            x=rows["workers"].astype(str),
            y=rows[f"{column}_mean"],
            error_y=error_bars(rows, column),
            mode="markers",
            marker={"color": style.color, "symbol": style.symbol, "size": 7},
            name=style.name,
            offsetgroup=style.name,
        )
        own = bounds[bounds[series] == rows[series].iloc[0]]
        figure.add_scatter(
            x=own["workers"].astype(str),
            y=own[bound],
            mode="markers",
            marker={**tick, "line": {"width": 1.5}},
            name=BOUND,
            offsetgroup=style.name,
            showlegend=BOUND not in {trace.name for trace in figure.data},
        )
    order = [str(workers) for workers in sorted(cells["workers"].unique())]
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=order)
    figure.update_layout(scattermode="group", scattergap=_GAP)
    return count_runs(figure, cells, column)


def _against_clients(
    cells: pd.DataFrame, bounds: pd.DataFrame | None, measure: str, series: str
) -> go.Figure:
    column = f"client_{measure}"
    figure = new_figure(CLIENTS_TITLE, _TITLES[measure])
    knees: list[tuple[float, float]] = []
    for style, rows in each_series(cells, series):
        add_measured(figure, style, rows, column)
        if bounds is not None:
            bound = bounds[bounds[series] == rows[series].iloc[0]].iloc[0]
            most = float(bound["most_ops_per_s"])
            least_s = float(bound["least_response_time_ms"]) / MS_PER_S
            think_s = float(bound.get(THINK_TIME, 0.0))
            ends = rows["num_clients"].min(), rows["num_clients"].max()
            knee = float(np.clip(most * (least_s + think_s), *ends))
            clients = np.sort(np.append(np.geomspace(*ends, _POINTS), knee))
            throughput, time_s = bounds_over(most, least_s, think_s, clients)
            line = throughput if measure == THROUGHPUT else time_s * MS_PER_S
            add_model(figure, style, clients, line)
            if ends[0] < knee < ends[1]:
                knees.append((knee, float(line[clients == knee][0])))
    if bounds is not None:
        add_model_legend(figure, BOUND)
        add_knees(figure, knees)
    return count_runs(clients_axis(figure, cells), cells, column)
