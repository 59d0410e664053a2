"""Figures, one module per kind: a tidy frame in, a plotly figure out; nothing is shown or saved."""

from analysis.figures.diagrams.threads import plot_threads
from analysis.figures.diagrams.whole_system import plot_request_life, plot_system
from analysis.figures.over_time.close_ups import plot_close_up
from analysis.figures.over_time.seconds import plot_seconds
from analysis.figures.over_time.timelines import plot_slowest_requests
from analysis.figures.over_time.trace import plot_trace
from analysis.figures.plots.breakdown import plot_breakdown
from analysis.figures.plots.closer import plot_closer, plot_distribution
from analysis.figures.plots.copies import plot_copies, plot_distributions
from analysis.figures.plots.effects import plot_effects, plot_interactions, plot_residuals
from analysis.figures.plots.keys import (
    plot_percentiles_by_keys,
    plot_response_time_by_keys,
    plot_spread,
    plot_throughput_by_keys,
)
from analysis.figures.plots.links import plot_bandwidths, plot_round_trip_times
from analysis.figures.plots.load import plot_by_workers, plot_response_time, plot_throughput
from analysis.figures.plots.measured_and_model import (
    plot_predicted_against_measured,
    plot_prediction,
)
from analysis.figures.plots.percentiles import plot_percentiles
from analysis.figures.plots.queue import plot_queue_length, plot_waiting_workers
from analysis.figures.plots.shares import plot_request_shares

__all__ = [
    "plot_bandwidths",
    "plot_breakdown",
    "plot_by_workers",
    "plot_close_up",
    "plot_closer",
    "plot_copies",
    "plot_distribution",
    "plot_distributions",
    "plot_effects",
    "plot_interactions",
    "plot_percentiles",
    "plot_percentiles_by_keys",
    "plot_predicted_against_measured",
    "plot_prediction",
    "plot_queue_length",
    "plot_request_life",
    "plot_request_shares",
    "plot_residuals",
    "plot_response_time",
    "plot_response_time_by_keys",
    "plot_round_trip_times",
    "plot_seconds",
    "plot_slowest_requests",
    "plot_spread",
    "plot_system",
    "plot_threads",
    "plot_throughput",
    "plot_throughput_by_keys",
    "plot_trace",
    "plot_waiting_workers",
]
