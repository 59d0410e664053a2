"""Figures that several chapters show: a tidy frame in, a plotly figure out; nothing is shown."""

from analysis.figures.plots.closer import plot_closer
from analysis.figures.plots.load import plot_by_workers, plot_response_time, plot_throughput
from analysis.figures.plots.measured_and_model import plot_predicted_against_measured
from analysis.figures.plots.percentiles import plot_percentiles
from analysis.figures.plots.queue import plot_queue_length, plot_waiting_workers

__all__ = [
    "plot_by_workers",
    "plot_closer",
    "plot_percentiles",
    "plot_predicted_against_measured",
    "plot_queue_length",
    "plot_response_time",
    "plot_throughput",
    "plot_waiting_workers",
]
