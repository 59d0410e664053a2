"""What copies of a key and a middleware cost: times and throughput beside each other."""

from collections.abc import Mapping

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.closer import plot_distribution
from analysis.figures.plots.series import count_runs, each_series, time_axis
from analysis.figures.theme import FRAME, WORKLOADS, error_bars, new_figure
from analysis.results.histograms import num_runs

BOUND = "asymptotic bound"
_TITLES = {
    "throughput_ops_per_s": "Throughput (op/s)",
    "response_time_ms": "Response time (ms)",
}
_TICK = {"symbol": "line-ew-open", "size": 34, "color": FRAME, "line": {"width": 1.5}}
_TITLE_PX = 12  # of the font of titles, of three panels in a row
_GAP = 0.6  # of the room of a number of workers, between its markers and those of the next


def plot_copies(cells: pd.DataFrame, bounds: pd.DataFrame, kinds: pd.DataFrame) -> go.Figure:
    """Plot throughput and response time by workers and copies, and how long requests hold a worker.

    Parameters
    ----------
    cells, bounds
        From `analysis.sections.summary.cells` and `analysis.sections.replication.bounds_table`,
        one row per `workers` and `replicas`.
    kinds
        From `analysis.sections.replication.service_times`.

    Returns
    -------
    plotly Figure
        Panels of shape (1, 3).
    """
    throughput = _by_workers(cells, bounds, "throughput_ops_per_s", "most_ops_per_s")
    response_time = _by_workers(cells, bounds, "response_time_ms", "least_response_time_ms")
    plots = [throughput, time_axis(response_time), _service_times(kinds)]
    titles = ["Throughput", "Response time", "Service time by copies"]
    figure = panels([plots], [titles]).update_layout(scattermode="group", scattergap=_GAP)
    return _small_titles(figure)


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


def _by_workers(cells: pd.DataFrame, bounds: pd.DataFrame, measure: str, bound: str) -> go.Figure:
    """Draw a measure by workers; the series stand beside each other, none hidden."""
    column = f"client_{measure}"
    figure = new_figure("Workers", _TITLES[measure])
    series = list(each_series(cells, "replicas"))
    middle, _ = series[len(series) // 2]
    for style, rows in series:
        figure.add_scatter(
            x=rows["workers"].astype(str),
            y=rows[f"{column}_mean"],
            error_y=error_bars(rows, column),
            mode="markers",
            marker={"color": style.color, "symbol": style.symbol, "size": 7},
            name=style.name,
            offsetgroup=style.name,
        )
    least = bounds.groupby("workers")[bound].agg("min" if "most" in bound else "max")
    figure.add_scatter(
        x=least.index.astype(str),
        y=least,
        mode="markers",
        marker=_TICK,
        name=BOUND,
        offsetgroup=middle.name,
    )
    order = [str(workers) for workers in sorted(cells["workers"].unique())]
    figure.update_xaxes(type="category", categoryorder="array", categoryarray=order)
    return count_runs(figure, cells, column)


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
