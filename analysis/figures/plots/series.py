"""Measured points with error bars and model lines, the same in every figure over the load."""

from collections.abc import Iterator

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.theme import FRAME, Style, error_bars, style_of

CLIENTS_TITLE = "Number of clients"
_SIZES_PX = (15, 12.5, 10, 7.5, 5.5, 4)  # of the markers of one series after the other


def each_series(cells: pd.DataFrame, series: str) -> Iterator[tuple[Style, pd.DataFrame]]:
    """Yield style and rows of each level of the column `series`, rows by rising load."""
    for position, (level, rows) in enumerate(cells.groupby(series)):
        yield style_of(series, level, position), rows.sort_values("num_clients")


def count_runs(figure: go.Figure, cells: pd.DataFrame, column: str) -> go.Figure:
    """Note how many runs the figure shows, for the footnote that `present.figure` gives it."""
    return figure.update_layout(meta={"runs": int(cells[f"{column}_repetitions"].sum())})


def add_measured(figure: go.Figure, style: Style, cells: pd.DataFrame, column: str) -> None:
    """Add measured means as markers with the error bars of their 95 % confidence interval.

    Markers are open, and smaller from series to series, so that all of them can be seen where they
    coincide.
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


def add_model(figure: go.Figure, style: Style, x: pd.Series, y: object) -> None:
    """Add what a law predicts as a thin line of the series' colour, without a legend entry."""
    line = {"color": style.color, "width": 1, "dash": "dot"}
    figure.add_scatter(x=x, y=y, mode="lines", line=line, name=style.name, showlegend=False)


def add_model_legend(figure: go.Figure, law: str) -> None:
    """Name the law once for all its lines."""
    line = {"color": FRAME, "width": 1, "dash": "dot"}
    figure.add_scatter(x=[None], y=[None], mode="lines", line=line, name=law)
