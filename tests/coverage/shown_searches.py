"""Searches for a rate at a limit of the response time, on a station of which it is known."""

import math
from dataclasses import dataclass

import numpy as np

from remote.campaign.planning.bracket import Found, next_step
from remote.campaign.planning.probe import Limit, Probe

SERVICE_PER_S = 4000.0
WINDOW_S = 5.0
WITHIN = 0.02  # error of a run's 99th percentile, as a fraction of it
Run = tuple[float, float, float, float]


@dataclass(frozen=True)
class Search:
    """Searches of `lab find` for the rate at which the p99 of M/M/1 reaches a limit.

    Attributes
    ----------
    utilization
        Of the station at the rate that is sought; each search has its own, within 5 % of it.
    between
        Standard deviation of the p99 from run to run, as a fraction of it.
    """

    utilization: float
    between: float

    def __call__(
        self, rng: np.random.Generator, goal: float, repetitions: tuple[int, int]
    ) -> list[bool]:
        """Search until the rate is known or cannot be; return whether the interval holds it."""
        truth = self.utilization * SERVICE_PER_S * rng.uniform(0.95, 1.05)
        limit = Limit(limit_ms=p99_ms(truth), goal=goal, repetitions=repetitions)
        start = SERVICE_PER_S * rng.uniform(0.1, 0.6)
        runs: dict[float, list[Run]] = {}
        while True:
            step = next_step([_probe(rate, *own) for rate, own in runs.items()], limit, start)
            if isinstance(step, Found):
                return [step.low <= truth <= step.high]
            runs.setdefault(step.rate_per_s, []).append(self._run(rng, step.rate_per_s))

    def _run(self, rng: np.random.Generator, rate_per_s: float) -> Run:
        """Measure a rate; above what the station serves its queue grows for the whole run."""
        answered = min(rate_per_s, 0.999 * SERVICE_PER_S)
        p99 = p99_ms(answered) + 1e3 * WINDOW_S * (1 - answered / rate_per_s)
        level = p99 * (1 + self.between * rng.normal())
        counted = rng.poisson(answered * WINDOW_S) / WINDOW_S
        value = level + WITHIN * p99 * rng.normal()
        return value, WITHIN * p99, counted, math.sqrt(answered / WINDOW_S)


def p99_ms(rate_per_s: float) -> float:
    """Return the 99th percentile of the response time of M/M/1 (Jain 1991, box 31.1)."""
    return 1e3 * math.log(100) / (SERVICE_PER_S - rate_per_s)


def _probe(rate_per_s: float, *runs: Run) -> Probe:
    values, errors, throughputs, throughput_errors = zip(*runs, strict=True)
    return Probe(
        rate_per_s=rate_per_s,
        values_ms=values,
        errors_ms=errors,
        throughputs_per_s=throughputs,
        throughput_errors=throughput_errors,
        next_repetition=len(runs) + 1,
    )
