"""How long a run lasts: seconds of the system under test, and of the clock that measures it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from records import manifest_entries

_ROUNDING_S = 1e-9


@dataclass(frozen=True, kw_only=True)
class Lengths:
    """The phases of a run, in whole seconds of the clock."""

    stable_s: int
    warm_up_s: int = 0
    cool_down_s: int = 0

    @property
    def total_s(self) -> int:
        """Length of the run."""
        return self.warm_up_s + self.stable_s + self.cool_down_s

    @property
    def recorded(self) -> manifest_entries.Durations:
        """The phases as a manifest records them."""
        return manifest_entries.Durations(
            warm_up_s=self.warm_up_s, stable_s=self.stable_s, cool_down_s=self.cool_down_s
        )


@dataclass(frozen=True, kw_only=True)
class Durations:
    """The phases of a run in seconds of the system, undilated, and how often it is repeated.

    `heat_s` are seconds of the clock with which the warm-up begins, undilated.
    """

    repetitions: int
    stable_s: float
    warm_up_s: float = 0
    cool_down_s: float = 0
    heat_s: int = 0

    def of_clock(self, time_dilation: float) -> Lengths:
        """Return how long the phases take on the clock, rounded up to whole seconds."""
        return Lengths(
            stable_s=whole_seconds(self.stable_s * time_dilation),
            warm_up_s=self.heat_s + whole_seconds(self.warm_up_s * time_dilation),
            cool_down_s=whole_seconds(self.cool_down_s * time_dilation),
        )


def whole_seconds(seconds: float) -> int:
    """Round up to whole seconds."""
    return math.ceil(seconds - _ROUNDING_S)
