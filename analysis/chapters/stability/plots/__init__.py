"""Figures of a long run."""

from analysis.chapters.stability.plots.close_ups import plot_close_up
from analysis.chapters.stability.plots.trace import plot_trace
from analysis.figures.over_time.timelines import plot_slowest_requests

__all__ = ["plot_close_up", "plot_slowest_requests", "plot_trace"]
