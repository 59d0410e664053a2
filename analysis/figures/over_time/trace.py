"""One run second by second, all its measures above one axis of time."""

from collections import Counter
from collections.abc import Iterator

import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.figures.theme import FRAME, GRID, ORANGE, TEMPLATE, Style, style_of

CLOCK_TITLE = "Time since the stable window began (s of the clock)"
ONE_RUN = {"one": 1}  # of all panels of a figure
_MAX_MARKERS = 300
_MOST_SECONDS, _PLACES = 2000, 600  # that a figure draws one by one; side by side on its axis
_EVENT = ORANGE
_NEAR = 0.03  # of the time that is drawn: names nearer than that would cover each other
_IDLE = 0.1  # of the usual throughput: below it a run has not begun, or is over
_CHARACTER = 0.011  # width of a character of a name, of that of the figure
_LINE_PX = 15
_ROW_PX, _BETWEEN_PX, _TOP_PX, _BELOW_PX = 84, 14, 12, 76
_STABLE_OPACITY = 0.4  # lighter than the grid, which has to be seen on it
_SIDES = {
    "throughput_ops_per_s": "Throughput<br>(op/s)",
    "response_time_ms": "Response<br>time (ms)",
    "queue_length": "Queue<br>(jobs)",
    "service_time_ms": "Service<br>time (ms)",
    "gc_time_ms": "Garbage<br>(ms)",
}
_SERVERS = "Longest at<br>server (ms)"
_FREE = (1, 2, 4, 5, 6)  # spare styles in other colours than those of the sides


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
    figure: go.Figure, seconds: pd.DataFrame, column: str, series: str, *, row: int | None = None
) -> None:
    """Draw one column second by second, a line for each level of the column `series`.

    Lines are broken where seconds have no value. Of more seconds than can be told apart only those
    are drawn that are seen: the smallest and the largest value of every few.

    Parameters
    ----------
    row
        Where in a figure of several rows; what a row above has drawn is in the legend already.
    """
    place = {} if row is None else {"row": row, "col": 1}
    named = {trace.name for trace in figure.data}
    levels = list(_series(seconds.dropna(subset=column), series))
    for style, rows in levels:
        dash = style.dash if len(levels) > 1 else "solid"  # of a single line gaps would say more
        values = rows.set_index("second_s")[column]
        values = _seen(values.reindex(range(values.index.min(), values.index.max() + 1)))
        figure.add_scatter(
            x=values.index,
            y=values,
            mode="lines+markers" if len(rows) <= _MAX_MARKERS else "lines",
            marker={"color": style.color, "symbol": style.symbol, "size": 5},
            line={"color": style.color, "dash": dash, "width": 1.2},
            name=style.name,
            legendgroup=style.name,
            showlegend=style.name not in named,
            **place,
        )


def _seen(values: pd.Series) -> pd.Series:
    """Leave out what lies between the extremes of every few seconds, where there are very many.

    References
    ----------
    Jugel et al. 2014, doi:10.14778/2732951.2732953: the lines look the same.
    """
    if len(values) <= _MOST_SECONDS:
        return values
    few = pd.Series(range(len(values)), index=values.index) // -(-len(values) // _PLACES)
    known = values.dropna().groupby(few)
    gaps = values.isna().groupby(few).transform("any")
    ends = {*known.idxmin(), *known.idxmax(), values.index[0], values.index[-1]}
    return values[gaps | values.index.isin(ends)]


def _series(seconds: pd.DataFrame, series: str) -> Iterator[tuple[Style, pd.DataFrame]]:
    for position, (level, rows) in enumerate(seconds.groupby(series)):
        yield style_of(series, level, _FREE[position % len(_FREE)]), rows


def shade_stable_window(figure: go.Figure, seconds: pd.DataFrame) -> None:
    """Shade the seconds that count, if any does and not all do."""
    stable = seconds.loc[seconds["stable"], "second_s"]
    if 0 < len(stable) < len(seconds):
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
