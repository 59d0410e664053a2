"""The state of every run of a campaign, as the campaign's folder tells it.

==========  ======================================================================================
todo        nothing stands there, or attempts that the next call makes more of
running     ``rep-<n>.running`` stands there and its controller lives; a mark of a dead one is void
done        ``rep-<n>`` stands there, accepted
rejected    the checks refused as many attempts as are made; ``rep-<n>.rejected-<k>`` tell why
failed      as rejected, but the last attempt broke off; ``rep-<n>.failed-<k>`` tell why
==========  ======================================================================================

An attempt in which a host was gone says nothing about the run and does not count. Pilots,
``rep-<n>.pilot-<k>``, are no attempts: they tell how the run is to be measured.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

from records.files.atomic import no_link, write_json
from records.files.locks import is_locked
from records.manifest import Manifest
from records.verdict import FAILED, PILOT, REJECTED
from remote.experiment.manifest import utc
from remote.experiment.run import Run
from remote.providers.sole_control import exclusive

LOCK = ".lock"
MAX_ATTEMPTS = 3


class State(StrEnum):
    """Where a run stands."""

    TODO = "todo"
    RUNNING = "running"
    DONE = "done"
    REJECTED = "rejected"
    FAILED = "failed"


@dataclass(frozen=True, kw_only=True)
class RunState:
    """A run, its state, and why its attempts that do not count do not.

    Parameters
    ----------
    reasons : status and reason of each attempt that was rejected or failed, in order.
    """

    run: Run
    state: State
    reasons: tuple[tuple[str, str], ...] = ()

    @property
    def is_given_up(self) -> bool:
        """Whether no more attempts are made unless asked for."""
        return self.state in (State.REJECTED, State.FAILED)

    @property
    def reason(self) -> str:
        """Why the last attempt does not count."""
        return self.reasons[-1][1] if self.reasons else ""


def state_of(run: Run, *, is_controlled: bool) -> RunState:
    """Return the state of `run`; `is_controlled` tells whether a controller of it lives."""
    attempts = run.attempts()
    failed = [one for one in attempts if one.status in (REJECTED, FAILED)]
    reasons = tuple((one.status, reason_of(one)) for one in failed)
    failures = counted(attempts)
    if run.is_done():
        state = State.DONE
    elif is_controlled and mark_of(run).exists():
        state = State.RUNNING
    elif len(failures) >= MAX_ATTEMPTS:
        state = State(failures[-1].status)
    else:
        state = State.TODO
    return RunState(run=run, state=state, reasons=reasons)


def counted_attempts(run: Run) -> list[Manifest]:
    """Return the manifests of the attempts that say something about `run`."""
    return counted(run.attempts())


def counted(manifests: Sequence[Manifest]) -> list[Manifest]:
    """Return the attempts since the last pilot that failed for a reason that lies in the run."""
    pilots = (one.attempt for one in manifests if one.status == PILOT)
    last_pilot = max(pilots, default=0)
    return [
        one
        for one in manifests
        if one.status in (REJECTED, FAILED) and not one.unreachable and one.attempt > last_pilot
    ]


@contextlib.contextmanager
def sole(campaign_dir: Path) -> Iterator[None]:
    """Keep all other processes out of a campaign, also those of other machines that share its disk.

    The lock ends with its process, which the file names meanwhile. ConfigError if another process
    measures the campaign.
    """
    lock = campaign_dir / LOCK
    _write(lock, "", mode="a")
    with exclusive(lock, "measures this campaign"):
        _write(lock, json.dumps(_this_process()) + "\n")
        try:
            yield
        finally:
            _write(lock, "")


def _write(lock: Path, text: str, mode: Literal["w", "a"] = "w") -> None:
    """Write a file in place, for this very file is locked."""
    with open(lock, mode, opener=no_link) as file:
        file.write(text)


def _this_process() -> dict[str, object]:
    return {"host": socket.gethostname(), "pid": os.getpid(), "since": utc(time.time())}


def is_controlled(campaign_dir: Path) -> bool:
    """Tell whether a living process measures the campaign in `campaign_dir`."""
    return is_locked(campaign_dir / LOCK)


def was_killed(campaign_dir: Path) -> bool:
    """Tell whether who measured the campaign last ended without having cleared its hosts."""
    lock = campaign_dir / LOCK
    return lock.exists() and bool(lock.read_text()) and not is_locked(lock)


def reason_of(manifest: Manifest) -> str:
    """Return why an attempt does not count: the error that broke it off, or the failed checks."""
    return manifest.error or "; ".join(manifest.failed_checks())


def mark_of(run: Run) -> Path:
    """Return the file that stands while `run` is measured."""
    return run.folder.with_name(f"{run.folder.name}.running")


@contextlib.contextmanager
def marked_running(run: Run) -> Iterator[None]:
    """Mark `run` as running; the mark names the process."""
    mark = mark_of(run)
    write_json(mark, _this_process())
    try:
        yield
    finally:
        mark.unlink(missing_ok=True)
