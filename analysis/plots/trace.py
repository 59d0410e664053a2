"""One run second by second."""

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.theme import FRAME, GRID, ORANGE, TEMPLATE, style_of

_MAX_MARKERS = 300
_EVENT = ORANGE
_ROWS = {
    "throughput_ops_per_s": "Throughput (op/s)",
    "response_time_ms": "Response time (ms)",
}


def plot_trace(windows: pd.DataFrame, events: pd.DataFrame | None = None) -> go.Figure:
    """Plot throughput and mean response time of every second, the stable window shaded.

    A long run (over five minutes) is drawn as lines only.

    Parameters
    ----------
    windows
        Rows of `analysis.tidy.Tables.windows` of one run.
    events
        What happened during the run, if anything: `start_s` and `end_s` (seconds since the stable
        window began), `event` (a few words). Each is a dotted line with its name, shaded for as
        long as it lasts.

    Raises
    ------
    ValueError
        The rows are of several runs.
    """
    if windows.duplicated(["side", "second_s"]).any():
        raise ValueError("a trace shows one run, got rows of several for the same side and second")
    figure = make_subplots(rows=len(_ROWS), cols=1, shared_xaxes=True, vertical_spacing=0.06)
    for row, (column, title) in enumerate(_ROWS.items(), 1):
        for side, seconds in windows.groupby("side"):
            style = style_of("side", side)
            figure.add_scatter(
                x=seconds["second_s"],
                y=seconds[column],
                mode="lines+markers" if len(seconds) <= _MAX_MARKERS else "lines",
                marker={"color": style.color, "symbol": style.symbol, "size": 5},
                line={"color": style.color, "dash": style.dash, "width": 1.2},
                name=style.name,
                legendgroup=style.name,
                showlegend=row == 1,
                row=row,
                col=1,
            )
        figure.update_yaxes(title_text=title, row=row, col=1)
    shade_stable_window(figure, windows)
    mark_events(figure, events)
    figure.update_xaxes(title_text="Time since the stable window began (s)", row=len(_ROWS), col=1)
    figure.update_xaxes(rangemode="normal")
    return figure.update_layout(template=TEMPLATE, meta={"runs": 1}, height=460)


def shade_stable_window(figure: go.Figure, seconds: pd.DataFrame) -> None:
    """Shade the seconds that count, if any does."""
    stable = seconds.loc[seconds["stable"], "second_s"]
    if len(stable):
        figure.add_vrect(
            stable.min() - 0.5, stable.max() + 0.5, fillcolor=GRID, line_width=0, layer="below"
        )


def mark_events(figure: go.Figure, events: pd.DataFrame | None) -> None:
    """Mark what happened: a dotted line with its name, shaded for as long as it lasts."""
    for _, event in (events if events is not None else pd.DataFrame()).iterrows():
        figure.add_vrect(
            event["start_s"], event["end_s"], fillcolor=_EVENT, opacity=0.4, line_width=0
        )
        figure.add_vline(event["start_s"], line={"color": FRAME, "dash": "dot", "width": 1})
        figure.add_annotation(
            x=event["start_s"],
            y=1,
            yref="y domain",
            text=event["event"],
            textangle=-90,
            xanchor="right",
            yanchor="top",
            showarrow=False,
            font={"size": 11},
        )
