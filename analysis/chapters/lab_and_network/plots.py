"""The network before anything runs on it: bandwidths against their limits, round-trip times."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.theme import BLACK, FRAME, SKY_BLUE, new_figure

_LIGHT_GREYS = ["#ffffff", "#a8a8a8"]  # black text stays readable on all of them
_SIDE_PX = 215  # of all squares together, as a panel of two has room for
_MOST_NUMBERED = 10  # hosts; squares of more are too small for numbers


def plot_bandwidths(bandwidths: pd.DataFrame) -> go.Figure:
    """Plot measured bandwidth from host to host as bars, the sender's limit as a line at each.

    Parameters
    ----------
    bandwidths
        `analysis.tables.frames.Tables.bandwidths`.
    """
    pairs = bandwidths["source"] + " \N{RIGHTWARDS ARROW} " + bandwidths["target"]
    figure = new_figure("Bandwidth (Mbit/s)", "Sender \N{RIGHTWARDS ARROW} receiver")
    figure.add_bar(
        x=bandwidths["bandwidth_mbit_per_s"],
        y=pairs,
        orientation="h",
        marker={"color": SKY_BLUE, "line": {"color": FRAME, "width": 0.8}},
        name="measured (iperf3)",
    )
    figure.add_scatter(
        x=bandwidths["limit_mbit_per_s"],
        y=pairs,
        mode="markers",
        marker={"color": BLACK, "symbol": "line-ns-open", "size": 16, "line": {"width": 2}},
        name="limit of the sender's link",
    )
    return figure.update_yaxes(autorange="reversed", tickfont_size=10)


def plot_round_trip_times(pings: pd.DataFrame) -> go.Figure:
    """Plot the mean round-trip time from every host to every other, darker is longer.

    Squares, not plotly's heat map, which draws pixels: the figure stays one of lines and text.

    Parameters
    ----------
    pings
        `analysis.tables.frames.Tables.pings` of one section.
    """
    means = pings.groupby(["source", "target"], as_index=False)["round_trip_time_mean_ms"].mean()
    hosts = sorted(set(means["source"]) | set(means["target"]))
    numbered = len(hosts) <= _MOST_NUMBERED
    figure = new_figure("To", "From")
    figure.add_scatter(
        x=means["target"],
        y=means["source"],
        mode="markers+text" if numbered else "markers",
        text=means["round_trip_time_mean_ms"].map("{:.2f}".format),
        textfont={"size": 9},
        marker={
            "symbol": "square",
            "size": min(30, _SIDE_PX / len(hosts)),
            "color": means["round_trip_time_mean_ms"],
            "colorscale": _LIGHT_GREYS,
            "cmin": 0,  # plotly heeds it only beside a maximum
            "cmax": means["round_trip_time_mean_ms"].max(),
        },
        customdata=means["round_trip_time_mean_ms"],
        hovertemplate="%{y} \N{RIGHTWARDS ARROW} %{x}: %{customdata:.3f} ms<extra></extra>",
        name="round-trip time (ms)",
        showlegend=False,
    )
    figure.update_xaxes(showgrid=False, categoryorder="array", categoryarray=hosts)
    return figure.update_yaxes(
        showgrid=False, categoryorder="array", categoryarray=hosts[::-1], rangemode="normal"
    )
