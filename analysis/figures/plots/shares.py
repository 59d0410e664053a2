"""How requests are shared out among servers."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.theme import FRAME, bar_marker, new_figure, style_of


def plot_request_shares(requests: pd.DataFrame, *, series: str = "replicas") -> go.Figure:
    """Plot each server's share of all requests as bars, and the even share as a line.

    Parameters
    ----------
    requests
        Columns `server`, `requests` and `series`; rows of equal server and series are added up.
        Of `share_repetitions`, where it is known, the runs are counted.
    series
        Column that tells the bars of a server apart, such as ``replicas`` or ``routing``.
    """
    counts = requests.groupby([series, "server"])["requests"].sum()
    shares = (counts / counts.groupby(level=series).transform("sum") * 100).reset_index()
    figure = new_figure("Server", "Share of requests (%)")
    for position, (level, rows) in enumerate(shares.groupby(series)):
        style = style_of(series, level, position)
        figure.add_bar(
            x=rows["server"],
            y=rows["requests"],
            name=style.name,
            marker=bar_marker(style.color, style.pattern),
        )
    even = 100 / shares["server"].nunique()
    figure.add_hline(even, line={"color": FRAME, "dash": "dash"}, annotation_text="even share")
    if "share_repetitions" in requests:
        runs = requests.groupby(series)["share_repetitions"].max().sum()
        figure.update_layout(meta={"runs": int(runs)})
    return figure.update_layout(barmode="group")
