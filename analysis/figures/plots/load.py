"""Throughput and response time against the number of clients, and against each other."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.plots.series import (
    CLIENTS_TITLE,
    add_measured,
    add_model,
    add_model_legend,
    count_runs,
    each_series,
)
from analysis.figures.theme import FRAME, error_bars, new_figure

THROUGHPUT, RESPONSE_TIME = "throughput_ops_per_s", "response_time_ms"
_TITLES = {THROUGHPUT: "Throughput (op/s)", RESPONSE_TIME: "Response time (ms)"}


def plot_throughput(
    cells: pd.DataFrame,
    *,
    series: str = "workload",
    side: str = "client",
    law: bool = True,
    limits: dict[str, float] | None = None,
) -> go.Figure:
    """Plot measured throughput with 95 % CIs, and what the interactive law makes of response time.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`, one row per `series` and `num_clients`.
    series
        Column that tells the series apart, such as ``workload`` or ``workers``.
    side
        ``client`` or ``middleware``.
    law
        Whether to add the interactive law, X = N / (R + Z), as a line; it holds at the clients.
    limits
        Name to throughput in op/s, such as the most that a link carries: horizontal lines.
    """
    figure = _against_clients(cells, THROUGHPUT, series=series, side=side, law=law)
    for name, limit in (limits or {}).items():
        figure.add_hline(limit, line={"color": FRAME, "dash": "dash"}, annotation_text=name)
    return figure


def plot_response_time(
    cells: pd.DataFrame, *, series: str = "workload", side: str = "client", law: bool = True
) -> go.Figure:
    """Plot measured response time with 95 % CIs, and what the interactive law makes of throughput.

    Parameters
    ----------
    cells, series, side
        As for `plot_throughput`.
    law
        Whether to add the interactive law, R = N / X - Z, as a line; it holds at the clients.
    """
    return _against_clients(cells, RESPONSE_TIME, series=series, side=side, law=law)


def plot_throughput_against_response_time(
    cells: pd.DataFrame, *, series: str = "workload", side: str = "client"
) -> go.Figure:
    """Plot what throughput costs in response time: one point per load, joined by rising load.

    A curve that turns upwards without going on to the right is beyond its usable capacity.

    Parameters
    ----------
    cells, series, side
        As for `plot_throughput`; both directions have the error bars of their 95 % CI.
    """
    x, y = f"{side}_{THROUGHPUT}", f"{side}_{RESPONSE_TIME}"
    figure = new_figure(_TITLES[THROUGHPUT], _TITLES[RESPONSE_TIME])
    for style, rows in each_series(cells, series):
        figure.add_scatter(
            x=rows[f"{x}_mean"],
            y=rows[f"{y}_mean"],
            error_x=error_bars(rows, x),
            error_y=error_bars(rows, y),
            mode="lines+markers",
            marker={"color": style.color, "symbol": style.symbol},
            line={"color": style.color, "dash": style.dash, "width": 1},
            customdata=rows["num_clients"],
            hovertemplate="%{customdata} clients: %{x:.0f} op/s, %{y:.2f} ms",
            name=style.name,
        )
    return count_runs(figure, cells, x)


def _against_clients(
    cells: pd.DataFrame, measure: str, *, series: str, side: str, law: bool
) -> go.Figure:
    column = f"{side}_{measure}"
    shows_law = law and side == "client"
    figure = new_figure(CLIENTS_TITLE, _TITLES[measure])
    for style, rows in each_series(cells, series):
        add_measured(figure, style, rows, column)
        if shows_law:
            predicted = rows[f"interactive_law_{measure}_mean"]
            add_model(figure, style, rows["num_clients"], predicted)
    if shows_law:
        add_model_legend(figure, "interactive law")
    return count_runs(figure, cells, column)
