"""Where the time goes in the middleware, against the number of clients or of workers."""

from typing import Literal

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.plots.series import CLIENTS_TITLE, count_runs
from analysis.figures.theme import BLACK, TIMES, bar_marker, error_bars, new_figure

Over = Literal["num_clients", "workers"]
_TITLES = {"num_clients": CLIENTS_TITLE, "workers": "Number of workers"}


def plot_breakdown(cells: pd.DataFrame, over: Over = "num_clients") -> go.Figure:
    """Stack the parts of the middleware's response time: the bar is the whole, with its 95 % CI.

    Parameters
    ----------
    cells
        From `analysis.laws.summary.cells`, one row per level of `over`: one workload, and one
        number of workers or of clients.
    over
        What the bars differ in; `workers` are those of one middleware.
    """
    cells = cells.sort_values(over)
    levels = cells[over].astype(str)  # bars of even width, whatever the distance of levels
    figure = new_figure(_TITLES[over], "Time (ms)")
    for time, style in TIMES.items():
        figure.add_bar(
            x=levels,
            y=cells[f"middleware_{time}_ms_mean"],
            name=style.name,
            marker=bar_marker(style.color, style.pattern),
        )
    figure.add_scatter(
        x=levels,
        y=cells["middleware_response_time_ms_mean"],
        error_y=error_bars(cells, "middleware_response_time_ms"),
        mode="markers",
        marker={"color": BLACK, "symbol": "line-ew-open", "size": 14},
        name="response time",
    )
    figure.update_layout(barmode="stack", xaxis_type="category", legend_traceorder="normal")
    return count_runs(figure, cells, "middleware_response_time_ms")
