"""When a cell has been repeated often enough, and how many repetitions it would take."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from analysis.statistics.intervals import CONFIDENCE
from analysis.statistics.precision.batches import LEAST_BATCHES
from analysis.statistics.spread import Usual

SPREAD_CONFIDENCE = 0.97  # of t: what stopping by luck costs is taken off; docs/precision.md
FACTOR_OF_TWO = 8.0  # in place of the t of two repetitions, where the goal is stated as half width
FACTOR_OF_OWN = 3.0  # of the own spread, where that of the section tells the rest
MOST_REPETITIONS = 10_000


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How well the repetitions of a cell tell its mean.

    Attributes
    ----------
    half_width : float
        Of the 95 % confidence interval, in the unit of the mean; NaN if it cannot be told.
    needed : int | None
        Repetitions that are estimated to be enough, those made included; None if the mean is known
        already or the number cannot be estimated.
    known : bool
        Whether the goal is reached.
    """

    repetitions: int
    mean: float
    half_width: float
    needed: int | None
    known: bool

    @property
    def relative(self) -> float:
        """The half width as a fraction of the mean; NaN without either."""
        return self.half_width / abs(self.mean) if self.mean else np.nan


def standing(
    means: Sequence[float],
    *,
    goal: float,
    repetitions: tuple[int, int],
    errors: Sequence[float] | None = None,
    usual: Usual | None = None,
) -> Standing:
    r"""Judge the repetitions of a cell: known, or how many it would take.

    The half width of n repetitions is the larger of what they differ by and of what is not known
    of each,

    .. math::

        h = \max\left(t_{n-1}\, \frac{s}{\sqrt n},\;
                      t_{\nu n}\, \sqrt{\tfrac1n \sum e_i^2} \Big/ \sqrt n\right)

    where s is the standard deviation of the means and :math:`e_i` their errors, each of
    :math:`\nu` degrees of freedom (as `batches` makes them). The first alone would stop at
    repetitions that agree by luck, the second alone does not know that runs differ. What is left
    of the luck is made up for by the confidence of the first t, 97 %.

    Two repetitions have one difference: t would be 21, and they are hardly ever enough. They are
    enough where their error within is, and where they differ by at most a fourth of the goal. So
    are any repetitions whose spread is usual for the section, if that with its many degrees of
    freedom makes the first half width small enough; with what they themselves differ by, three
    standard errors must be small enough, too, for a cell may be unlike the others. The half width
    told is then the goal itself, as in intervals of fixed width; of a cell that is not known it is
    the smaller one, of its own spread or of the shared.

    Parameters
    ----------
    means
        One finite number per repetition, shape (n,).
    goal
        Half width asked for, as a fraction of the mean.
    repetitions
        The fewest and the most that may be made.
    errors
        Standard error of each mean from within its run, shape (n,); None, or with a NaN among
        them, if not known: what repetitions differ by decides alone.
    usual
        What repetitions of the section's cells differ by; None if that is not known.

    Raises
    ------
    ValueError
        No means, some that are not finite, errors of another number, a goal not above 0, or bounds
        that are none.

    References
    ----------
    Chow & Robbins 1965, doi:10.1214/aoms/1177700156 (intervals of fixed width); Smyth 2004,
    doi:10.2202/1544-6115.1027 (shared spread); Glynn & Whitt
    1992, doi:10.1214/aoap/1177005777 (coverage of stopping rules); Jain 1991, section 25.5.
    """
    values, within = _checked(means, goal, repetitions, errors)
    count, mean = len(values), float(values.mean())
    wanted = goal * abs(mean)
    spread = float(values.std(ddof=1)) if count > 1 else np.nan
    seen = _Seen(mean=mean, spread=spread, within=within, usual=usual)
    half_width = seen.half_width(count)
    known = half_width <= wanted
    if count > 1 and not known:
        shared = seen.shared_half_width(count)
        known = min(shared, seen.half_width_of_two(count)) <= wanted
        half_width = wanted if known else min(half_width, shared)
    known = known and count >= repetitions[0]
    needed = None if known else seen.needed(count, wanted, repetitions[0])
    return Standing(repetitions=count, mean=mean, half_width=half_width, needed=needed, known=known)


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What repetitions differ by, and what is not known of one of them."""

    mean: float
    spread: float
    within: float
    usual: Usual | None

    def half_width(self, count: int) -> float:
        """Return that of the larger of both errors; NaN with one repetition."""
        if count < 2:
            return np.nan
        between = _quantile(count - 1, SPREAD_CONFIDENCE) * self.spread / np.sqrt(count)
        return float(max(between, self._half_width_within(count)))

    def half_width_of_two(self, count: int) -> float:
        """Return what holds two repetitions to a goal; infinite for other numbers."""
        if count != 2:
            return np.inf
        between = FACTOR_OF_TWO * self.spread / np.sqrt(2)
        return float(max(between, self._half_width_within(2)))

    def shared_half_width(self, count: int) -> float:
        """Return that of repetitions that differ as is usual, and no less than they do."""
        if self.usual is None or self.mean == 0:
            return np.inf
        variance, freedom = self.usual.shared((self.spread / self.mean) ** 2, count - 1)
        shared = _quantile(float(freedom), SPREAD_CONFIDENCE) * np.sqrt(variance) * abs(self.mean)
        between = max(shared, FACTOR_OF_OWN * self.spread) / np.sqrt(count)
        return float(max(between, self._half_width_within(count)))

    def needed(self, count: int, wanted: float, fewest: int) -> int | None:
        """Return what number is enough if repetitions to come differ as those that are there."""
        spread = float(np.fmax(self.spread, self.within))
        if not wanted > 0 or (count < 2 and spread == 0):
            return None
        like = replace(self, spread=spread)

        def is_enough(n: int) -> bool:
            return min(like.half_width(n), like.shared_half_width(n)) <= wanted

        numbers = range(max(count + 1, fewest), MOST_REPETITIONS + 1)
        at = bisect_left(numbers, True, key=is_enough)
        return numbers[at] if at < len(numbers) else None

    def _half_width_within(self, count: int) -> float:
        freedom = (LEAST_BATCHES - 1) * count
        return float(_quantile(freedom, CONFIDENCE) * self.within / np.sqrt(count))


def _checked(
    means: Sequence[float],
    goal: float,
    repetitions: tuple[int, int],
    errors: Sequence[float] | None,
) -> tuple[np.ndarray, float]:
    """Return the means and the pooled error of one of them, 0 if none is known."""
    values = np.asarray(means, dtype=float)
    if not len(values) or not np.isfinite(values).all():
        raise ValueError(f"finite means are needed, got {values.tolist()}")
    if not goal > 0:
        raise ValueError(f"the goal must be above 0, got {goal}")
    if not 1 <= repetitions[0] <= repetitions[1]:
        raise ValueError(f"the fewest and the most repetitions are needed, got {repetitions}")
    if errors is None:
        return values, 0.0
    known = np.asarray(errors, dtype=float)
    if known.shape != values.shape or (known < 0).any():
        raise ValueError(f"an error is needed for each of {len(values)} means, got {list(errors)}")
    return values, 0.0 if np.isnan(known).any() else float(np.sqrt(np.mean(known**2)))


def _quantile(freedom: float, confidence: float) -> float:
    return float(stdtrit(freedom, (1 + confidence) / 2))
