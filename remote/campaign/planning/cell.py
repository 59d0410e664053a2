"""A configuration and all that has been measured of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from remote.experiment.lengths import Lengths
from remote.experiment.section import Config


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A run that was measured well.

    Parameters
    ----------
    counts : whether it is a repetition; a pilot only tells how repetitions are to be measured.
    is_trial : of a pilot: it was made to choose the time dilation.
    results : ``manifest.results``, in undilated time; standard errors are named ``..._error``.
    machine_is_limit : a machine had no CPU left, or other machines took it.
    """

    repetition: int
    counts: bool
    is_trial: bool = False
    time_dilation: float
    lengths: Lengths
    results: Mapping[str, float]
    machine_share: float | None = None
    machine_is_limit: bool = False


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A configuration, its runs so far, and the repetitions that were given up.

    Parameters
    ----------
    least_response_time_s : what theory says before anything is measured, undilated.
    """

    config: Config
    measured: tuple[Measured, ...] = ()
    given_up: frozenset[int] = frozenset()
    least_response_time_s: float = 0.0

    @property
    def repetitions(self) -> list[Measured]:
        """The runs that count, in their order."""
        counted = (one for one in self.measured if one.counts)
        return sorted(counted, key=lambda one: one.repetition)

    @property
    def trials(self) -> list[Measured]:
        """The runs that were made to choose the time dilation, the smallest k first."""
        made = (one for one in self.measured if one.is_trial)
        return sorted(made, key=lambda one: one.time_dilation)

    @property
    def tells_length(self) -> bool:
        """Whether it is known about how long its runs last."""
        return bool(self.measured or self.least_response_time_s)

    def pilots(self, repetition: int) -> int:
        """Return how many pilots of a repetition were made, without trials."""
        return sum(
            one.repetition == repetition and not one.counts and not one.is_trial
            for one in self.measured
        )

    @property
    def spent_s(self) -> int:
        """Seconds of the clock that all its runs took."""
        return sum(one.lengths.total_s for one in self.measured)

    @property
    def next_repetition(self) -> int:
        """The smallest number that neither counts nor was given up."""
        taken = self.given_up | {one.repetition for one in self.measured if one.counts}
        return next(n for n in range(1, len(taken) + 2) if n not in taken)
