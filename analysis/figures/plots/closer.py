"""One system in detail: where its time goes by clients and by workers, and how times spread."""

from typing import Literal

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.series import CLIENTS_TITLE, count_runs
from analysis.figures.theme import BLACK, SIDES, TIMES, bar_marker, error_bars, new_figure

Over = Literal["num_clients", "workers"]
_TITLES = {"num_clients": CLIENTS_TITLE, "workers": "Number of workers"}
_SHOWN = 0.995  # of the requests; what is slower would leave no room for them


def plot_closer(
    cells: pd.DataFrame,
    histograms: pd.DataFrame,
    *,
    workload: str,
    workers: int,
    clients: int,
) -> go.Figure:
    """Plot the parts of the response time by load and by workers, and its distribution at one load.

    Parameters
    ----------
    cells
        From `analysis.laws.summary.cells`, of one section.
    workload, workers, clients
        Which system at all loads, and the load at which all numbers of workers are shown and the
        distribution of this one.
    """
    of_workload = cells[cells["workload"] == workload]
    loads = of_workload[of_workload["workers"] == workers]
    systems = of_workload[of_workload["num_clients"] == clients]
    own = histograms[
        (histograms["workload"] == workload)
        & (histograms["workers"] == workers)
        & (histograms["num_clients"] == clients)
        & (histograms["time"] == "response_time")
    ]
    titles = [
        f"{workload}s, {workers} workers",
        f"{workload}s, {clients} clients",
        f"{workers} workers, {clients} clients",
    ]
    plots = [plot_breakdown(loads), plot_breakdown(systems, "workers"), plot_distribution(own)]
    figure = panels([plots], [titles])
    ticks = {"tickvals": [0, 0.25, 0.5, 0.75, 1], "ticktext": [0, 25, 50, 75, 100]}
    return figure.update_yaxes(title_text="Share (%)", title_font_size=12, **ticks, col=3)


def plot_breakdown(cells: pd.DataFrame, over: Over = "num_clients") -> go.Figure:
    """Stack the parts of the middleware's response time: the bar is the whole, with its 95 % CI.

    Parameters
    ----------
    cells
        From `analysis.laws.summary.cells`, one row per level of `over`: one workload, and one
        number of workers or of clients.
    over
        What the bars differ in; `workers` are those of one middleware.
    """
    cells = cells.sort_values(over)
    levels = cells[over].astype(str)  # bars of even width, whatever the distance of levels
    figure = new_figure(_TITLES[over], "Time (ms)")
    for time, style in TIMES.items():
        figure.add_bar(
            x=levels,
            y=cells[f"middleware_{time}_ms_mean"],
            name=style.name,
            marker=bar_marker(style.color, style.pattern),
        )
    figure.add_scatter(
        x=levels,
        y=cells["middleware_response_time_ms_mean"],
        error_y=error_bars(cells, "middleware_response_time_ms"),
        mode="markers",
        marker={"color": BLACK, "symbol": "line-ew-open", "size": 14},
        name="response time",
    )
    figure.update_layout(barmode="stack", xaxis_type="category", legend_traceorder="normal")
    return count_runs(figure, cells, "middleware_response_time_ms")


def plot_distribution(histograms: pd.DataFrame) -> go.Figure:
    """Plot the share of requests that were answered within a time, at clients and middlewares."""
    figure = new_figure("Response time (ms)", "Share of requests")
    for side, rows in histograms.groupby("side"):
        counts = rows.groupby("upper_edge_ms")["count"].sum().sort_index()
        shares = counts.cumsum() / counts.sum()
        kept = shares[shares <= _SHOWN]
        style = SIDES[str(side)]
        figure.add_scatter(
            x=kept.index,
            y=kept,
            mode="lines",
            line={"color": style.color, "dash": style.dash, "shape": "hv"},
            name=style.name,
        )
    return figure.update_yaxes(tickformat=".0%")
