"""Multi-gets: percentiles by size, and histograms, sharded beside non-sharded."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from analysis.figures.plots.series import add_measured, count_runs
from analysis.figures.theme import PERCENTILES, SHARDED, SIDES, TEMPLATE, bar_marker, new_figure
from analysis.results.histograms import num_runs

_KEYS_TITLE, _TIME_TITLE = "Keys of a multi-get", "Response time (ms)"
_TIME, _THROUGHPUT = "response_time_ms", "client_throughput_ops_per_s"
_LOG_TICKS = [step * 10**power for power in range(-1, 4) for step in (1, 2, 5)]
_NO_LINE = {"line": {"width": 0}}  # around bars too narrow for it
SHOWN_SHARE = 0.995  # of the samples of a histogram; the tail would squeeze the rest


def plot_response_time_by_keys(cells: pd.DataFrame, *, logarithmic: bool = False) -> go.Figure:
    """Plot the mean response time of multi-gets with 95 % CIs against their keys, by mode.

    Parameters
    ----------
    cells
        From `analysis.sections.multi_gets.multi_get_cells`.
    logarithmic
        Whether both axes are, for sizes far apart.
    """
    return _by_keys(cells, _TIME, _TIME_TITLE, logarithmic)


def plot_throughput_by_keys(cells: pd.DataFrame, *, logarithmic: bool = False) -> go.Figure:
    """Plot the throughput of all requests with 95 % CIs against the keys of multi-gets, by mode.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells` of sections 5.1 and 5.2.
    logarithmic
        As for `plot_response_time_by_keys`.
    """
    return _by_keys(cells, _THROUGHPUT, "Throughput (op/s)", logarithmic)


def plot_percentiles_by_keys(
    percentiles: pd.DataFrame,
    shown: Sequence[int] = (25, 50, 75, 90, 99),
    *,
    logarithmic: bool = False,
) -> go.Figure:
    """Plot percentiles of the response time against the keys of a multi-get, both modes together.

    Parameters
    ----------
    percentiles
        From `analysis.results.histograms.percentiles_by`: one row per `multi_get_keys`, `sharded`
        and `percentile`.
    shown
        Which percentiles.
    logarithmic
        Whether both axes are, for sizes far apart.
    """
    figure = new_figure(_KEYS_TITLE, _TIME_TITLE)
    for sharded, mode in SHARDED.items():
        rows = percentiles[percentiles["sharded"].astype(bool) == sharded]
        for percentile in shown if len(rows) else ():
            style = PERCENTILES[percentile]
            line = rows[rows["percentile"] == percentile].sort_values("multi_get_keys")
            filled = style.symbol if sharded else f"{style.symbol}-open"
            figure.add_scatter(
                x=line["multi_get_keys"],
                y=line["value_ms"],
                mode="lines+markers",
                marker={"color": style.color, "symbol": filled},
                line={"color": style.color, "dash": mode.dash, "width": 1.5},
                name=f"{style.name}, {mode.name}",
                legendgroup=mode.name,
            )
    _set_axes(figure, percentiles, logarithmic)
    runs = int(percentiles.drop_duplicates(["multi_get_keys", "sharded"])["runs"].sum())
    return figure.update_layout(height=440, meta={"runs": runs})


def plot_histograms(histograms: pd.DataFrame, bin_ms: float = 0.1) -> go.Figure:
    """Plot response-time histograms: clients and middleware above each other, modes side by side.

    Parameters
    ----------
    histograms
        Rows of `analysis.tables.frames.Tables.histograms` of one configuration in both modes and
        of `time` ``response_time``: `side`, `sharded`, `upper_edge_ms`, `count`. Repetitions
        are added up.
    bin_ms
        Width of a bar in ms. All four histograms have the same axes.
    """
    sides = [side for side in SIDES if (histograms["side"] == side).any()]
    figure = make_subplots(
        rows=len(sides),
        cols=len(SHARDED),
        shared_xaxes="all",
        shared_yaxes="all",
        vertical_spacing=0.09,
        horizontal_spacing=0.04,
    )
    edge = _shown_up_to(histograms, bin_ms)
    for row, side in enumerate(sides, 1):
        for col, (sharded, mode) in enumerate(SHARDED.items(), 1):
            chosen = histograms["sharded"].astype(bool).eq(sharded) & histograms["side"].eq(side)
            left, share = _bars(histograms[chosen], bin_ms, edge)
            figure.add_bar(
                x=left + bin_ms / 2,
                y=share * 100,
                width=bin_ms,
                marker=bar_marker(SIDES[side].color, mode.pattern) | _NO_LINE,
                name=f"{SIDES[side].name}, {mode.name}",
                row=row,
                col=col,
            )
        figure.update_yaxes(title_text="Requests (%)", row=row, col=1)
    figure.update_xaxes(title_text="Response time (ms)", row=len(sides))
    figure.update_layout(template=TEMPLATE, height=260 * len(sides) + 40, bargap=0)
    return figure.update_layout(meta={"runs": num_runs(histograms)})


def _by_keys(cells: pd.DataFrame, column: str, title: str, logarithmic: bool) -> go.Figure:
    figure = new_figure(_KEYS_TITLE, title)
    for sharded, mode in SHARDED.items():
        rows = cells[cells["sharded"].astype(bool) == sharded].sort_values("multi_get_keys")
        add_measured(figure, mode, rows.assign(num_clients=rows["multi_get_keys"]), column)
        line = {"color": mode.color, "dash": mode.dash}
        figure.data[-1].update(mode="lines+markers", marker={"size": 8}, line=line)
    _set_axes(figure, cells, logarithmic)
    return count_runs(figure, cells, column)


def _set_axes(figure: go.Figure, frame: pd.DataFrame, logarithmic: bool) -> None:
    """Mark the numbers of keys that were measured, and on a logarithmic axis 1, 2, 5, 10, ..."""
    figure.update_xaxes(tickvals=sorted(frame["multi_get_keys"].unique()))
    if logarithmic:
        figure.update_xaxes(type="log").update_yaxes(type="log", tickvals=_LOG_TICKS)


def _shown_up_to(histograms: pd.DataFrame, bin_ms: float) -> float:
    edges = []
    for _, samples in histograms.groupby(["side", "sharded"]):
        ordered = samples.sort_values("upper_edge_ms")
        share = ordered["count"].cumsum() / ordered["count"].sum()
        edges.append(ordered["upper_edge_ms"].to_numpy()[np.searchsorted(share, SHOWN_SHARE)])
    return float(np.ceil(max(edges, default=bin_ms) / bin_ms) * bin_ms)


def _bars(samples: pd.DataFrame, bin_ms: float, edge: float) -> tuple[np.ndarray, np.ndarray]:
    """Left edges of the bars and the share of all samples in each."""
    bins = np.floor(samples["upper_edge_ms"] / bin_ms).astype(int)
    counts = samples.groupby(bins)["count"].sum().reindex(range(round(edge / bin_ms)), fill_value=0)
    return counts.index.to_numpy() * bin_ms, (counts / max(1, samples["count"].sum())).to_numpy()
