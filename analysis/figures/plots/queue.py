"""The middleware's job queue and its workers, against the number of clients."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.plots.series import (
    CLIENTS_TITLE,
    add_measured,
    add_model,
    add_model_legend,
    clients_axis,
    count_runs,
    each_series,
)
from analysis.figures.theme import new_figure
from analysis.laws.operational import littles_law
from analysis.statistics.precision.split_by_regime import branches
from analysis.units import MS_PER_S


def plot_queue_length(cells: pd.DataFrame) -> go.Figure:
    """Plot the number of waiting jobs with 95 % CIs, and what Little's law makes of their wait.

    Parameters
    ----------
    cells
        From `analysis.laws.summary.cells`, one row per `workers` and `num_clients`. Queue
        lengths are time-weighted means, summed over the middlewares.
    """
    figure = new_figure(CLIENTS_TITLE, "Queue length (jobs)")
    for style, rows in each_series(cells, "workers"):
        add_measured(figure, style, rows, "middleware_queue_length")
        for joined in branches(rows):
            in_queue = littles_law(
                joined["middleware_throughput_ops_per_s_mean"],
                joined["middleware_queueing_time_ms_mean"] / MS_PER_S,
            )
            add_model(figure, style, joined["num_clients"], in_queue)
    add_model_legend(figure, "Little's law")
    return count_runs(clients_axis(figure, cells), cells, "middleware_queue_length")


def plot_waiting_workers(cells: pd.DataFrame) -> go.Figure:
    """Plot the number of workers without a job, summed over the middlewares, with 95 % CIs."""
    figure = new_figure(CLIENTS_TITLE, "Idle workers")
    for style, rows in each_series(cells, "workers"):
        add_measured(figure, style, rows, "middleware_waiting_workers")
    return count_runs(clients_axis(figure, cells), cells, "middleware_waiting_workers")
