"""Queueing models: single stations with open arrivals, and closed networks."""

from analysis.queueing.bounds import BalancedJobBounds, balanced_job_bounds
from analysis.queueing.closed import ClosedSolution, FlowEquivalentStation, Station, solve_closed
from analysis.queueing.open import OpenStation, mm1, mminf, mmm

__all__ = [
    "BalancedJobBounds",
    "ClosedSolution",
    "FlowEquivalentStation",
    "OpenStation",
    "Station",
    "balanced_job_bounds",
    "mm1",
    "mminf",
    "mmm",
    "solve_closed",
]
