"""One run second by second."""

from collections import Counter

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.figures.theme import FRAME, GRID, ORANGE, TEMPLATE, style_of

CLOCK_TITLE = "Time since the stable window began (s of the clock)"
_MAX_MARKERS = 300
_EVENT = ORANGE
_NEAR = 0.03  # of the time that is drawn: names nearer than that would cover each other
_IDLE = 0.1  # of the usual throughput: below it a run has not begun, or is over
_CHARACTER = 0.011  # width of a character of a name, of that of the figure
_LINE_PX = 15
_STABLE_OPACITY = 0.4  # lighter than the grid, which has to be seen on it
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
        Rows of `analysis.tables.frames.Tables.windows` of one run.
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
    windows = while_running(windows)
    figure = make_subplots(rows=len(_ROWS), cols=1, shared_xaxes=True, vertical_spacing=0.06)
    for row, (column, title) in enumerate(_ROWS.items(), 1):
        add_seconds(figure, windows, column, row=row, col=1)
        figure.update_yaxes(title_text=title, row=row, col=1)
    shade_stable_window(figure, windows)
    figure.update_layout(template=TEMPLATE, meta={"runs": 1}, height=460)
    mark_events(figure, events)
    figure.update_xaxes(title_text=CLOCK_TITLE, row=len(_ROWS), col=1)
    return figure.update_xaxes(rangemode="normal")


def while_running(seconds: pd.DataFrame) -> pd.DataFrame:
    """Cut off the seconds before and after a run, in which nobody asked for anything.

    Parameters
    ----------
    seconds
        `second_s` and `throughput_ops_per_s`; without the latter nothing is cut off.
    """
    if "throughput_ops_per_s" not in seconds:
        return seconds
    done = seconds["throughput_ops_per_s"]
    busy = seconds.loc[done >= _IDLE * done.median(), "second_s"]
    return seconds if busy.empty else seconds[seconds["second_s"].between(busy.min(), busy.max())]


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
            stable.min() - 0.5,
            stable.max() + 0.5,
            fillcolor=GRID,
            opacity=_STABLE_OPACITY,
            line_width=0,
            layer="below",
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
    """Mark what happened: shaded for as long as it lasts, a dotted line behind, its name above.

    Names that would run into each other stand on different lines; the legend is above them all.
    """
    if events is None or events.empty:
        return
    shade_events(figure, events)
    seconds = [x for trace in figure.data for x in trace.x]
    begin, span_s = min(seconds), max(seconds) - min(seconds)
    ends: list[float] = []  # of the names of each line, lowest first
    for start_s, name in _labels(events, span_s):
        line = {"color": FRAME, "dash": "dot", "width": 1}
        figure.add_vline(start_s, line=line, layer="below")
        width = _CHARACTER * (len(name) + 1)
        place = (start_s - begin) / (span_s or 1)
        fits = place + width <= 1
        left = place if fits else place - width
        level = next((n for n, end in enumerate(ends) if end <= left), len(ends))
        ends[level : level + 1] = [left + width]
        figure.add_annotation(
            x=start_s,
            y=1,
            yref="y domain",
            yshift=_LINE_PX * level,
            text=name,
            xanchor="left" if fits else "right",
            yanchor="bottom",
            showarrow=False,
            font={"size": 11},
        )
    figure.update_layout(
        legend={"yref": "container", "y": 1, "yanchor": "top"},
        margin={"t": 30 + _LINE_PX * (len(ends) + 1)},
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
