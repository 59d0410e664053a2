"""The network before anything runs on it: bandwidths against their limits, round-trip times."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.theme import BLACK, FRAME, SKY_BLUE, new_figure

_LIGHT_GREYS = ["#ffffff", "#a8a8a8"]  # black text stays readable on all of them


def plot_bandwidths(bandwidths: pd.DataFrame) -> go.Figure:
    """Plot measured bandwidth from host to host as bars, the sender's limit as a line above each.

    Parameters
    ----------
    bandwidths
        `analysis.tables.frames.Tables.bandwidths`.
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

    Squares, not plotly's heat map, which draws pixels: the figure stays one of lines and text.

    Parameters
    ----------
    pings
        `analysis.tables.frames.Tables.pings` of one section.
    """
    means = pings.groupby(["source", "target"], as_index=False)["round_trip_time_mean_ms"].mean()
    figure = new_figure("To", "From")
    figure.add_scatter(
        x=means["target"],
        y=means["source"],
        mode="markers+text",
        text=means["round_trip_time_mean_ms"].map("{:.2f}".format),
        marker={
            "symbol": "square",
            "size": 30,
            "color": means["round_trip_time_mean_ms"],
            "colorscale": _LIGHT_GREYS,
            "cmin": 0,  # plotly heeds it only beside a maximum
            "cmax": means["round_trip_time_mean_ms"].max(),
        },
        customdata=means["round_trip_time_mean_ms"],
        hovertemplate="%{y} \N{RIGHTWARDS ARROW} %{x}: %{customdata:.3f} ms<extra></extra>",
        name="Round-trip time (ms)",
        showlegend=True,
    )
    hosts = sorted(set(means["source"]) | set(means["target"]))
    figure.update_xaxes(showgrid=False, categoryorder="array", categoryarray=hosts)
    return figure.update_yaxes(
        showgrid=False, categoryorder="array", categoryarray=hosts[::-1], rangemode="normal"
    )
