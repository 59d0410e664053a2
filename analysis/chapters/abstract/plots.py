"""The first page's figure."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from analysis.chapters.abstract.systems import ALL, NETWORK, OWN, SERVICE, SYSTEMS, WORKLOADS
from analysis.figures.panels import panels
from analysis.figures.theme import BLACK, BLUE, GREEN, ORANGE, SKY_BLUE, new_figure, style_of

_COLORS = {ALL: SKY_BLUE, NETWORK: BLUE, OWN: ORANGE, SERVICE: GREEN}
_ROW_PX = 72  # the whole page has room for no more
_NAMES = {"get": "gets", "set": "sets"}


def plot_overview(capacities: pd.DataFrame, times: pd.DataFrame) -> go.Figure:
    """Plot how near each system comes to its bound, and where the time of a set goes.

    Parameters
    ----------
    capacities, times
        Of `analysis.chapters.abstract.systems`.

    Returns
    -------
    plotly Figure
        Two panels, whose rows are the systems.
    """
    plots = [[_capacities(capacities), _times(times)]]
    titles = [["Throughput at the largest load (op/s)", "A set at the smallest load (ms)"]]
    return panels(plots, titles, row_px=_ROW_PX)


def _capacities(capacities: pd.DataFrame) -> go.Figure:
    figure = new_figure("", "")
    for workload in WORKLOADS:
        own = capacities[capacities["workload"] == workload]
        style = style_of("workload", workload)
        along = {"orientation": "h", "mode": "markers", "y": own["system"], "offsetgroup": workload}
        figure.add_scatter(
            **along,
            x=own["bound_ops_per_s"],
            name="bound",
            marker={"symbol": "line-ns-open", "size": 12, "color": BLACK, "line": {"width": 2}},
        )
        figure.add_scatter(
            **along,
            x=own["throughput_ops_per_s"],
            name=_NAMES[workload],
            marker={"color": style.color, "symbol": style.symbol, "size": 8},
            error_x={
                "array": own["ci_high"] - own["throughput_ops_per_s"],
                "arrayminus": own["throughput_ops_per_s"] - own["ci_low"],
            },
        )
    figure.update_layout(scattermode="group")
    figure.update_xaxes(rangemode="tozero")
    return _by_system(figure)


def _times(times: pd.DataFrame) -> go.Figure:
    figure = new_figure("", "")
    for part, color in _COLORS.items():
        own = times[times["part"] == part]
        if not own.empty:
            figure.add_bar(
                orientation="h", x=own["time_ms"], y=own["system"], name=part, marker_color=color
            )
    figure.update_layout(barmode="stack")
    return _by_system(figure).update_yaxes(showticklabels=False)


def _by_system(figure: go.Figure) -> go.Figure:
    figure.update_yaxes(categoryorder="array", categoryarray=[*SYSTEMS.values()][::-1])
    return figure
