"""Measured points with error bars and model lines, the same in every figure over the load."""

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from analysis.figures.theme import FRAME, Style, error_bars, style_of
from analysis.lab.machine_share import LARGEST_SHARE, SHARE
from analysis.statistics.precision.split_by_regime import REGIME
from analysis.tables.frames import SETTINGS
from analysis.text.numbers import percent

CLIENTS_TITLE = "Number of clients"
_TIMES = "\N{EM SPACE}{}\N{MULTIPLICATION SIGN}\N{EM SPACE}"
_APART = 1.7  # of two loads, from which on both have room for their number
_SIZES_PX = (12, 10, 8.5, 7, 5.5, 4)  # of the markers of one series after the other


def each_series(cells: pd.DataFrame, series: str) -> Iterator[tuple[Style, pd.DataFrame]]:
    """Yield style and rows of each level of the column `series`, rows by rising load."""
    for position, (level, rows) in enumerate(cells.groupby(series)):
        yield style_of(series, level, position), rows.sort_values("num_clients")


def clients_axis(figure: go.Figure, cells: pd.DataFrame) -> go.Figure:
    """Make the axis of the load logarithmic, with a tick at every load that was measured."""
    loads = sorted(cells["num_clients"].unique())
    told: list[float] = []
    for load in reversed(loads):
        if not told or told[-1] >= _APART * load:
            told.append(load)
    texts = [f"{load:g}" if load in told else "" for load in loads]
    return figure.update_xaxes(type="log", tickvals=loads, ticktext=texts, tickangle=0)


def time_axis(figure: go.Figure) -> go.Figure:
    """Make the axis of a time in milliseconds logarithmic, with two ticks at least."""
    ticks = _steps(range(-3, 6))
    return _steps_axis(figure, ticks).update_yaxes(ticktext=[f"{t:g}" for t in ticks])


def rate_axis(figure: go.Figure) -> go.Figure:
    """Make the axis of a rate per second logarithmic, with two ticks at least."""
    return _steps_axis(figure, _steps(range(6)))


def _steps_axis(figure: go.Figure, ticks: Sequence[float]) -> go.Figure:
    """Make the vertical axis of a finished figure logarithmic, with ticks at 1, 2 and 5 of decades.

    Where all values, with their error bars, lie between two ticks, or about one, the axis goes on
    to the next ones: without a number on it a figure tells nothing.
    """
    figure.update_yaxes(type="log", tickvals=ticks)
    ends = np.concatenate([[], *(_ends(trace) for trace in figure.data)])
    if not ends.size:
        return figure
    least, most = ends.min(), ends.max()
    shown = [tick for tick in ticks if least <= tick <= most]
    around = [t for t in ticks if t < least][-1:], [t for t in ticks if t > most][:1]
    if len(shown) < 2 and all(around):
        figure.update_yaxes(range=np.log10(np.concatenate(around)).tolist())
    return figure


def _steps(powers: range) -> list[float]:
    """1, 2 and 5 of each decade."""
    return [digit * 10.0**power for power in powers for digit in (1, 2, 5)]


def _ends(trace: go.Scatter) -> NDArray[np.float64]:
    """Return the values of a trace and where their error bars end, those that can be shown."""
    values = np.array([] if trace.y is None else trace.y, dtype=float)
    bars = (trace.error_y.array, trace.error_y.arrayminus)
    above, below = (np.nan_to_num(np.array(0.0 if b is None else b, dtype=float)) for b in bars)
    ends = np.concatenate([values, values + above, values - below])
    return np.asarray(ends[np.isfinite(ends) & (ends > 0)])


def count_runs(figure: go.Figure, cells: pd.DataFrame, column: str) -> go.Figure:
    """Note which runs the figure shows, for the footnote that `present.figure` gives it."""
    names = ("section", "workload", "workers", *SETTINGS, "num_clients", REGIME)
    key = [name for name in dict.fromkeys(names) if name in cells]
    cases = ["|".join(row) for row in cells[key].astype(str).itertuples(index=False)]
    runs = cells[f"{column}_repetitions"].astype(int)
    return figure.update_layout(meta={"runs": dict(zip(cases, runs.tolist(), strict=True))})


def count_merged(figure: go.Figure, percentiles: pd.DataFrame) -> go.Figure:
    """Note which runs stand behind percentiles of merged histograms, as `count_runs` does."""
    values = ("percentile", "value_ms", "runs", "sd_ms", "side")
    key = [name for name in percentiles if name not in values]
    cases = percentiles.drop_duplicates(key)
    names = ["|".join(row) for row in cases[key].astype(str).itertuples(index=False)]
    runs = dict(zip(names, cases["runs"].astype(int).tolist(), strict=True))
    return figure.update_layout(meta={"runs": runs})


def add_measured(figure: go.Figure, style: Style, cells: pd.DataFrame, column: str) -> None:
    """Add measured means as markers with the error bars of their 95 % confidence interval.

    Markers are open, and smaller from series to series, so that all of them can be seen where they
    coincide. Cells of one regime among several have their number of repetitions beside them, and a
    cross marks those of which the lab's machine takes more than is negligible.
    """
    before = sum(getattr(trace, "mode", None) == "markers" for trace in figure.data)
    size = _SIZES_PX[min(before, len(_SIZES_PX) - 1)]
    figure.add_scatter(
        x=cells["num_clients"],
        y=cells[f"{column}_mean"],
        error_y=error_bars(cells, column),
        mode="markers",
        marker={
            "color": style.color,
            "symbol": f"{style.symbol}-open",
            "size": size,
            "line": {"width": 1.3},
        },
        name=style.name,
    )
    several = cells[cells[REGIME] != ""] if REGIME in cells else cells.iloc[:0]
    if len(several):
        figure.add_scatter(
            x=several["num_clients"],
            y=several[f"{column}_mean"],
            mode="text",
            text=several[f"{column}_repetitions"].map(_TIMES.format),
            textposition=several[REGIME].map(_beside),
            textfont={"color": style.color, "size": 10},
            cliponaxis=False,  # beside the largest load
            showlegend=False,
        )
    add_machine_marks(figure, cells, column)


def add_machine_marks(figure: go.Figure, cells: pd.DataFrame, column: str) -> None:
    """Mark the cells of which the lab's machine takes too much, once in the legend."""
    over = cells[cells[f"{SHARE}_mean"] > LARGEST_SHARE] if f"{SHARE}_mean" in cells else cells[:0]
    if over.empty:
        return
    name = f"machine takes over {percent(LARGEST_SHARE)}"
    figure.add_scatter(
        x=over["num_clients"],
        y=over[f"{column}_mean"],
        mode="markers",
        marker={"symbol": "x-thin-open", "size": 6, "color": FRAME, "line": {"width": 1}},
        name=name,
        showlegend=name not in {trace.name for trace in figure.data},
        hoverinfo="skip",
    )


def _beside(regime: str) -> str:
    """Place the first regime's number to the left, the next one's to the right: they may meet."""
    return "middle left" if int(regime) % 2 else "middle right"


def add_model(figure: go.Figure, style: Style, x: object, y: object) -> None:
    """Add what a law predicts as a thin line of the series' colour, without a legend entry."""
    line = {"color": style.color, "width": 1, "dash": "dot"}
    figure.add_scatter(x=x, y=y, mode="lines", line=line, name=style.name, showlegend=False)


def add_model_legend(figure: go.Figure, law: str) -> None:
    """Name the law once for all its lines."""
    line = {"color": FRAME, "width": 1, "dash": "dot"}
    figure.add_scatter(x=[None], y=[None], mode="lines", line=line, name=law)


def add_knees(figure: go.Figure, knees: Sequence[tuple[float, float]]) -> None:
    """Mark the knees of the bounds, all alike and once in the legend."""
    if not knees:
        return
    clients, values = zip(*dict.fromkeys(knees), strict=True)
    marker = {"symbol": "line-ns-open", "size": 12, "color": FRAME, "line": {"width": 1.5}}
    figure.add_scatter(x=clients, y=values, mode="markers", marker=marker, name="knee N*")
