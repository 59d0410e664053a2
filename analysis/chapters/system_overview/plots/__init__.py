"""Drawings of the system."""

from analysis.chapters.system_overview.plots.threads import plot_threads
from analysis.chapters.system_overview.plots.whole_system import plot_request_life, plot_system

__all__ = ["plot_request_life", "plot_system", "plot_threads"]
