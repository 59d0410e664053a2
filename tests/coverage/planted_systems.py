"""Systems whose truth is known, run after run, for campaigns that must find it.

Each gives the slices of a run: `totals` and `weights`, whose ratio of sums is the run's mean.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.signal import lfilter

from analysis.statistics.student import FloatArray

SETTLING = 200  # slices before a run, so that it begins anywhere


@dataclass(frozen=True, kw_only=True)
class Run:
    """Slices of one run, and what is true of it alone.

    Attributes
    ----------
    truth : float
        What the mean of all its slices is but for chance.
    trend : float
        By how much it rises from the first slice to the last.
    """

    totals: FloatArray
    weights: FloatArray
    truth: float
    trend: float = 0.0

    def truth_from(self, start: int) -> float:
        """Return what is true of the slices from `start` on."""
        return self.truth + self.trend * start / len(self.totals) / 2


class System(Protocol):
    """What campaigns measure; `truth` is None if it is the mean of the truths of its runs."""

    truth: float | None

    def runs(self, rng: np.random.Generator, goal: float) -> Iterator[Run]:
        """Yield run after run of a campaign, of a length that suits the goal."""


def _noise(rng: np.random.Generator, goal: float, correlation: float, share: float) -> FloatArray:
    """Return deviations of AR(1) slices, whose mean has a standard error of `share` goals."""
    slices = 400
    series = lfilter([1], [1, -correlation], rng.normal(size=slices + SETTLING))[SETTLING:]
    return series * (1 - correlation) * np.sqrt(slices) * share * goal


@dataclass(frozen=True, kw_only=True)
class Autoregressive:
    """AR(1) within runs; runs may also differ by a normal deviation of `between` goals."""

    correlation: float
    share: float = 0.6
    between: float = 0.0
    truth: float | None = 1.0

    def runs(self, rng: np.random.Generator, goal: float) -> Iterator[Run]:
        while True:
            level = 1 + rng.normal(0, self.between * goal) if self.between else 1.0
            totals = level + _noise(rng, goal, self.correlation, self.share)
            yield Run(totals=totals, weights=np.ones_like(totals), truth=level)


@dataclass(frozen=True, kw_only=True)
class Drift:
    """A drift of `within` goals over each run, and of `between` goals from run to run."""

    within: float = 0.0
    between: float = 0.0
    truth: float | None = None

    def runs(self, rng: np.random.Generator, goal: float) -> Iterator[Run]:
        level = 1.0
        while True:
            noise = _noise(rng, goal, 0.5, 0.4)
            trend = self.within * goal
            totals = level + np.linspace(-0.5, 0.5, len(noise)) * trend + noise
            yield Run(totals=totals, weights=np.ones_like(totals), truth=level, trend=trend)
            level += self.between * goal


@dataclass(frozen=True, kw_only=True)
class RegimesBetween:
    """Each run is in one of two regimes, `gap` apart, with equal chances."""

    gap: float
    truth: float | None = 1.0

    def runs(self, rng: np.random.Generator, goal: float) -> Iterator[Run]:
        while True:
            level = 1 + self.gap * (rng.integers(2) - 0.5)
            totals = level + _noise(rng, goal, 0.5, 0.3)
            yield Run(totals=totals, weights=np.ones_like(totals), truth=level)


@dataclass(frozen=True, kw_only=True)
class RegimesWithin:
    """A level that changes between 0.9 and 1.1, on average every `stay` slices."""

    stay: int
    truth: float | None = 1.0

    def runs(self, rng: np.random.Generator, goal: float) -> Iterator[Run]:
        slices = int(0.01 * self.stay / (0.6 * goal) ** 2)  # of a standard error of 0.6 goals
        while True:
            changes = np.cumsum(rng.random(slices) < 1 / self.stay) + rng.integers(2)
            totals = 0.9 + 0.2 * (changes % 2) + rng.normal(0, goal, slices)
            yield Run(totals=totals, weights=np.ones(slices), truth=1.0)


@dataclass(frozen=True, kw_only=True)
class SingleStation:
    """Response times of M/M/1 from an empty start; its truth is 1 / (1 - rho) (Jain 31.1)."""

    utilization: float = 0.9
    slices: int = 400

    @property
    def truth(self) -> float | None:
        return 1 / (1 - self.utilization)

    def runs(self, rng: np.random.Generator, goal: float) -> Iterator[Run]:
        requests = 100_000 if goal > 0.03 else 40_000
        while True:
            arrived, times = self.requests(rng, requests)
            at = np.minimum((arrived * self.slices / arrived[-1]).astype(int), self.slices - 1)
            yield Run(
                totals=np.bincount(at, weights=times, minlength=self.slices),
                weights=np.bincount(at, minlength=self.slices).astype(float),
                truth=1 / (1 - self.utilization),
            )

    def requests(self, rng: np.random.Generator, count: int) -> tuple[FloatArray, FloatArray]:
        """Return when requests arrive and their response times, in mean service times."""
        between = rng.exponential(1 / self.utilization, count)
        service = rng.exponential(1, count)
        steps = np.concatenate([[0.0], service[:-1] - between[1:]]).cumsum()
        times = steps - np.minimum.accumulate(steps) + service  # Lindley 1952
        return np.cumsum(between), times


@dataclass(frozen=True, kw_only=True)
class ClosedNetwork:
    """Clients that think and one station, all exponential: the machine repairman.

    Simulated as a chain of equal steps (uniformization), which has the same long run.
    """

    measure: str  # throughput or response_time
    clients: int = 20
    think_time: float = 15.0
    slices: int = 400

    @property
    def truth(self) -> float | None:
        return self._truth()

    def _truth(self) -> float:
        """From the birth and death process (Jain 1991, section 31.1)."""
        ratios = np.arange(self.clients, 0, -1) / self.think_time
        chances = np.concatenate([[1.0], np.cumprod(ratios)])
        chances /= chances.sum()
        throughput = 1 - chances[0]
        jobs = chances @ np.arange(self.clients + 1)
        return float(throughput if self.measure == "throughput" else jobs / throughput)

    def runs(self, rng: np.random.Generator, goal: float) -> Iterator[Run]:
        steps = 40 if goal > 0.03 else 240
        while True:
            yield from self._chunk(rng, steps, runs=4000)

    def _chunk(self, rng: np.random.Generator, steps: int, runs: int) -> Iterator[Run]:
        rate = self.clients / self.think_time + 1
        jobs = np.zeros(runs, dtype=int)  # from an empty start
        totals, done = np.zeros((self.slices, runs)), np.zeros((self.slices, runs))
        for at in range(self.slices):
            for draws in rng.random((steps, runs)) * rate:
                served = (draws < 1) & (jobs > 0)
                arrived = (draws >= 1) & (draws < 1 + (self.clients - jobs) / self.think_time)
                totals[at] += jobs
                done[at] += served
                jobs += arrived.astype(int) - served
        time = np.full(self.slices, steps / rate)
        for run in range(runs):
            if self.measure == "throughput":
                yield Run(totals=done[:, run], weights=time, truth=self._truth())
            else:
                yield Run(totals=totals[:, run] / rate, weights=done[:, run], truth=self._truth())
