"""Message queues over load and workers, networks of queues beside what was measured."""

import pandas as pd
import plotly.graph_objects as go

from analysis.figures.panels import panels
from analysis.figures.plots.load import plot_response_time, plot_throughput
from analysis.figures.plots.measured_and_model import AT_CLIENTS, plot_prediction
from analysis.text.formatting import Format

WORKERS_TITLE = "Workers of all middlewares"
SHARE_FORMATS: dict[str, Format] = {
    "near": ".0%",
    "mean_absolute_error": ".1%",
    "largest_error": "+.1%",
}
_NAMES = ("Throughput", "Response time")


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
