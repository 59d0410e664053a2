"""The published studies in figures: designs, models of a station, a closed network."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.figures.plots.series import CLIENTS_TITLE, time_axis
from analysis.figures.theme import BLACK, FRAME, GRID, new_figure, style_of
from analysis.statistics.factorial import MEAN, FactorialResult

_LOADS = (8, 16, 32, 64, 128, 256)  # ticks of an axis of clients
_DASHES = ("solid", "dash", "dot", "dashdot")
_APART = 0.2  # between the points of two studies, as a fraction of a place


def plot_design_effects(results: Mapping[str, FactorialResult]) -> go.Figure:
    """Plot the effects of the same factors in several studies with their confidence intervals.

    Parameters
    ----------
    results
        Name of a study to its effects, in percent of the mean, the same effects for all; those
        without repetitions have no interval.
    """
    figure = new_figure("Effect", "Change (% of the mean)")
    middle = (len(results) - 1) / 2
    names: list[str] = []
    for position, (study, result) in enumerate(results.items()):
        effects = result.effects.drop(index=MEAN)
        names = list(effects.index)
        style = style_of("study", study, position)
        figure.add_scatter(
            x=np.arange(len(effects)) + _APART * (position - middle),
            y=effects["effect"],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": effects["ci_high"] - effects["effect"],
                "arrayminus": effects["effect"] - effects["ci_low"],
            },
            mode="markers",
            marker={"color": style.color, "symbol": style.symbol, "size": 7},
            name=style.name,
        )
    figure.add_hline(0, line={"color": FRAME, "width": 1})
    figure.update_xaxes(tickvals=list(range(len(names))), ticktext=names, rangemode="normal")
    return figure.update_yaxes(rangemode="normal")


def plot_station_models(table: pd.DataFrame, title: str) -> go.Figure:
    """Plot what a study observed and predicted over the workers, and what its models give again.

    Parameters
    ----------
    table
        One measure of `analysis.studies.rederived_stations.station_table`.
    title
        Of its axis, with the unit.
    """
    figure = new_figure("Workers of a middleware", title)
    workers = sorted(table["workers"].unique())
    once = table.drop_duplicates("workers")
    figure.add_scatter(
        x=once["workers"],
        y=once["observed"],
        mode="markers",
        marker={"color": BLACK, "symbol": "x", "size": 9},
        name="observed",
    )
    for position, (model, rows) in enumerate(table.groupby("model")):
        style = style_of("model", model, position)
        figure.add_scatter(
            x=rows["workers"],
            y=rows["published"],
            mode="markers",
            marker={"color": style.color, "symbol": f"{style.symbol}-open", "size": 9},
            name=f"{model}, printed",
        )
        figure.add_scatter(
            x=rows["workers"],
            y=rows["rederived"],
            mode="lines",
            line={"color": style.color, "dash": style.dash, "width": 1},
            name=f"{model}, computed again",
        )
    figure.update_xaxes(type="log", tickvals=workers, ticktext=[f"{each:g}" for each in workers])
    return time_axis(figure)


def plot_over_clients(
    column: str,
    title: str,
    *,
    points: pd.DataFrame | None = None,
    lines: pd.DataFrame | None = None,
) -> go.Figure:
    """Plot what was printed as points, and what models predict as lines, over the clients.

    Parameters
    ----------
    column
        A measure of both frames.
    title
        Of its axis, with the unit.
    points
        `series`, `order` (its place among the styles), `num_clients` and the column.
    lines
        `model`, `num_clients` and the column; at most four models.
    """
    figure = new_figure(CLIENTS_TITLE, title)
    series = iter(()) if points is None else iter(points.groupby("series"))
    for level, rows in series:
        style = style_of("series", level, int(rows["order"].iloc[0]))
        figure.add_scatter(
            x=rows["num_clients"],
            y=rows[column],
            mode="markers",
            marker={"color": style.color, "symbol": f"{style.symbol}-open", "size": 8},
            name=style.name,
        )
    models = iter(()) if lines is None else iter(lines.groupby("model", sort=False))
    for dash, (model, rows) in zip(_DASHES, models, strict=False):
        figure.add_scatter(
            x=rows["num_clients"],
            y=rows[column],
            mode="lines",
            line={"color": FRAME, "dash": dash, "width": 1},
            name=str(model),
        )
    figure.update_yaxes(rangemode="tozero")
    return figure.update_xaxes(type="log", tickvals=_LOADS, ticktext=[f"{n}" for n in _LOADS])


def plot_ratios(beside: pd.DataFrame, *, within: float = 0.1) -> go.Figure:
    """Plot our throughput over a study's against how many sets can be at the servers at once.

    Parameters
    ----------
    beside
        From `analysis.studies.machines.on_the_lab.sets_on_the_lab`.
    within
        Relative difference that the shaded band allows.
    """
    figure = new_figure("Sets at the servers, at most", "X, ours / theirs")
    figure.add_hrect(1 - within, 1 + within, fillcolor=GRID, line_width=0, layer="below")
    figure.add_hline(1, line={"color": FRAME, "width": 1, "dash": "dash"})
    for position, (study, rows) in enumerate(beside.groupby("study")):
        style = style_of("study", study, position)
        figure.add_scatter(
            x=rows["at_once"],
            y=rows["ratio"],
            error_y={
                "type": "data",
                "symmetric": False,
                "array": (rows["ci_high"] - rows["measured"]) / rows["published"],
                "arrayminus": (rows["measured"] - rows["ci_low"]) / rows["published"],
            },
            mode="markers",
            marker={"color": style.color, "symbol": f"{style.symbol}-open", "size": 8},
            name=style.name,
        )
    figure.update_yaxes(rangemode="tozero")
    return figure.update_xaxes(type="log", tickvals=_LOADS, ticktext=[f"{n}" for n in _LOADS])
