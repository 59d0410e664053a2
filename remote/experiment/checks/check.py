"""The outcome of one check of a run, for its record."""

from __future__ import annotations

from records.text.visible import visible
from records.verdict import REQUIRED, Check

NOT_THE_LIMIT = "_not_the_limit"
"""End of the names of the checks that a machine had CPU time left."""


def outcome(*, name: str, passed: object, detail: str, severity: str = REQUIRED) -> Check:
    """Return an outcome; its detail may quote what a host wrote, and is kept as it is shown."""
    return Check(name=name, passed=bool(passed), detail=visible(detail), severity=severity)
