"""An arrival rate that was tried, and what its repetitions say of the limit."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from scipy.special import stdtrit

KEPT_UP = 0.97  # of the rate; what is answered at a smaller share does not keep up
FAR = 1.5  # times the limit, or a part of it: no spread between repetitions reaches over that
SIGMAS = 2.0  # of what is known from within a run


class Verdict(Enum):
    """Whether the limit holds at a rate."""

    PASSES = "passes"
    FAILS = "fails"
    OPEN = "open"  # more repetitions can tell
    UNDECIDED = "undecided"  # all repetitions that may be made leave it open


@dataclass(frozen=True, kw_only=True)
class Probe:
    """What was measured at one arrival rate, an entry for each repetition, in undilated time.

    Parameters
    ----------
    values_ms, errors_ms : what is limited, and its standard error within the run; nan or 0 where
        it is not known.
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

    def first(self, count: int) -> Probe:
        """Return it as it was after its first repetitions."""
        return Probe(
            rate_per_s=self.rate_per_s,
            values_ms=self.values_ms[:count],
            errors_ms=self.errors_ms[:count],
            throughputs_per_s=self.throughputs_per_s[:count],
            throughput_errors=self.throughput_errors[:count],
            next_repetition=self.next_repetition,
            given_up=self.given_up,
        )

    @property
    def count(self) -> int:
        """Number of repetitions."""
        return len(self.values_ms)

    @property
    def mean_ms(self) -> float:
        """Mean of what is limited."""
        return float(np.mean(self.values_ms))

    @property
    def half_width_ms(self) -> float:
        """Half width of its 95 % interval; infinite with a single repetition."""
        return half_width(self.values_ms, self.errors_ms)

    def keeps_up(self) -> bool:
        """Tell whether all that arrives may be answered: nothing shows that it is not."""
        within = np.mean(np.nan_to_num(self.throughput_errors) ** 2) / self.count
        between = np.var(self.throughputs_per_s, ddof=1) / self.count if self.count > 1 else 0.0
        highest = np.mean(self.throughputs_per_s) + SIGMAS * math.sqrt(max(within, between))
        return bool(highest >= KEPT_UP * self.rate_per_s)

    def verdict(self, limit_ms: float, repetitions: tuple[int, int]) -> Verdict:
        """Judge by the 95 % interval, which must lie on one side of the limit.

        A rate at which the system does not keep up fails, whatever the response times are: they
        grow for as long as it is watched. Fewer repetitions than the fewest only judge what is far
        from the limit.

        Parameters
        ----------
        repetitions : the fewest and the most.
        """
        fewest, most = repetitions
        if self.count and not self.keeps_up():
            return Verdict.FAILS
        low_ms, high_ms = self._interval_ms() if self.count >= fewest else self._far_interval_ms()
        if high_ms < limit_ms:
            return Verdict.PASSES
        if low_ms > limit_ms:
            return Verdict.FAILS
        return Verdict.UNDECIDED if self.given_up or self.count >= most else Verdict.OPEN

    def is_confirmed(self, limit_ms: float, repetitions: tuple[int, int]) -> bool:
        """Tell whether it was judged by its interval, and alike when it was measured again."""
        before = self.first(self.count - 1)
        return before.count >= repetitions[0] and before.verdict(
            limit_ms, repetitions
        ) == self.verdict(limit_ms, repetitions)

    def _interval_ms(self) -> tuple[float, float]:
        return self.mean_ms - self.half_width_ms, self.mean_ms + self.half_width_ms

    def _far_interval_ms(self) -> tuple[float, float]:
        """Return what holds the truth although the spread between repetitions is not known."""
        if not self.count:
            return -math.inf, math.inf
        errors = SIGMAS * np.nan_to_num(self.errors_ms)
        lowest = float(np.min(np.subtract(self.values_ms, errors)))
        highest = float(np.max(np.add(self.values_ms, errors)))
        return lowest / FAR, highest * FAR


def half_width(means: Sequence[float], errors: Sequence[float]) -> float:
    """Return the half width of the 95 % interval of the mean of repetitions."""
    count = len(means)
    if count < 2:
        return math.inf
    within = np.mean(np.nan_to_num(errors) ** 2) / count
    variance = max(np.var(means, ddof=1) / count, within)
    return float(stdtrit(count - 1, 0.975) * math.sqrt(variance))
