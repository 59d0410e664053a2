r"""Simulations repeated with independent random numbers until what they predict is known.

Each replication drops its own warm-up and gives one value of each measure. They come in two rounds
(Stein's two-stage sampling): the first :math:`r_0` tell the spread :math:`s_0`, and with it how
many there must be in all; the interval of the mean of all r is

.. math:: \bar x \pm t_{0.975;\,r_0-1}\, s_0 / \sqrt r

which keeps its coverage, unlike one that is looked at again and again until it is narrow. All cases
use the same seeds, which takes from their differences what is chance (common random numbers).

References
----------
Jain 1991, section 25.5.1 (independent replications); Stein 1945, doi:10.1214/aoms/1177731088; Law
2015, Simulation Modeling and Analysis, sections 9.4 and 11.2.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from analysis.models.simulated.simulation import SimulationOptions, simulate
from analysis.models.system import System
from analysis.statistics.student import CONFIDENCE
from analysis.work import mapped, workers

PRECISE = ("throughput_ops_per_s", "client_response_time_ms")
WORTH_A_PROCESS = 32  # replications in a round: below, starting processes takes longer


@dataclass(frozen=True, kw_only=True)
class Case:
    """One load of one system; `num_clients`, or `arrival_rate` in requests/s.

    Attributes
    ----------
    options
        Of one replication; its `seed` is not used.
    """

    system: System
    num_clients: int | None = None
    arrival_rate: float | None = None
    options: SimulationOptions


@dataclass(frozen=True, kw_only=True)
class Goal:
    """When a case is known.

    Attributes
    ----------
    precision
        Half width of the 95 % interval over the mean that throughput and response time at the
        clients may have, > 0.
    fewest, most
        Replications, 2 <= fewest <= most.
    seed
        From which the seeds of all replications come.
    """

    precision: float = 0.01
    fewest: int = 5
    most: int = 30
    seed: int = 1

    def __post_init__(self) -> None:
        if not self.precision > 0:
            raise ValueError(f"precision must be > 0, got {self.precision}")
        if not 2 <= self.fewest <= self.most:
            raise ValueError(
                f"2 <= fewest <= most replications are due, got {self.fewest} and {self.most}"
            )

    def seeds(self) -> list[int]:
        """Return a seed for each replication, independent of each other (`SeedSequence`)."""
        children = np.random.SeedSequence(self.seed).spawn(self.most)
        return [int(child.generate_state(1, np.uint64)[0]) for child in children]


@dataclass(frozen=True, kw_only=True, eq=False)
class Replicated:
    """What the replications of a case say.

    Attributes
    ----------
    measures
        One row per measure of `analysis.models.simulated.simulation.SimulationResult.measures`,
        columns `mean`, `ci_low`, `ci_high` (95 %, over replications).
    replications
        How many there were.
    half_width
        Of the interval over the mean, the larger of throughput's and response time's.
    known
        Whether it is within the goal.
    """

    measures: pd.DataFrame
    replications: int
    half_width: float
    known: bool


def replicate(
    cases: Sequence[Case], goal: Goal | None = None, processes: int | None = None
) -> list[Replicated]:
    """Simulate cases until all are known, or have had the most replications.

    Parameters
    ----------
    processes
        As for `analysis.work.workers`. The results are the same whatever their number.
    """
    goal = goal or Goal()
    seeds = goal.seeds()
    first = [(case, seed) for case in cases for seed in seeds[: goal.fewest]]
    with workers(1 if len(first) < WORTH_A_PROCESS else processes) as those:
        found = mapped(one_replication, first, within=those)
        means = [[next(found) for _ in range(goal.fewest)] for _ in cases]
        needed = [_needed(own, goal) for own in means]
        further = [
            (case, seed)
            for case, count in zip(cases, needed, strict=True)
            for seed in seeds[goal.fewest : count]
        ]
        found = mapped(one_replication, further, within=those)
        for own, count in zip(means, needed, strict=True):
            own.extend(next(found) for _ in range(count - goal.fewest))
    return [_summary(own, goal) for own in means]


def one_replication(job: tuple[Case, int]) -> pd.Series:
    """Return the means of one replication of a case, by measure."""
    case, seed = job
    result = simulate(
        case.system,
        case.num_clients,
        arrival_rate=case.arrival_rate,
        options=replace(case.options, seed=seed),
    )
    return result.measures["mean"]


def _needed(first: Sequence[pd.Series], goal: Goal) -> int:
    r"""How many replications a case needs, :math:`\lceil (t s_0 / h)^2 \rceil`, within limits."""
    widths = (_reach(first, goal) / pd.DataFrame(first).mean())[list(PRECISE)]
    needed = math.ceil((float(widths.max()) / goal.precision) ** 2)
    return min(max(needed, goal.fewest), goal.most)


def _reach(means: Sequence[pd.Series], goal: Goal) -> pd.Series:
    """Half width of the interval of a single value, by the spread of the first round."""
    spread = pd.DataFrame(means[: goal.fewest]).std(ddof=1)
    return spread * float(stdtrit(goal.fewest - 1, (1 + CONFIDENCE) / 2))


def _summary(means: Sequence[pd.Series], goal: Goal) -> Replicated:
    mean = pd.DataFrame(means).mean()
    half = _reach(means, goal) / math.sqrt(len(means))
    width = float((half / mean)[list(PRECISE)].max())
    return Replicated(
        measures=pd.DataFrame({"mean": mean, "ci_low": mean - half, "ci_high": mean + half}),
        replications=len(means),
        half_width=width,
        known=width <= goal.precision,
    )
