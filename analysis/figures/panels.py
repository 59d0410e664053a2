"""Several plots as panels of one figure: one legend, told titles, room for what is drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.figures.theme import TEMPLATE

WIDTH_PX = 720
ROW_PX = 165
_TOP_PX, _BETWEEN_PX, _BELOW_PX, _LEGEND_LINE_PX = 26, 52, 56, 20
_ENTRY_PX, _CHARACTER_PX = 45, 7.2
_AXIS_TITLE_PX = 22  # more between rows where the upper one has titles of its own


def panels(
    plots: Sequence[Sequence[go.Figure | None]],
    titles: Sequence[Sequence[str]],
    *,
    row_px: int = ROW_PX,
) -> go.Figure:
    """Arrange plots in rows and columns.

    The figure's `layout.meta` counts the runs of all panels, each once.

    Parameters
    ----------
    plots
        Rows of plots of one pair of axes each, shape (rows, columns); None leaves a place empty.
        Series of the same name are the same series: they stand in the legend once.
    titles
        What each panel shows, such as "sets"; shape (rows, columns).
    row_px
        Height of a row's axes in px, of 720 px of width.
    """
    rows, columns = len(plots), max(map(len, plots))
    legend_px = _legend_px(plots)
    shares_titles = [_same_x_title(column) for column in zip(*plots, strict=True)]
    between_px = _BETWEEN_PX + (0 if all(shares_titles) else _AXIS_TITLE_PX)
    inner = rows * row_px + (rows - 1) * between_px
    height = inner + _TOP_PX + _BELOW_PX + legend_px
    figure = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[title for row in titles for title in row],
        horizontal_spacing=0.28 / columns if columns > 1 else 0,
        vertical_spacing=between_px / inner if rows > 1 else 0,
    )
    named: set[str] = set()
    runs: dict[str, int] = {}
    for row, line in enumerate(plots, start=1):
        for column, plot in enumerate(line, start=1):
            if plot is not None:
                _place(figure, plot, row, column, titles[row - 1][column - 1], named)
                for case, count in runs_of(plot, f"{row} {column}").items():
                    runs[case] = max(count, runs.get(case, 0))
                if row < rows and shares_titles[column - 1]:
                    figure.update_xaxes(title_text="", row=row, col=column)
    figure.update_annotations(selector={"yanchor": "bottom", "showarrow": False}, font_size=13)
    return figure.update_layout(
        template=TEMPLATE,
        width=WIDTH_PX,
        height=height,
        margin={"l": 60, "r": 12, "t": _TOP_PX, "b": _BELOW_PX + legend_px},
        legend={"y": -_BELOW_PX / inner, "yanchor": "top", "x": 0.5, "xanchor": "center"},
        meta={"runs": runs},
    )


def runs_of(plot: go.Figure, place: str = "") -> dict[str, int]:
    """Return how many runs stand behind a plot, by what tells them apart."""
    meta = plot.layout.meta
    counted: Any = meta.get("runs") if isinstance(meta, dict) else None
    if counted is None:
        return {}
    return dict(counted) if isinstance(counted, dict) else {place: int(counted)}


def _same_x_title(column: Sequence[go.Figure | None]) -> bool:
    return len({plot.layout.xaxis.title.text for plot in column if plot is not None}) == 1


def _place(
    figure: go.Figure, plot: go.Figure, row: int, column: int, title: str, named: set[str]
) -> None:
    for trace in plot.data:
        placed = trace.__class__(trace)
        if getattr(placed, "showlegend", None) is not False and placed.name:
            placed.showlegend = placed.name not in named
            named.add(placed.name)
        placed.legendgroup = placed.name
        placed.meta = {"panel": title}
        figure.add_trace(placed, row=row, col=column)
    subplot = figure.get_subplot(row, column)
    for axis, source in ((subplot.xaxis, plot.layout.xaxis), (subplot.yaxis, plot.layout.yaxis)):
        kept = {"anchor", "domain"}
        axis.update({k: v for k, v in source.to_plotly_json().items() if k not in kept})
    names = {"x": subplot.yaxis.anchor, "y": subplot.xaxis.anchor}
    for shape in plot.layout.shapes:
        figure.add_shape(_moved(shape.to_plotly_json(), names))
    for note in plot.layout.annotations:
        figure.add_annotation(_moved(note.to_plotly_json(), names))
    for mode in ("barmode", "scattermode", "scattergap"):
        if plot.layout[mode] is not None:
            figure.update_layout({mode: plot.layout[mode]})


def _moved(drawn: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """Tie a shape or note to the axes of its panel, ``x domain`` to ``x3 domain``."""
    for letter, name in names.items():
        reference = str(drawn.get(f"{letter}ref", letter))
        drawn[f"{letter}ref"] = reference.replace(letter, name, 1)
    return drawn


def _legend_px(plots: Sequence[Sequence[go.Figure | None]]) -> int:
    entries = {
        trace.name
        for line in plots
        for plot in line
        if plot is not None
        for trace in plot.data
        if trace.showlegend is not False and trace.name
    }
    if len(entries) <= 1:
        return 0
    needed = sum(_ENTRY_PX + _CHARACTER_PX * len(name) for name in entries)
    return _LEGEND_LINE_PX * math.ceil(needed / (WIDTH_PX - 20))
