"""The seconds around an event of a long run, in which they are too short to be seen."""

from functools import partial

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.over_time.seconds import ONE_RUN, plot_seconds, shade_events
from analysis.figures.panels import panels
from analysis.figures.theme import new_figure

NO_EVENT = "none"
_TITLES = [
    ["Throughput", "Queue"],
    ["Service time in the middlewares", "Longest response time of each server"],
]


def event_names(events: pd.DataFrame) -> list[str]:
    """Name the events of `dynamics.find_events`, the longest first.

    Returns
    -------
    list of str
        Such as ``s3 paused at 900 s``; ``none`` alone where there is no event.
    """
    return _named(events).sort_values("length_s", ascending=False).index.tolist() or [NO_EVENT]


def plot_close_up(
    windows: pd.DataFrame,
    servers: pd.DataFrame,
    events: pd.DataFrame,
    event: str,
    *,
    around_s: float = 10.0,
) -> go.Figure:
    """Plot throughput, queue, service time and servers in the seconds around one event.

    Parameters
    ----------
    windows, servers
        Rows of `analysis.tables.frames.Tables` of one run.
    events
        From `dynamics.find_events`.
    event
        One of `event_names`.
    around_s
        Seconds before the start and after the end of the event that are drawn.
    """
    if event == NO_EVENT:
        return _nothing()
    named = _named(events)
    chosen = named.loc[event]
    first, last = chosen["start_s"] - around_s, chosen["end_s"] + around_s
    near = windows[windows["second_s"].between(first, last)]
    inside = near[near["side"] == "middleware"]
    beside = servers[servers["second_s"].between(first, last)]
    plots = [
        plot_seconds(near, "throughput_ops_per_s", "Throughput (op/s)", series="side"),
        plot_seconds(inside, "queue_length", "Queue length (jobs)", series="side"),
        plot_seconds(inside, "service_time_ms", "Service time (ms)", series="side"),
        plot_seconds(beside, "response_time_max_ms", "Response time (ms)", logarithmic=True),
    ]
    for plot in plots:
        shade_events(plot, named.loc[[event]])
        plot.update_xaxes(range=[first, last], nticks=6, tickangle=0)
    return panels([plots[:2], plots[2:]], _TITLES)


def _named(events: pd.DataFrame) -> pd.DataFrame:
    starts = events["start_s"].map(partial(str.format, " at {:.0f} s")).astype(str)
    return events.set_index((events["event"].astype(str) + starts).rename("name"))


def _nothing() -> go.Figure:
    """Return a figure that says that there is nothing to look at."""
    figure = new_figure("Clock (s)", "Throughput (op/s)")
    figure.add_annotation(text="no event was found", x=0.5, y=0.5, xref="paper", yref="paper")
    return figure.update_layout(meta={"runs": ONE_RUN})
