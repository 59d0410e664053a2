"""Queueing models: single stations with open arrivals, closed networks, our system."""

from analysis.queueing.bounds import BalancedJobBounds, balanced_job_bounds
from analysis.queueing.closed import ClosedSolution, FlowEquivalentStation, Station, solve_closed
from analysis.queueing.deterministic import link_time, md1_num_in_system, md1_waiting_time_cdf
from analysis.queueing.measured import measured_system
from analysis.queueing.open import OpenStation, mm1, mminf, mmm
from analysis.queueing.prediction import Prediction, predict, what_if
from analysis.queueing.shared_machine import dilation_table
from analysis.queueing.simulation import SimulationOptions, SimulationResult, simulate
from analysis.queueing.system import System, message_bytes

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
    "dilation_table",
    "link_time",
    "md1_num_in_system",
    "md1_waiting_time_cdf",
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
