"""Any measure of one run, second by second."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.over_time.trace import (
    CLOCK_TITLE,
    mark_events,
    shade_stable_window,
    while_running,
)
from analysis.figures.theme import new_figure, style_of


def plot_seconds(
    seconds: pd.DataFrame,
    column: str,
    title: str,
    *,
    series: str = "server",
    events: pd.DataFrame | None = None,
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
    events
        As for `analysis.figures.plots.plot_trace`.
    logarithmic
        Give the measure a logarithmic axis, for rare seconds far above the others.

    Raises
    ------
    ValueError
        The rows are of several runs.
    """
    if seconds.duplicated([series, "second_s"]).any():
        raise ValueError(f"a trace shows one run, got several rows for a {series} and second")
    figure = new_figure(CLOCK_TITLE, title)
    seconds = while_running(seconds)
    levels = seconds.groupby(series)
    single = levels.ngroups == 1  # a dash tells it from no other, and looks like gaps
    for position, (level, rows) in enumerate(levels):
        style = style_of(series, level, position)
        figure.add_scatter(
            x=rows["second_s"],
            y=rows[column],
            mode="lines",
            line={"color": style.color, "dash": "solid" if single else style.dash, "width": 1.3},
            name=style.name,
        )
    shade_stable_window(figure, seconds)
    mark_events(figure, events)
    if logarithmic:
        figure.update_yaxes(type="log", dtick=1)
    return figure.update_xaxes(rangemode="normal").update_layout(meta={"runs": 1})
