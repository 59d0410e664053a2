"""What copies of a key and a middleware cost: times and throughput beside each other."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.closer import plot_distribution
from analysis.figures.plots.load import load_by_workers
from analysis.figures.theme import WORKLOADS, error_bars, new_figure
from analysis.results.histograms import num_runs

_TITLE_PX = 12  # of the font of titles, of three panels in a row


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
    titles = ["Throughput", "Response time", "Service time by copies"]
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
