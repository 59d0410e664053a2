"""Where the time of a campaign goes: one phase after another, without gaps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from records.manifest import Manifest

PREPARING = "preparing"
MEASURING = "measuring"
PHASES = (PREPARING, "starting", MEASURING, "stopping", "fetching", "storing", "checking")
"""preparing: hosts, servers, filling them, and all that lies between two runs; measuring: the time
under load that the section asks for, warm-up and cool-down included."""


class Phases:
    """A clock that is always in one phase; `take` returns its totals run by run."""

    def __init__(self, clock: Callable[[], float] = time.time) -> None:
        self._clock = clock
        self._name = PREPARING
        self._since_s = clock()
        self._totals_s: dict[str, float] = {}

    def enter(self, name: str, *, at_epoch_s: float | None = None) -> None:
        """End the current phase and begin `name`, now or at a time that is already known."""
        now_s = self._clock() if at_epoch_s is None else at_epoch_s
        now_s = max(now_s, self._since_s)  # a run may end before it was to begin
        self._totals_s[self._name] = self._totals_s.get(self._name, 0.0) + now_s - self._since_s
        self._name, self._since_s = name, now_s

    def take(self) -> dict[str, float]:
        """Return the seconds of each phase since the last call, and begin the next preparing."""
        self.enter(PREPARING)
        taken = {name: round(self._totals_s.get(name, 0.0), 3) for name in PHASES}
        self._totals_s = {}
        return taken


def total_phases(manifests: Iterable[Manifest]) -> dict[str, float]:
    """Add up the phases of manifests; a manifest without phases counts as 0."""
    totals = dict.fromkeys(PHASES, 0.0)
    for manifest in manifests:
        for name, seconds in manifest.phases_s.items():
            totals[name] = totals.get(name, 0.0) + seconds
    return totals


def overhead(phases_s: Mapping[str, float]) -> float:
    """Return the share of the time, 0..1, that was not spent measuring."""
    total = sum(phases_s.values())
    return 1 - phases_s.get(MEASURING, 0.0) / total if total else 0.0
