"""Percentiles of a time against the number of clients."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.plots.series import (
    CLIENTS_TITLE,
    clients_axis,
    count_merged,
    each_series,
    time_axis,
)
from analysis.figures.theme import new_figure
from analysis.statistics.percentile_table import with_intervals


def plot_percentiles(percentiles: pd.DataFrame) -> go.Figure:
    """Plot the percentiles of one system, read from the merged histograms of all repetitions.

    Parameters
    ----------
    percentiles
        From `analysis.results.histograms.percentiles_by`, one row per `num_clients` and
        `percentile`.
    """
    figure = new_figure(CLIENTS_TITLE, "Response time (ms)")
    add_percentiles(figure, percentiles, "num_clients")
    return count_merged(time_axis(clients_axis(figure, percentiles)), percentiles)


def add_percentiles(figure: go.Figure, percentiles: pd.DataFrame, x: str) -> None:
    """Add a line for each percentile, with the 95 % intervals between repetitions, over `x`."""
    known = with_intervals(percentiles).assign(num_clients=percentiles[x])
    for style, rows in each_series(known, "percentile"):
        figure.add_scatter(
            x=rows[x],
            y=rows["value_ms"],
            error_y={"type": "data", "array": rows["half_width_ms"]},
            mode="lines+markers",
            marker={"color": style.color, "symbol": style.symbol},
            line={"color": style.color, "dash": style.dash, "width": 1},
            name=style.name,
        )
