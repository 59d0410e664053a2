"""Predictions of simulations that are repeated until they are known."""

import numpy as np

from analysis.models import System, message_bytes, predict
from analysis.models.simulated.replications import PRECISE, Case, Goal, replicate
from analysis.models.simulated.simulation import SimulationOptions

CLIENTS = 8
SYSTEM = System(servers=1, server_time=2e-4, think_time=2e-3, **message_bytes("get"))
OPTIONS = SimulationOptions(warm_up_s=0.1, duration_s=0.3, batches=2, link_times="exponential")


def replicated(rng: np.random.Generator, goal: float, repetitions: tuple[int, int]) -> list[bool]:
    """Throughput and response time of a system of product form, whose truth is exact."""
    case = Case(system=SYSTEM, num_clients=CLIENTS, options=OPTIONS)
    fewest, most = repetitions
    seed = int(rng.integers(2**63))
    of_goal = Goal(precision=goal, fewest=fewest, most=most, seed=seed)
    (found,) = replicate([case], of_goal, processes=1)
    exact = predict(SYSTEM, CLIENTS).measures.iloc[-1]
    rows = found.measures.loc[list(PRECISE)]
    truth = exact[list(PRECISE)].to_numpy()
    return list((rows["ci_low"] <= truth) & (truth <= rows["ci_high"]))
