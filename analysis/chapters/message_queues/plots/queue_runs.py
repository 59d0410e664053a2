"""Runs of message queues, second by second: at fixed rates, and beside an open transaction."""

import pandas as pd
import plotly.graph_objects as go

from analysis.chapters.message_queues.evidence import left_open
from analysis.chapters.message_queues.runs import STABILITY, TRANSACTIONS
from analysis.figures.over_time.seconds import plot_seconds, shade_events
from analysis.tables.frames import Tables

_COLUMN, _TITLE = "throughput_ops_per_s", "Throughput (op/s)"


def plot_paced(tables: Tables) -> go.Figure:
    """Plot the throughput at the clients of section q1, a line for each number of clients.

    Parameters
    ----------
    tables
        Of any sections; of several repetitions the first is drawn.
    """
    seconds = _at_clients(tables, STABILITY)
    first = seconds[seconds["repetition"] == seconds["repetition"].min()]
    plot = plot_seconds(first, _COLUMN, _TITLE, series="num_clients")
    levels = first["num_clients"].unique()
    return plot.update_layout(meta={"runs": {f"{level} clients": 1 for level in levels}})


def plot_opened(tables: Tables) -> go.Figure:
    """Plot the throughput of section q6, a line for each repetition; transactions are shaded.

    Parameters
    ----------
    tables
        Of any sections.
    """
    seconds = _at_clients(tables, TRANSACTIONS)
    plot = plot_seconds(seconds, _COLUMN, _TITLE, series="repetition")
    events = left_open(tables)
    events = events[events["section"] == TRANSACTIONS]
    spans = events.assign(end_s=events["start_s"] + events["length_s"])
    for _, one in spans.groupby(spans["start_s"].round()):  # one span for those that coincide
        shade_events(plot, one.iloc[:1])
    repetitions = seconds["repetition"].unique()
    return plot.update_layout(meta={"runs": {f"repetition {n}": 1 for n in repetitions}})


def _at_clients(tables: Tables, section: str) -> pd.DataFrame:
    windows = tables.windows
    own: pd.DataFrame = windows[(windows["section"] == section) & (windows["side"] == "client")]
    return own
