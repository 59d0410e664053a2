"""One run second by second, all its measures above one axis of time."""

from collections import Counter

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.figures.over_time.seconds import (
    ONE_RUN,
    add_seconds,
    shade_events,
    shade_stable_window,
    while_running,
)
from analysis.figures.theme import FRAME, TEMPLATE

CLOCK_TITLE = "Time since the stable window began (s of the clock)"
_NEAR = 0.03  # of the time that is drawn: names nearer than that would cover each other
_CHARACTER = 0.011  # width of a character of a name, of that of the figure
_LINE_PX = 15
_ROW_PX, _BETWEEN_PX, _TOP_PX, _BELOW_PX = 84, 14, 12, 76
_SIDES = {
    "throughput_ops_per_s": "Throughput<br>(op/s)",
    "response_time_ms": "Response<br>time (ms)",
    "queue_length": "Queue<br>(jobs)",
    "service_time_ms": "Service<br>time (ms)",
    "gc_time_ms": "Garbage<br>(ms)",
}
_SERVERS = "Longest at<br>server (ms)"


def plot_trace(
    windows: pd.DataFrame,
    events: pd.DataFrame | None = None,
    servers: pd.DataFrame | None = None,
) -> go.Figure:
    """Plot what was measured in every second of a run, a row for each measure that there is.

    Throughput and mean response time, of clients and middlewares; queue length, mean service time
    and garbage collections of the middlewares; and the longest response time of each server on a
    logarithmic axis. The stable window is shaded where the run is longer. A long run (over five
    minutes) is drawn as lines only.

    Parameters
    ----------
    windows
        Rows of `analysis.tables.frames.Tables.windows` of one run.
    events
        What happened during the run, if anything: `start_s` and `end_s` (seconds since the stable
        window began), `event` (a few words). Each is a dotted line with its name, shaded for as
        long as it lasts, through all rows.
    servers
        Rows of `analysis.tables.frames.Tables.servers` of that run, if there is a middleware.

    Raises
    ------
    ValueError
        The rows are of several runs.
    """
    if windows.duplicated(["side", "second_s"]).any():
        raise ValueError("a trace shows one run, got rows of several for the same side and second")
    windows = while_running(windows)
    known = [name for name in _SIDES if name in windows and windows[name].notna().any()]
    has_servers = servers is not None and not servers.empty
    count = len(known) + has_servers
    rows_px = count * (_ROW_PX + _BETWEEN_PX) - _BETWEEN_PX
    figure = make_subplots(
        rows=count, cols=1, shared_xaxes=True, vertical_spacing=_BETWEEN_PX / rows_px
    )
    for row, column in enumerate(known, 1):
        add_seconds(figure, windows, column, "side", row=row)
        figure.update_yaxes(title_text=_SIDES[column], nticks=4, row=row)
    if servers is not None and has_servers:
        add_seconds(figure, while_running(servers), "response_time_max_ms", "server", row=count)
        figure.update_yaxes(title_text=_SERVERS, type="log", dtick=1, row=count)
    figure.update_yaxes(title_font_size=11)
    shade_stable_window(figure, windows)
    top_px = _TOP_PX + mark_events(figure, events)
    figure.update_xaxes(title_text=CLOCK_TITLE, title_font_size=12, row=count, col=1)
    return figure.update_xaxes(rangemode="normal").update_layout(
        template=TEMPLATE,
        meta={"runs": ONE_RUN},
        height=rows_px + top_px + _BELOW_PX,
        margin={"t": top_px, "b": _BELOW_PX},
        legend={"y": -45 / rows_px, "x": 0.5, "xanchor": "center"},
    )


def mark_events(figure: go.Figure, events: pd.DataFrame | None) -> int:
    """Mark what happened: shaded for as long as it lasts, a dotted line behind, its name above.

    Names that would run into each other stand on different lines.

    Returns
    -------
    int
        How many px the names take above the figure.
    """
    if events is None or events.empty:
        return 0
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
    return _LINE_PX * (len(ends) + 1)


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
