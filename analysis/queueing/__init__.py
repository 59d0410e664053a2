"""Queueing models: single stations with open arrivals, closed networks, our system."""

from analysis.queueing.bounds import BalancedJobBounds, balanced_job_bounds
from analysis.queueing.closed import ClosedSolution, FlowEquivalentStation, Station, solve_closed
from analysis.queueing.measured import measured_system
from analysis.queueing.open import OpenStation, mm1, mminf, mmm
from analysis.queueing.simulation import SimulationOptions, SimulationResult, simulate
from analysis.queueing.system import Prediction, System, message_bytes, predict, what_if

__all__ = [
    "BalancedJobBounds",
    "ClosedSolution",
    "FlowEquivalentStation",
    "OpenStation",
    "Prediction",
    "SimulationOptions",
    "SimulationResult",
    "Station",
    "System",
    "balanced_job_bounds",
    "measured_system",
    "message_bytes",
    "mm1",
    "mminf",
    "mmm",
    "predict",
    "simulate",
    "solve_closed",
    "what_if",
]
