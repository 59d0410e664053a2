"""Throughput and response time against the number of clients, with what bounds them."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

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
from analysis.figures.theme import new_figure
from analysis.models.asymptotes import bounds_over
from analysis.statistics.loads.curve import THINK_TIME
from analysis.units import MS_PER_S

THROUGHPUT, RESPONSE_TIME = "throughput_ops_per_s", "response_time_ms"
_POINTS = 80  # of a bound
_TITLES = {THROUGHPUT: "Throughput (op/s)", RESPONSE_TIME: "Response time (ms)"}


def plot_throughput(
    cells: pd.DataFrame,
    bounds: pd.DataFrame | None = None,
    *,
    series: str = "workload",
    side: str = "client",
) -> go.Figure:
    """Plot measured throughput with 95 % CIs, and the most that links, delays and workers allow.

    A mark on each bound is its knee, N*.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`, one row per `series` and `num_clients`.
    bounds
        From `analysis.models.asymptotes.asymptote_table`, one row per level of `series`.
    series
        Column that tells the series apart, such as ``workload`` or ``workers``.
    side
        ``client`` or ``middleware``.
    """
    return _against_clients(cells, bounds, THROUGHPUT, series=series, side=side)


def plot_response_time(
    cells: pd.DataFrame,
    bounds: pd.DataFrame | None = None,
    *,
    series: str = "workload",
    side: str = "client",
) -> go.Figure:
    """Plot measured response time with 95 % CIs, and the least that it can be; logarithmic.

    Parameters
    ----------
    cells, bounds, series, side
        As for `plot_throughput`.
    """
    figure = _against_clients(cells, bounds, RESPONSE_TIME, series=series, side=side)
    return time_axis(figure)


def _against_clients(
    cells: pd.DataFrame, bounds: pd.DataFrame | None, measure: str, *, series: str, side: str
) -> go.Figure:
    column = f"{side}_{measure}"
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
        add_model_legend(figure, "asymptotic bound")
        add_knees(figure, knees)
    return count_runs(clients_axis(figure, cells), cells, column)
