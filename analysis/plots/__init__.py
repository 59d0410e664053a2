"""Figures, one module per kind: a tidy frame in, a plotly figure out; nothing is shown or saved."""

from analysis.plots.breakdown import plot_breakdown
from analysis.plots.factorial import plot_effects, plot_interactions, plot_residuals
from analysis.plots.network import plot_bandwidths, plot_round_trip_times
from analysis.plots.percentiles import plot_percentiles
from analysis.plots.prediction import plot_prediction
from analysis.plots.queue import plot_queue_length, plot_waiting_workers
from analysis.plots.response_time import plot_response_time
from analysis.plots.throughput import plot_throughput
from analysis.plots.trace import plot_trace

__all__ = [
    "plot_bandwidths",
    "plot_breakdown",
    "plot_effects",
    "plot_interactions",
    "plot_percentiles",
    "plot_prediction",
    "plot_queue_length",
    "plot_residuals",
    "plot_response_time",
    "plot_round_trip_times",
    "plot_throughput",
    "plot_trace",
    "plot_waiting_workers",
]
