"""Throughput and response time by workers and copies of a key, one load."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.plots.series import count_runs, each_series
from analysis.figures.theme import error_bars, new_figure

_TITLES = {
    "throughput_ops_per_s": "Throughput (op/s)",
    "response_time_ms": "Response time (ms)",
}
_GAP = 0.6  # of the room of a number of workers, between its markers and those of the next


def plot_by_workers(cells: pd.DataFrame, measure: str, *, series: str = "replicas") -> go.Figure:
    """Plot a measure at the clients by workers; the series stand beside each other, none hidden.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`, one row per `workers` and `series`.
    measure
        ``throughput_ops_per_s`` or ``response_time_ms``, with its 95 % confidence interval.
    series
        Column that tells the markers of a number of workers apart.
    """
    column = f"client_{measure}"
    figure = new_figure("Workers", _TITLES[measure])
    for style, rows in each_series(cells, series):
        figure.add_scatter(
            x=rows["workers"].astype(str),
            y=rows[f"{column}_mean"],
            error_y=error_bars(rows, column),
            mode="markers",
            marker={"color": style.color, "symbol": style.symbol},
            name=style.name,
            offsetgroup=style.name,
        )
    order = [str(workers) for workers in sorted(cells["workers"].unique())]
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=order)
    figure.update_layout(scattermode="group", scattergap=_GAP)
    return count_runs(figure, cells, column)
