"""The seconds around the events of a long run, in which they are too short to be seen."""

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.figures.over_time.trace import add_seconds, shade_events, while_running
from analysis.figures.theme import TEMPLATE, new_figure

MOST = 4  # events side by side
_ROWS = {
    "throughput_ops_per_s": "Throughput (op/s)",
    "queue_length": "Queue length (jobs)",
}


def plot_close_ups(
    windows: pd.DataFrame, events: pd.DataFrame, *, around_s: float = 15.0
) -> go.Figure:
    """Plot throughput and queue length around the longest events, a column each.

    Parameters
    ----------
    windows
        Rows of `analysis.tables.frames.Tables.windows` of one run.
    events
        From `analysis.sections.dynamics.find_events`; the longest four are drawn, in their order.
    around_s
        Seconds before the start and after the end of an event that are drawn.
    """
    if events.empty:
        return _nothing()
    windows = while_running(windows)
    longest = events.nlargest(MOST, "length_s").sort_values("start_s")
    figure = make_subplots(
        rows=len(_ROWS),
        cols=len(longest),
        shared_yaxes="rows",
        vertical_spacing=0.08,
        horizontal_spacing=0.04,
        column_titles=longest["event"].tolist(),
    )
    for col, (_, event) in enumerate(longest.iterrows(), 1):
        first, last = event["start_s"] - around_s, event["end_s"] + around_s
        near = windows[windows["second_s"].between(first, last)]
        for row, (column, title) in enumerate(_ROWS.items(), 1):
            add_seconds(figure, near, column, row=row, col=col)
            figure.update_xaxes(range=[first, last], nticks=3, tickangle=0, row=row, col=col)
            if col == 1:
                figure.update_yaxes(title_text=title, rangemode="tozero", row=row, col=col)
    shade_events(figure, longest)
    figure.update_xaxes(title_text="Clock (s)", row=len(_ROWS))
    figure.update_annotations(font_size=12)  # the names of the columns
    above = {"yref": "container", "y": 1, "yanchor": "top"}
    return figure.update_layout(
        template=TEMPLATE, meta={"runs": 1}, height=480, margin={"t": 70}, legend=above
    )


def _nothing() -> go.Figure:
    """Return a figure that says that there is nothing to look at."""
    figure = new_figure("Clock (s)", _ROWS["throughput_ops_per_s"])
    figure.add_annotation(text="no event was found", x=0.5, y=0.5, xref="paper", yref="paper")
    return figure.update_layout(meta={"runs": 1})
