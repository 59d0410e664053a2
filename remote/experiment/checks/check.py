"""The outcome of one check of a run, and of a run."""

from __future__ import annotations

from dataclasses import dataclass

REQUIRED, ADVISORY = "required", "advisory"
REJECTED, FAILED = "rejected", "failed"  # failed: it broke off, no checks


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check and its outcome; an advisory one is recorded but does not reject a run."""

    name: str
    passed: bool
    detail: str
    severity: str = REQUIRED
