"""How precisely the results of a section shall be known, in place of how long it is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TEXTS: Mapping[str, str] = {"response_time": "response time"}


@dataclass(frozen=True, kw_only=True)
class Precision:
    """What each configuration of a section is measured for.

    Parameters
    ----------
    goals : name of `RESULTS` to the half width of its 95 % interval over its mean, such as 0.05.
    repetitions : the fewest and the most.
    budget_s : seconds of the clock that all runs of a configuration may take, pilots included.
    heat_s : seconds of the clock with which a run begins undilated, so that JVMs have compiled
        what they do before it is measured; part of its warm-up.
    """

    goals: Mapping[str, float]
    repetitions: tuple[int, int]
    budget_s: float
    heat_s: int = 0

    def text(self) -> str:
        """Return it in a few words: ``throughput ±5 %, p99 ±10 %``."""
        return ", ".join(
            f"{TEXTS.get(name, name)} ±{100 * goal:g} %" for name, goal in self.goals.items()
        )
