"""Queueing models: single stations with open arrivals, closed networks, our system."""

from analysis.laws.operational import balanced_job_bounds
from analysis.models.closed import (
    ClosedSolution,
    FlowEquivalentStation,
    Station,
    closed_throughput,
    solve_closed,
)
from analysis.models.deterministic import link_time, md1_num_in_system, md1_waiting_time_cdf
from analysis.models.measured import measured_system
from analysis.models.open import OpenStation, mm1, mmm
from analysis.models.prediction import Prediction, predict, what_if
from analysis.models.simulated.simulation import SimulationOptions, SimulationResult, simulate
from analysis.models.system import System
from analysis.statistics.loads.message_sizes import message_bytes

__all__ = [
    "ClosedSolution",
    "FlowEquivalentStation",
    "OpenStation",
    "Prediction",
    "SimulationOptions",
    "SimulationResult",
    "Station",
    "System",
    "balanced_job_bounds",
    "closed_throughput",
    "link_time",
    "md1_num_in_system",
    "md1_waiting_time_cdf",
    "measured_system",
    "message_bytes",
    "mm1",
    "mmm",
    "predict",
    "simulate",
    "solve_closed",
    "what_if",
]
