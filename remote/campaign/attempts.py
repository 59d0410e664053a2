"""Measuring the runs of a section one after the other, with a clear end whatever breaks.

A run that its checks reject, or that breaks off while all hosts answer, is attempted again up to a
limit and then given up: the others go on. A host that is silent is waited for, and the attempt does
not count. One that stays silent, or is full, ends the measuring, and so do too many failures one
after the other, or rejections for one reason, for then it is not the run that is broken.
"""

from __future__ import annotations

import shlex
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Protocol

from records.manifest import UnfinishedManifest
from records.verdict import ACCEPTED, PILOT
from remote.campaign.states import MAX_ATTEMPTS, counted_attempts, marked_running, reason_of
from remote.errors import (
    AlwaysRejected,
    ClockOffset,
    GroupError,
    HostKeyRejected,
    HostLeased,
    MissingTool,
    PortInUse,
    RemoteError,
)
from remote.experiment.manifest import read_manifest, utc
from remote.experiment.run import Run
from remote.experiment.storing import Collected, store
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.inventory import Host
from remote.hosts.jobs import PROBE_BYTES, clear_jobs
from remote.hosts.ssh.patience import gone_hosts, is_silence
from remote.phases import Phases

MAX_FAILURES_IN_A_ROW = 5
MAX_ALIKE_IN_A_ROW = 24
"""Attempts that come to nothing for one reason: eight runs, on a machine too weak for some."""
PROBE_TIMEOUT_S = 10.0
PERMANENT = (PortInUse, MissingTool, HostKeyRejected, ClockOffset, HostLeased, AlwaysRejected)


class Session(Protocol):
    """What a kind of section needs up while its runs are measured."""

    def measure(self, run: Run, collected: Collected) -> None:
        """Perform `run` and fill `collected`."""


_GONE = ("a host is gone",)


class _Alike:
    """Counts attempts in a row that came to nothing for the same reason."""

    def __init__(self) -> None:
        self._reason: Collection[str] = ()
        self._number = 0

    def add(self, run: Run | None, reason: Collection[str], detail: str) -> None:
        """Count one more; AlwaysRejected if these are too many."""
        self._number = self._number + 1 if reason == self._reason else 1
        self._reason = reason
        if self._number >= MAX_ALIKE_IN_A_ROW:
            raise AlwaysRejected(self._number, run.label if run else "the start", detail)


@dataclass
class Attempts:
    """Measures runs until each is accepted or given up.

    Parameters
    ----------
    fleet, hosts : where the runs are measured.
    new_manifest : returns a manifest with the entries that those of all runs have in common.
    phases : the clock of the campaign.
    on_settled : called with each run that is done or given up, and in the latter case the reason.
    afresh : forget the attempts that were made before.
    on_silence : called with why nothing is measured while a host is waited for.
    require_hosts : raises if the hosts are not ours any more.

    Attributes
    ----------
    given_up : labels of the runs that were given up.
    """

    fleet: Fleet
    hosts: Sequence[Host]
    new_manifest: Callable[[], UnfinishedManifest]
    phases: Phases
    on_settled: Callable[[Run, str], None]
    afresh: bool = False
    on_silence: Callable[[str], None] = lambda _: None
    require_hosts: Callable[[], None] = lambda: None
    given_up: set[str] = field(default_factory=set, init=False)
    _failures_in_a_row: int = field(default=0, init=False)
    _alike: _Alike = field(default_factory=_Alike, init=False)
    _forgotten: dict[str, int] = field(default_factory=dict, init=False)
    _unfit: dict[str, RemoteError] | None = field(default=None, init=False)

    def measure(
        self,
        next_runs: Callable[[], Iterable[Run]],
        open_session: Callable[[], AbstractContextManager[Session]],
        on_start: Callable[[Run], None],
    ) -> None:
        """Measure runs in their order, opening a new session after each failure.

        Parameters
        ----------
        next_runs : asked for more when all before are settled; none ends it.

        Raises
        ------
        RemoteError
            A host stays gone or is full, or everything fails; what is done stays done.
        """
        queue = deque(next_runs())
        while queue:
            try:
                with open_session() as session:
                    while queue:
                        on_start(queue[0])
                        self._settle(session, queue)
                        if not queue:
                            queue.extend(next_runs())
            except RemoteError as exc:
                if _is_permanent(exc):
                    raise
                self._recover(exc, queue[0] if queue else None)
                queue.extend(() if queue else next_runs())

    def _settle(self, session: Session, queue: deque[Run]) -> None:
        """Make one attempt at the first run; take it out when it is done or given up."""
        run = queue[0]
        if self.afresh:
            self._forgotten.setdefault(run.label, len(counted_attempts(run)))
        try:
            reason = self._attempt(session, run)
        except RemoteError as exc:
            if self._made(run) >= MAX_ATTEMPTS:
                self._give_up(queue, str(exc))
            raise
        self._failures_in_a_row = 0
        if not reason:
            self._alike = _Alike()
            self._forgotten[run.label] = 0  # it may have been a pilot of what is measured next
            self.on_settled(queue.popleft(), "")
            return
        if self._made(run) >= MAX_ATTEMPTS:
            self._give_up(queue, reason)
        rejected = run.attempts()[-1]
        names = tuple(check.partition(":")[0] for check in rejected.failed_checks())
        self._alike.add(run, _GONE if rejected.unreachable else names, reason)

    def _give_up(self, queue: deque[Run], reason: str) -> None:
        run = queue.popleft()
        self.given_up.add(run.label)
        self.on_settled(run, reason)

    def _attempt(self, session: Session, run: Run) -> str:
        losses = self.fleet.losses(self.hosts)

        def gone(error: RemoteError | None) -> set[str]:
            lost = {host for host, n in self.fleet.losses(self.hosts).items() if n != losses[host]}
            if error is None:
                return lost
            self._unfit = unfit_hosts(self.fleet, self.hosts)
            return lost | gone_hosts(error) | set(self._unfit)

        return measure_once(session, run, self.new_manifest(), phases=self.phases, gone=gone)

    def _made(self, run: Run) -> int:
        """Return how many attempts at a run count."""
        return len(counted_attempts(run)) - self._forgotten.get(run.label, 0)

    def _recover(self, error: RemoteError, run: Run | None) -> None:
        """Wait for hosts that are silent, and clear what the failure left behind.

        Raises RemoteError if a host stays silent or is unfit otherwise, or nothing works.
        """
        unfit = unfit_hosts(self.fleet, self.hosts) if self._unfit is None else self._unfit
        self._unfit = None
        for problem in unfit.values():
            if not is_silence(problem):
                raise problem from error
        if unfit or gone_hosts(error):
            self._alike.add(run, _GONE, str(error))
        else:
            self._failures_in_a_row += 1
            if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
                raise error

        def clear() -> None:
            self.require_hosts()
            self.fleet.for_each(self.hosts, clear_jobs)

        self.fleet.patiently(clear, on_silence=self.on_silence)


def measure_once(
    session: Session,
    run: Run,
    manifest: UnfinishedManifest,
    *,
    phases: Phases | None = None,
    gone: Callable[[RemoteError | None], Collection[str]] = lambda _: (),
) -> str:
    """Make one attempt at `run` and keep it; return why it is rejected, or nothing.

    Nothing is removed from the hosts before it is on the disk of this machine.

    Parameters
    ----------
    manifest : has the entries that those of all runs have in common.
    gone : returns the hosts that were gone meanwhile, or are unfit for another attempt, from the
        error with which the attempt broke off, if it did.
    """
    manifest.started_at = utc(time.time())
    collected = Collected(manifest=manifest, phases=phases or Phases())
    with marked_running(run):
        try:
            session.measure(run, collected)
        except RemoteError as exc:
            store(run, collected, error=str(exc), unreachable=gone(exc))
            raise
        folder = store(run, collected, unreachable=gone(None))
    with suppress(RemoteError):  # what is left there is cleared before anything else is measured
        collected.when_stored()
    stored = read_manifest(folder)
    return reason_of(stored) if stored.status not in (ACCEPTED, PILOT) else ""


def unfit_hosts(fleet: Fleet, hosts: Sequence[Host]) -> dict[str, RemoteError]:
    """Return the hosts that do not answer or have no disk space left, with the error that tells."""

    def probe(connection: Connection) -> RemoteError | None:
        folder = shlex.quote(connection.host.work_dir)
        write = f"head -c {PROBE_BYTES} /dev/zero > {folder}/probe"
        try:
            connection.run(
                f"mkdir -p {folder} && {write} && rm {folder}/probe", timeout_s=PROBE_TIMEOUT_S
            )
        except RemoteError as exc:
            return exc
        return None

    answers = fleet.for_each(hosts, probe)
    return {name: error for name, error in answers.items() if error is not None}


def _is_permanent(error: RemoteError) -> bool:
    """Tell whether another attempt would end the same way."""
    errors = error.results.values() if isinstance(error, GroupError) else [error]
    return any(isinstance(e, PERMANENT) for e in errors)
