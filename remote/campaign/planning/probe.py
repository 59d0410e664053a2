"""An arrival rate that was tried, and what its repetitions show about the limit."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from analysis.statistics.precision.stopping import standing

KEPT_UP = 0.97  # of the rate; where less is answered, the system does not keep up
FAR = 1.5  # times the limit, or a part of it: no spread between repetitions reaches over that
SIGMAS = 2.0  # of what is known from within a run


class Judgement(Enum):
    """Whether the limit holds at a rate."""

    PASSES = "passes"
    FAILS = "fails"
    OPEN = "open"  # more repetitions can tell
    UNDECIDED = "undecided"  # all repetitions that may be made leave it open


@dataclass(frozen=True, kw_only=True)
class Limit:
    """What is asked of a search.

    Parameters
    ----------
    limit_ms : what the limited result has to stay below.
    goal : by how much the rate that fails may exceed the one that passes, such as 0.05.
    repetitions : of a rate, the fewest and the most.
    """

    limit_ms: float
    goal: float
    repetitions: tuple[int, int]


@dataclass(frozen=True, kw_only=True)
class Probe:
    """What was measured at one arrival rate, an entry for each repetition, in undilated time.

    Parameters
    ----------
    values_ms, errors_ms : what is limited, and its standard error within the run; nan where that
        is not known.
    throughputs_per_s, throughput_errors : what was answered, and its standard error.
    next_repetition : the number of the one that would come next.
    given_up : attempts at a repetition were all refused; no more are made.
    """

    rate_per_s: float
    values_ms: tuple[float, ...]
    errors_ms: tuple[float, ...]
    throughputs_per_s: tuple[float, ...]
    throughput_errors: tuple[float, ...]
    next_repetition: int
    given_up: bool = False

    @property
    def count(self) -> int:
        """Number of repetitions."""
        return len(self.values_ms)

    @property
    def mean_ms(self) -> float:
        """Mean of what is limited."""
        return float(np.mean(self.values_ms))

    def keeps_up(self) -> bool:
        """Tell whether all that arrives may be answered: no interval shows that it is not."""
        within = np.mean(np.square(self.throughput_errors)) / self.count
        between = np.var(self.throughputs_per_s, ddof=1) / self.count if self.count > 1 else 0.0
        highest = np.mean(self.throughputs_per_s) + SIGMAS * math.sqrt(max(within, between))
        return bool(highest >= KEPT_UP * self.rate_per_s)

    def judged(self, limit: Limit) -> Judgement:
        """Judge by the 95 % interval, which must lie on one side of the limit.

        A rate at which the system does not keep up fails, whatever the response times are: they
        grow for as long as it is watched. Fewer repetitions than the fewest only judge what is far
        from the limit.
        """
        fewest, most = limit.repetitions
        if self.count and not self.keeps_up():
            return Judgement.FAILS
        low_ms, high_ms = self._interval_ms(limit) if self.count >= fewest else self._far_ms()
        if high_ms < limit.limit_ms:
            return Judgement.PASSES
        if low_ms > limit.limit_ms:
            return Judgement.FAILS
        return Judgement.UNDECIDED if self.given_up or self.count >= most else Judgement.OPEN

    def is_confirmed(self, limit: Limit) -> bool:
        """Tell whether it was judged by its interval, and alike when it was measured again."""
        before = replace(
            self,
            values_ms=self.values_ms[:-1],
            errors_ms=self.errors_ms[:-1],
            throughputs_per_s=self.throughputs_per_s[:-1],
            throughput_errors=self.throughput_errors[:-1],
        )
        enough = before.count >= limit.repetitions[0]
        return enough and before.judged(limit) == self.judged(limit)

    def _interval_ms(self, limit: Limit) -> tuple[float, float]:
        told = standing(self.values_ms, goal=limit.goal, repetitions=limit.repetitions)
        half_width = told.half_width if math.isfinite(told.half_width) else math.inf
        return told.mean - half_width, told.mean + half_width

    def _far_ms(self) -> tuple[float, float]:
        """Return what holds the truth although the spread between repetitions is not known."""
        if not self.count:
            return -math.inf, math.inf
        errors = SIGMAS * np.nan_to_num(self.errors_ms)
        lowest = float(np.min(np.subtract(self.values_ms, errors)))
        highest = float(np.max(np.add(self.values_ms, errors)))
        return lowest / FAR, highest * FAR
