"""Checks that two stations counted the same requests, and what such a check recorded."""

from __future__ import annotations

import re

from records.verdict import Check
from remote.experiment.checks.check import outcome

TOLERANCE = 0.001
_COUNTED = re.compile(r"generators counted (\d+), (-?\d+) counted here, \d+ may differ")
_SUFFIX = "_counts"


def agree(name: str, sent: float, counted: float, under_way: int) -> Check:
    """Compare what generators counted with what was counted elsewhere."""
    allowed = under_way + TOLERANCE * sent
    return outcome(
        name=f"{name}{_SUFFIX}",
        passed=abs(sent - counted) <= allowed,
        detail=f"generators counted {sent:.0f}, {counted:.0f} counted here, "
        f"{allowed:.0f} may differ",
    )


def recorded_counts(check: Check) -> tuple[str, str, tuple[int, int]] | None:
    """Return what `agree` recorded: the station, what was counted, the two counts.

    None if the check compares no counts.
    """
    counted = _COUNTED.fullmatch(check.detail)
    if counted is None or not check.name.endswith(_SUFFIX):
        return None
    station, _, kind = check.name.removesuffix(_SUFFIX).rpartition("_")
    return station, kind, (int(counted[1]), int(counted[2]))
