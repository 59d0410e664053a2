"""The cost of replicas and of a middleware, and the share of requests that each server gets."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.closer import plot_distribution
from analysis.figures.plots.load import load_by_workers
from analysis.figures.theme import FRAME, WORKLOADS, bar_marker, error_bars, new_figure, style_of
from analysis.results.histograms import num_runs

_ROW_PX = 118  # of the figure of shares
_TITLE_PX = 12  # of the font of titles, of panels in a row
_GAP = 0.3  # of the room of a server, between its markers and those of the next


def plot_copies(cells: pd.DataFrame, bounds: pd.DataFrame, kinds: pd.DataFrame) -> go.Figure:
    """Plot throughput and response time by workers and copies, and how long requests hold a worker.

    Parameters
    ----------
    cells, bounds
        From `analysis.laws.summary.cells` and `replication.bounds_table`,
        one row per `workers` and `replicas`.
    kinds
        From `replication.service_times`.

    Returns
    -------
    plotly Figure
        Panels of shape (1, 3).
    """
    plots = [*load_by_workers(cells, bounds, series="replicas"), _service_times(kinds)]
    titles = ["Throughput", "Response time", "Service time by replicas"]
    return _small_titles(panels([plots], [titles]))


def plot_distributions(histograms: Mapping[str, pd.DataFrame]) -> go.Figure:
    """Plot how the response times of several systems spread, at clients and middlewares.

    Parameters
    ----------
    histograms
        What a system is called, to its rows of `analysis.tables.frames.Tables.histograms`.

    Returns
    -------
    plotly Figure
        Panels of shape (1, systems).
    """
    plots: list[go.Figure] = []
    for name, rows in histograms.items():
        plot = plot_distribution(rows).update_layout(meta={"runs": {name: num_runs(rows)}})
        plots.append(plot.update_yaxes(title_text="") if plots else plot)
    return _small_titles(panels([plots], [list(histograms)]))


def plot_request_shares(shares: pd.DataFrame) -> go.Figure:
    """Plot each server's share of the requests, and how far it is from what the ring gives.

    Parameters
    ----------
    shares
        From `routing.shares_table`.

    Returns
    -------
    plotly Figure
        Panels of shape (1, 2): shares as bars, the even share as a line; differences from the ring
        with their 95 % confidence intervals, and two standard deviations of chance as a band.
    """
    plots = [_shares(shares), _differences(shares)]
    figure = panels([plots], [["Share of requests", "Measured less ring"]], row_px=_ROW_PX)
    return _small_titles(figure).update_layout(scattermode="group", scattergap=_GAP)


def _small_titles(figure: go.Figure) -> go.Figure:
    figure.update_xaxes(title_font_size=_TITLE_PX)
    return figure.update_yaxes(title_font_size=_TITLE_PX)


def _service_times(kinds: pd.DataFrame) -> go.Figure:
    column = "service_time_ms"
    figure = new_figure("Copies of a key", "Service time (ms)")
    for kind, rows in kinds.groupby("request_type", sort=False):
        style = WORKLOADS[str(kind)]
        figure.add_scatter(
            x=rows["replicas"].astype(str),
            y=rows[f"{column}_mean"],
            error_y=error_bars(rows, column),
            mode="lines+markers",
            marker={"color": style.color, "symbol": f"{style.symbol}-open", "size": 8},
            line={"color": style.color, "width": 1},
            name=f"{kind}s",
            offsetgroup=f"{kind}s",
        )
    return figure.update_xaxes(type="category")


def _shares(shares: pd.DataFrame) -> go.Figure:
    figure = new_figure("Server", "Share (%)")
    for position, (copies, rows) in enumerate(shares.groupby("replicas")):
        style = style_of("replicas", copies, position)
        figure.add_bar(
            x=rows["server"],
            y=rows["share_mean"] * 100,
            name=style.name,
            marker=bar_marker(style.color, style.pattern),
        )
    even = 100 / shares["server"].nunique()
    figure.add_hline(even, line={"color": FRAME, "dash": "dash"})
    runs = shares.groupby("replicas")["share_repetitions"].max()
    counted = {f"R = {copies}": int(number) for copies, number in runs.items()}
    return figure.update_layout(barmode="group", meta={"runs": counted})


def _differences(shares: pd.DataFrame) -> go.Figure:
    points = shares[["share_mean", "share_ci_low", "share_ci_high"]].sub(shares["expected"], axis=0)
    points = (points * 100).assign(server=shares["server"], replicas=shares["replicas"])
    figure = new_figure("Server", "Difference (points)")
    chance = 200 * shares["chance"].mean()
    figure.add_hrect(-chance, chance, fillcolor=FRAME, opacity=0.12, line_width=0)
    figure.add_hline(0, line={"color": FRAME, "width": 1})
    for position, (copies, rows) in enumerate(points.groupby("replicas")):
        style = style_of("replicas", copies, position)
        figure.add_scatter(
            x=rows["server"],
            y=rows["share_mean"],
            error_y=error_bars(rows, "share"),
            mode="markers",
            marker={"color": style.color, "symbol": style.symbol, "size": 7},
            name=style.name,
            offsetgroup=style.name,
            showlegend=False,
        )
    return figure.update_yaxes(rangemode="normal")
