"""Where the time goes in the middleware, against the number of clients."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.plots.series import CLIENTS_TITLE, count_runs
from analysis.figures.theme import BLACK, TIMES, bar_marker, error_bars, new_figure


def plot_breakdown(cells: pd.DataFrame) -> go.Figure:
    """Stack the parts of the middleware's response time: the bar is the whole, with its 95 % CI.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`, one row per `num_clients`: one workload, one number
        of workers.
    """
    cells = cells.sort_values("num_clients")
    loads = cells["num_clients"].astype(str)  # bars of even width, whatever the distance of loads
    figure = new_figure(CLIENTS_TITLE, "Time (ms)")
    for time, style in TIMES.items():
        figure.add_bar(
            x=loads,
            y=cells[f"middleware_{time}_ms_mean"],
            name=style.name,
            marker=bar_marker(style.color, style.pattern),
        )
    figure.add_scatter(
        x=loads,
        y=cells["middleware_response_time_ms_mean"],
        error_y=error_bars(cells, "middleware_response_time_ms"),
        mode="markers",
        marker={"color": BLACK, "symbol": "line-ew-open", "size": 14},
        name="response time",
    )
    figure.update_layout(barmode="stack", xaxis_type="category", legend_traceorder="normal")
    return count_runs(figure, cells, "middleware_response_time_ms")
