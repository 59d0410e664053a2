"""The outcome of one check of a run, for its record."""

from __future__ import annotations

from records.text.visible import visible
from records.verdict import REQUIRED, Check


def outcome(*, name: str, passed: object, detail: str, severity: str = REQUIRED) -> Check:
    """Return an outcome; its detail may quote what a host wrote, and is kept as it is shown."""
    return Check(name=name, passed=bool(passed), detail=visible(detail), severity=severity)
