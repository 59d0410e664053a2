"""Multi-gets by their number of keys, cut into parts (sharded) beside sent whole."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.percentiles import add_percentiles
from analysis.figures.plots.series import (
    add_measured,
    add_model,
    add_model_legend,
    count_merged,
    count_runs,
    rate_axis,
    time_axis,
)
from analysis.figures.theme import SHARDED, SIDES, new_figure
from analysis.results.histograms import num_runs

_KEYS_TITLE, _TIME_TITLE = "Keys of a multi-get", "Response time (ms)"
_SHOWN = 0.995  # of the requests; what is slower would leave no room for them


def plot_response_time_by_keys(
    cells: pd.DataFrame, predicted: pd.DataFrame | None = None
) -> go.Figure:
    """Plot the mean response time of multi-gets with 95 % CIs, and that of one that never waits.

    Parameters
    ----------
    cells
        From `multi_gets.multi_get_cells`.
    predicted
        From `multi_gets.prediction_table`.
    """
    return time_axis(_by_keys(cells, predicted, "response_time_ms", _TIME_TITLE))


def plot_throughput_by_keys(
    cells: pd.DataFrame, predicted: pd.DataFrame | None = None
) -> go.Figure:
    """Plot the throughput of multi-gets, without the sets between them, and what is predicted.

    Parameters
    ----------
    cells, predicted
        As for `plot_response_time_by_keys`.
    """
    title = "Multi-gets (op/s)"
    return rate_axis(_by_keys(cells, predicted, "throughput_ops_per_s", title))


def plot_percentiles_by_keys(percentiles: pd.DataFrame, request: str, sharded: bool) -> go.Figure:
    """Plot percentiles of the response time of one mode; both modes have the same axes.

    Parameters
    ----------
    percentiles
        From `analysis.results.histograms.percentiles_by`: one row per `request`, `sharded`,
        `multi_get_keys` and `percentile`.
    request
        ``multi-get`` or ``set``.
    sharded
        Which mode.
    """
    of_request = percentiles[percentiles["request"] == request]
    own = of_request[of_request["sharded"] == sharded]
    figure = new_figure(_KEYS_TITLE, _TIME_TITLE)
    add_percentiles(figure, own, "multi_get_keys")
    time_axis(_keys_axis(figure, of_request))
    if own.empty:  # sets are not distinguished, or the mode was not measured
        return figure
    ends = np.log10([of_request["value_ms"].min() / 1.2, of_request["value_ms"].max() * 1.2])
    figure.update_yaxes(range=ends.tolist())
    return count_merged(figure, own.drop(columns="request"))


def plot_spread(histograms: pd.DataFrame, *, keys: int, side: str) -> go.Figure:
    """Plot the share of multi-gets, and of sets between them, that were answered within a time.

    Parameters
    ----------
    histograms
        From `multi_gets.by_request`. Repetitions are added up.
    keys
        Of a multi-get.
    side
        ``client`` or ``middleware``.
    """
    own = histograms[(histograms["multi_get_keys"] == keys) & (histograms["side"] == side)]
    plots = [_distribution(own[own["request"] == name]) for name in ("multi-get", "set")]
    where = SIDES[side].name
    titles = [f"Multi-gets of {keys} at the {where}", f"Sets between them at the {where}"]
    return panels([plots], [titles])


def _distribution(histograms: pd.DataFrame) -> go.Figure:
    figure = new_figure(_TIME_TITLE, "Share of requests")
    runs = {}
    for sharded, mode in SHARDED.items():
        rows = histograms[histograms["sharded"] == sharded]
        if rows.empty:
            continue
        counts = rows.groupby("upper_edge_ms")["count"].sum().sort_index()
        shares = counts.cumsum() / counts.sum()
        kept = shares[shares <= _SHOWN]
        figure.add_scatter(
            x=kept.index,
            y=kept,
            mode="lines",
            line={"color": mode.color, "dash": mode.dash, "shape": "hv"},
            name=mode.name,
        )
        runs[mode.name] = num_runs(rows.drop(columns="request"))
    return figure.update_yaxes(tickformat=".0%").update_layout(meta={"runs": runs})


def _by_keys(
    cells: pd.DataFrame, predicted: pd.DataFrame | None, column: str, title: str
) -> go.Figure:
    figure = new_figure(_KEYS_TITLE, title)
    for sharded, mode in SHARDED.items():
        rows = cells[cells["sharded"] == sharded].sort_values("multi_get_keys")
        add_measured(figure, mode, rows.assign(num_clients=rows["multi_get_keys"]), column)
        if predicted is not None:
            line = predicted[predicted["sharded"] == sharded].sort_values("multi_get_keys")
            add_model(figure, mode, line["multi_get_keys"], line[column])
    if predicted is not None:
        add_model_legend(figure, "theory")
    counted = cells.assign(num_clients=cells["multi_get_keys"])
    return count_runs(_keys_axis(figure, cells), counted, column)


def _keys_axis(figure: go.Figure, frame: pd.DataFrame) -> go.Figure:
    """Make the axis of the keys logarithmic, with a tick at every number that was measured."""
    levels = sorted(frame["multi_get_keys"].unique())
    return figure.update_xaxes(
        type="log", tickvals=levels, ticktext=[f"{keys:g}" for keys in levels], tickangle=0
    )
