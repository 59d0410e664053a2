"""The outcome of one check of a run, and of a run."""

from __future__ import annotations

from dataclasses import dataclass

from records.visible import visible

REQUIRED, ADVISORY = "required", "advisory"
REJECTED, FAILED = "rejected", "failed"  # failed: it broke off, no checks


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check and its outcome; an advisory one is recorded but does not reject a run.

    The detail may quote what a host wrote: it is kept as it is shown.
    """

    name: str
    passed: bool
    detail: str
    severity: str = REQUIRED

    def __post_init__(self) -> None:
        object.__setattr__(self, "detail", visible(self.detail))
