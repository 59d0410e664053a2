"""Any measure of one run, second by second."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.over_time.trace import (
    ONE_RUN,
    add_seconds,
    shade_stable_window,
    while_running,
)
from analysis.figures.theme import new_figure


def plot_seconds(
    seconds: pd.DataFrame,
    column: str,
    title: str,
    *,
    series: str = "server",
    logarithmic: bool = False,
) -> go.Figure:
    """Plot a measure of every second as one line per series, the stable window shaded.

    Parameters
    ----------
    seconds
        Rows of one run: `second_s`, `stable`, `series` and `column`, such as
        `analysis.tables.frames.Tables.servers` or `windows`.
    column, title
        The measure and its axis title with the unit.
    series
        Column that tells the lines apart.
    logarithmic
        Give the measure a logarithmic axis, for rare seconds far above the others.

    Raises
    ------
    ValueError
        The rows are of several runs.
    """
    if seconds.duplicated([series, "second_s"]).any():
        raise ValueError(f"a trace shows one run, got several rows for a {series} and second")
    figure = new_figure("Clock (s)", title)
    seconds = while_running(seconds)
    add_seconds(figure, seconds, column, series)
    shade_stable_window(figure, seconds)
    if logarithmic:
        figure.update_yaxes(type="log", dtick=1)
    return figure.update_xaxes(rangemode="normal").update_layout(meta={"runs": ONE_RUN})
