"""Any measure of one run, second by second."""

from collections.abc import Iterator

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.theme import GRID, ORANGE, Style, new_figure, style_of

ONE_RUN = {"one": 1}  # of all panels of a figure
_MAX_MARKERS = 300
_MOST_SECONDS, _PLACES = 2000, 600  # that a figure draws one by one; side by side on its axis
_EVENT = ORANGE
_IDLE = 0.1  # of the usual throughput: below it a run has not begun, or is over
_STABLE_OPACITY = 0.4  # lighter than the grid, which has to be seen on it
_FREE = (1, 2, 4, 5, 6)  # spare styles in other colours than those of the sides


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
    logarithmic
        Give the measure a logarithmic axis, for rare seconds far above the others.
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

    A line has a gap where a second has no value. If there are too many seconds to see each of
    them, only the smallest and the largest value of every few are drawn.

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
