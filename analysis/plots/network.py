"""The network before anything runs on it: bandwidths against their limits, round-trip times."""

import pandas as pd
import plotly.graph_objects as go

from analysis.theme import BLACK, FRAME, SKY_BLUE, new_figure


def plot_bandwidths(bandwidths: pd.DataFrame) -> go.Figure:
    """Plot measured bandwidth from host to host as bars, the sender's limit as a line above each.

    Parameters
    ----------
    bandwidths
        `analysis.tidy.Tables.bandwidths`.
    """
    pairs = bandwidths["source"] + " \N{RIGHTWARDS ARROW} " + bandwidths["target"]
    figure = new_figure("Sender \N{RIGHTWARDS ARROW} receiver", "Bandwidth (Mbit/s)")
    figure.add_bar(
        x=pairs,
        y=bandwidths["bandwidth_mbit_per_s"],
        marker={"color": SKY_BLUE, "line": {"color": FRAME, "width": 0.8}},
        name="measured (iperf3)",
    )
    figure.add_scatter(
        x=pairs,
        y=bandwidths["limit_mbit_per_s"],
        mode="markers",
        marker={"color": BLACK, "symbol": "line-ew-open", "size": 26, "line": {"width": 2}},
        name="limit of the sender's link",
    )
    return figure


def plot_round_trip_times(pings: pd.DataFrame) -> go.Figure:
    """Plot the mean round-trip time from every host to every other, darker is longer.

    Parameters
    ----------
    pings
        `analysis.tidy.Tables.pings` of one section.
    """
    column = "round_trip_time_mean_ms"
    matrix = pings.pivot_table(index="source", columns="target", values=column)
    figure = new_figure("To", "From")
    figure.add_heatmap(
        x=matrix.columns,
        y=matrix.index,
        z=matrix,
        zmin=0,
        zmax=matrix.max(axis=None),
        colorscale="Greys",
        texttemplate="%{z:.2f}",
        colorbar_title_text="Round-trip time (ms)",
        colorbar_title_side="right",
        hoverongaps=False,
    )
    figure.update_xaxes(showgrid=False)
    return figure.update_yaxes(showgrid=False, autorange="reversed")
