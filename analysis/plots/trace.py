"""One run second by second."""

from collections import Counter

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.theme import FRAME, GRID, ORANGE, TEMPLATE, style_of

_MAX_MARKERS = 300
_EVENT = ORANGE
_NEAR = 0.03  # of the time that is drawn: names nearer than that would cover each other
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
        add_seconds(figure, windows, column, row=row, col=1)
        figure.update_yaxes(title_text=title, row=row, col=1)
    shade_stable_window(figure, windows)
    mark_events(figure, events)
    figure.update_xaxes(title_text="Time since the stable window began (s)", row=len(_ROWS), col=1)
    figure.update_xaxes(rangemode="normal")
    return figure.update_layout(template=TEMPLATE, meta={"runs": 1}, height=460)


def add_seconds(
    figure: go.Figure, windows: pd.DataFrame, column: str, *, row: int, col: int
) -> None:
    """Draw one column second by second, a line for each side that measured it.

    Parameters
    ----------
    row, col
        Where in `figure`; the first place of all has the legend.
    """
    for side, seconds in windows.dropna(subset=column).groupby("side"):
        style = style_of("side", side)
        figure.add_scatter(
            x=seconds["second_s"],
            y=seconds[column],
            mode="lines+markers" if len(seconds) <= _MAX_MARKERS else "lines",
            marker={"color": style.color, "symbol": style.symbol, "size": 5},
            line={"color": style.color, "dash": style.dash, "width": 1.2},
            name=style.name,
            legendgroup=style.name,
            showlegend=row == 1 and col == 1,
            row=row,
            col=col,
        )


def shade_stable_window(figure: go.Figure, seconds: pd.DataFrame) -> None:
    """Shade the seconds that count, if any does."""
    stable = seconds.loc[seconds["stable"], "second_s"]
    if len(stable):
        figure.add_vrect(
            stable.min() - 0.5, stable.max() + 0.5, fillcolor=GRID, line_width=0, layer="below"
        )


def shade_events(figure: go.Figure, events: pd.DataFrame) -> None:
    """Shade what happened, for as long as it lasted, behind the lines."""
    for _, event in events.iterrows():
        figure.add_vrect(
            event["start_s"],
            event["end_s"],
            fillcolor=_EVENT,
            opacity=0.4,
            line_width=0,
            layer="below",
        )


def mark_events(figure: go.Figure, events: pd.DataFrame | None) -> None:
    """Mark what happened: shaded for as long as it lasts, a dotted line behind, its name."""
    if events is None or events.empty:
        return
    shade_events(figure, events)
    seconds = [x for trace in figure.data for x in trace.x]
    for start_s, name in _labels(events, max(seconds) - min(seconds)):
        line = {"color": FRAME, "dash": "dot", "width": 1}
        figure.add_vline(start_s, line=line, layer="below")
        figure.add_annotation(
            x=start_s,
            y=1,
            yref="y domain",
            text=name,
            textangle=-90,
            xanchor="right",
            yanchor="top",
            showarrow=False,
            font={"size": 11},
        )


def _labels(events: pd.DataFrame, span_s: float) -> list[tuple[float, str]]:
    """Return where a name stands, and the name; events too near to the last one share its place."""
    places: list[tuple[float, list[str]]] = []
    for _, event in events.sort_values("start_s").iterrows():
        start_s, name = float(event["start_s"]), str(event["event"])
        if places and start_s - places[-1][0] < _NEAR * span_s:
            places[-1][1].append(name)
        else:
            places.append((start_s, [name]))
    return [
        (start_s, "; ".join(_counted(*one) for one in Counter(names).items()))
        for start_s, names in places
    ]


def _counted(name: str, count: int) -> str:
    return name if count == 1 else f"{name} ({count})"
