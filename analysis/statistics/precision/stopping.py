"""When a cell has been repeated often enough, and how many repetitions it would take."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics.estimates import mean_of
from analysis.statistics.student import t_quantile

MOST_REPETITIONS = 10_000


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How precisely the repetitions of a cell determine its mean.

    Attributes
    ----------
    half_width : float
        Half width of the 95 % confidence interval, in the unit of the mean; NaN with one
        repetition.
    needed : int | None
        Estimated number of repetitions that are enough, those made included; None if the goal is
        reached already or the number cannot be estimated.
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
        """Half width as a fraction of the mean; NaN without either."""
        return self.half_width / abs(self.mean) if self.mean else np.nan


def standing(means: Sequence[float], *, goal: float, repetitions: tuple[int, int]) -> Standing:
    """Judge the repetitions of a cell: precise enough, or how many it would take.

    The interval is the one that tables, figures and claims show
    (`analysis.statistics.student.t_quantile`), so that a cell whose goal is reached shows an
    interval as narrow as its goal.

    Parameters
    ----------
    means
        One finite number per repetition, shape (n,).
    goal
        Half width asked for, as a fraction of the mean.
    repetitions
        The fewest and the most that may be made.

    Raises
    ------
    ValueError
        No means, some that are not finite, a goal not above 0, or bounds that contradict each
        other.

    References
    ----------
    Chow & Robbins 1965, doi:10.1214/aoms/1177700156 (intervals of fixed width); Glynn & Whitt
    1992, doi:10.1214/aoap/1177005777 (coverage of stopping rules); Jain 1991, section 25.5.
    """
    values = np.asarray(means, dtype=float)
    if not len(values) or not np.isfinite(values).all():
        raise ValueError(f"finite means are needed, got {values.tolist()}")
    if not goal > 0:
        raise ValueError(f"the goal must be above 0, got {goal}")
    if not 1 <= repetitions[0] <= repetitions[1]:
        raise ValueError(f"the fewest and the most repetitions are needed, got {repetitions}")
    count, estimate = len(values), mean_of(list(map(float, values)))
    half_width = estimate.value - estimate.interval()[0]
    wanted = goal * abs(estimate.value)
    known = half_width <= wanted and count >= repetitions[0]
    needed = None if known else _needed(values, wanted, max(count + 1, repetitions[0]))
    return Standing(
        repetitions=count,
        mean=estimate.value,
        half_width=half_width,
        needed=needed,
        known=bool(known),
    )


def _needed(values: np.ndarray, wanted: float, fewest: int) -> int | None:
    """Return how many repetitions are enough if those to come differ as those that are there."""
    if len(values) < 2 or not wanted > 0:
        return None
    spread = float(values.std(ddof=1))

    def is_enough(count: int) -> bool:
        return bool(t_quantile(count - 1) * spread / np.sqrt(count) <= wanted)

    numbers = range(max(fewest, 2), MOST_REPETITIONS + 1)
    at = bisect_left(numbers, True, key=is_enough)
    return numbers[at] if at < len(numbers) else None
