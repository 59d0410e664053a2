"""How requests are shared out among servers, and as the ring has it."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.theme import FRAME, bar_marker, error_bars, new_figure, style_of

_ROW_PX, _TITLE_PX = 118, 12
_GAP = 0.3  # of the room of a server, between its markers and those of the next


def plot_request_shares(shares: pd.DataFrame) -> go.Figure:
    """Plot each server's share of the requests, and how far it is from what the ring gives.

    Parameters
    ----------
    shares
        From `analysis.chapters.routing_and_replication.routing.shares_table`.

    Returns
    -------
    plotly Figure
        Panels of shape (1, 2): shares as bars, the even share as a line; differences from the ring
        with their 95 % confidence intervals, and two standard deviations of chance as a band.
    """
    plots = [_shares(shares), _differences(shares)]
    figure = panels([plots], [["Share of requests", "Measured less ring"]], row_px=_ROW_PX)
    figure.update_xaxes(title_font_size=_TITLE_PX)
    figure.update_yaxes(title_font_size=_TITLE_PX)
    return figure.update_layout(scattermode="group", scattergap=_GAP)


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
