"""Throughput against the number of clients."""

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.series import (
    CLIENTS_TITLE,
    add_measured,
    add_model,
    add_model_legend,
    each_series,
)
from analysis.theme import FRAME, new_figure


def plot_throughput(
    cells: pd.DataFrame,
    *,
    series: str = "workload",
    side: str = "client",
    law: bool = True,
    limits: dict[str, float] | None = None,
) -> go.Figure:
    """Plot measured throughput with 95 % CIs, and what the interactive law makes of response time.

    Parameters
    ----------
    cells
        From `analysis.summary.cells`, one row per `series` and `num_clients`.
    series
        Column that tells the series apart: ``workload`` or ``workers``.
    side
        ``client`` or ``middleware``.
    law
        Whether to add the interactive law, X = N / (R + Z), as a line; it holds at the clients.
    limits
        Name to throughput in op/s, such as the most that a link carries: horizontal lines.
    """
    column = f"{side}_throughput_ops_per_s"
    shows_law = law and side == "client"
    figure = new_figure(CLIENTS_TITLE, "Throughput (op/s)")
    for style, rows in each_series(cells, series):
        add_measured(figure, style, rows, column)
        if shows_law:
            predicted = rows["interactive_law_throughput_ops_per_s_mean"]
            add_model(figure, style, rows["num_clients"], predicted)
    if shows_law:
        add_model_legend(figure, "interactive law")
    for name, limit in (limits or {}).items():
        figure.add_hline(limit, line={"color": FRAME, "dash": "dash"}, annotation_text=name)
    return figure
