"""Response time against the number of clients."""

import pandas as pd
import plotly.graph_objects as go

from analysis.plots.series import (
    CLIENTS_TITLE,
    add_measured,
    add_model,
    add_model_legend,
    each_series,
)
from analysis.theme import new_figure


def plot_response_time(
    cells: pd.DataFrame, *, series: str = "workload", side: str = "client", law: bool = True
) -> go.Figure:
    """Plot measured response time with 95 % CIs, and what the interactive law makes of throughput.

    Parameters
    ----------
    cells
        From `analysis.summary.cells`, one row per `series` and `num_clients`.
    series
        Column that tells the series apart: ``workload`` or ``workers``.
    side
        ``client`` or ``middleware``.
    law
        Whether to add the interactive law, R = N / X - Z, as a line; it holds at the clients.
    """
    column = f"{side}_response_time_ms"
    shows_law = law and side == "client"
    figure = new_figure(CLIENTS_TITLE, "Response time (ms)")
    for style, rows in each_series(cells, series):
        add_measured(figure, style, rows, column)
        if shows_law:
            predicted = rows["interactive_law_response_time_ms_mean"]
            add_model(figure, style, rows["num_clients"], predicted)
    if shows_law:
        add_model_legend(figure, "interactive law")
    return figure
