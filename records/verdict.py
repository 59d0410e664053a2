"""The verdict on a run: what its checks found, the window they looked at, and whether it counts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from records.documents import Recorded, WholeSeconds, one_of

ACCEPTED, REJECTED = "accepted", "rejected"
PILOT = "pilot"  # accepted, but no repetition: it told how repetitions were to be measured
FAILED = "failed"  # it broke off and was not checked
REQUIRED, ADVISORY = "required", "advisory"
Status = Annotated[str, one_of(ACCEPTED, PILOT, REJECTED, FAILED)]


class Check(Recorded):
    """One check and its outcome; an advisory one is recorded but does not reject a run."""

    name: str
    passed: bool
    detail: str = ""
    severity: str = REQUIRED


class Window(Recorded):
    """The stable window in epoch seconds, end exclusive, and the phases around it."""

    start_epoch_s: int
    stable_s: WholeSeconds
    end_epoch_s: int = 0
    warm_up_s: int = 0
    cool_down_s: int = 0


class Verdict(Recorded):
    """What is known of a run after its checks.

    Attributes
    ----------
    window, results : None and nothing where no generator ran; `results` are in undilated time.
    """

    status: Status
    checks: list[Check] = Field(default_factory=list)
    window: Window | None = None
    results: dict[str, float] = Field(default_factory=dict)

    @property
    def stable(self) -> Window:
        """The stable window of a run under load.

        Raises
        ------
        ValueError
            No generator ran.
        """
        if self.window is None:
            raise ValueError("no generator ran: there is no stable window")
        return self.window

    def failed_checks(self, severity: str = REQUIRED) -> list[str]:
        """Return name and detail of the checks of a severity that were not passed."""
        return [
            f"{check.name}: {check.detail}"
            for check in self.checks
            if not check.passed and check.severity == severity
        ]
