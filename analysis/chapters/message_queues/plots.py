"""Figures of message queues: over load and workers with the networks' lines, and over seconds."""

import pandas as pd
import plotly.graph_objects as go

from analysis.chapters.message_queues.evidence import left_open
from analysis.chapters.message_queues.runs import STABILITY, TRANSACTIONS
from analysis.figures.over_time.seconds import plot_seconds, shade_events
from analysis.figures.panels import panels
from analysis.figures.plots.load import plot_response_time, plot_throughput
from analysis.figures.plots.measured_and_model import AT_CLIENTS, plot_prediction
from analysis.tables.frames import Tables
from analysis.text.formatting import Format

WORKERS_TITLE = "Workers of all middlewares"
SHARE_FORMATS: dict[str, Format] = {
    "near": ".0%",
    "mean_absolute_error": ".1%",
    "largest_error": "+.1%",
}
_NAMES = ("Throughput", "Response time")
_COLUMN, _TITLE = "throughput_ops_per_s", "Throughput (op/s)"


def plot_loads(cells: pd.DataFrame, lines: pd.DataFrame) -> go.Figure:
    """Plot throughput and response time over the load, and each network's prediction as a line.

    Parameters
    ----------
    cells, lines
        From `lines.over_clients`.
    """
    plots = [
        plot_prediction(cells, lines, column=column, title=title)
        for column, title in AT_CLIENTS.items()
    ]
    return panels([plots], [list(_NAMES)])


def plot_over_workers(cells: pd.DataFrame, lines: pd.DataFrame) -> go.Figure:
    """Plot the same over the workers of all middlewares.

    Parameters
    ----------
    cells, lines
        From `lines.over_workers`.
    """
    return plot_loads(cells, lines).update_xaxes(title_text=WORKERS_TITLE)


def plot_locks(cells: pd.DataFrame) -> go.Figure:
    """Plot throughput and response time over the workers of all middlewares, by kind of locks.

    Parameters
    ----------
    cells
        From `lines.by_locks`.
    """
    plots = [draw(cells, series="locks") for draw in (plot_throughput, plot_response_time)]
    figure = panels([plots], [list(_NAMES)]).update_xaxes(title_text=WORKERS_TITLE)
    if cells.empty:
        text = "not measured with both kinds of locks"
        figure.add_annotation(text=text, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    return figure


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
