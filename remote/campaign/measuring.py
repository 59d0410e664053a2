"""Measuring the runs of a section one after the other, with a clear end whatever breaks.

A run that its checks reject, or that breaks off while all hosts answer, is attempted again up to a
limit and then given up: the others go on. A host that is gone or full ends the measuring at once,
and so do too many failures one after the other, for then it is not the run that is broken.
"""

from __future__ import annotations

import shlex
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from remote.campaign.states import MAX_ATTEMPTS, counted_attempts, marked_running, reason_of
from remote.errors import (
    ClockOffset,
    GroupError,
    HostKeyRejected,
    MissingTool,
    PortInUse,
    RemoteError,
)
from remote.experiment.checks import ACCEPTED, PILOT
from remote.experiment.manifest import read_manifest, utc
from remote.experiment.run import Collected, Run, store
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.inventory import Host
from remote.hosts.jobs import PROBE_BYTES, clear_jobs
from remote.phases import Phases

MAX_FAILURES_IN_A_ROW = 5
PROBE_TIMEOUT_S = 10.0
PERMANENT = (PortInUse, MissingTool, HostKeyRejected, ClockOffset)


class Session(Protocol):
    """What a kind of section needs up while its runs are measured."""

    def measure(self, run: Run, collected: Collected) -> None:
        """Perform `run` and fill `collected`."""


class Attempts:
    """Measures runs until each is accepted or given up.

    Parameters
    ----------
    fleet, hosts : where the runs are measured.
    identity : returns the entries that all manifests have in common.
    phases : the clock of the campaign.
    afresh : forget the attempts that were made before.
    on_settled : called with each run that is done or given up, and in the latter case the reason.

    Attributes
    ----------
    given_up : labels of the runs that were given up.
    """

    def __init__(
        self,
        fleet: Fleet,
        hosts: Sequence[Host],
        identity: Callable[[], Mapping[str, object]],
        phases: Phases,
        on_settled: Callable[[Run, str], None],
        *,
        afresh: bool = False,
    ) -> None:
        self.fleet = fleet
        self.hosts = hosts
        self.identity = identity
        self.phases = phases
        self._on_settled = on_settled
        self._afresh = afresh
        self._failures_in_a_row = 0
        self._made: dict[str, int] = {}
        self.given_up: set[str] = set()
        self._gone: dict[str, RemoteError] | None = None

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
            A host is gone or full, or everything fails; what is done stays done.
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
                self._recover(exc)
                queue.extend(() if queue else next_runs())

    def _settle(self, session: Session, queue: deque[Run]) -> None:
        """Make one attempt at the first run; take it out when it is done or given up."""
        run = queue[0]
        made = self._made[run.label] = self._attempts_so_far(run) + 1
        try:
            reason = self._attempt(session, run)
        except RemoteError as exc:
            if made >= MAX_ATTEMPTS:
                self._give_up(queue, str(exc))
            raise
        self._failures_in_a_row = 0
        if not reason:
            self._made[run.label] = 0  # it may have been a pilot of what is measured next
            self._on_settled(queue.popleft(), "")
        elif made >= MAX_ATTEMPTS:
            self._give_up(queue, reason)

    def _give_up(self, queue: deque[Run], reason: str) -> None:
        run = queue.popleft()
        self.given_up.add(run.label)
        self._on_settled(run, reason)

    def _attempt(self, session: Session, run: Run) -> str:
        def gone() -> list[str]:
            self._gone = unfit_hosts(self.fleet, self.hosts)
            return sorted(self._gone)

        return measure_once(session, run, self.identity(), phases=self.phases, gone=gone)

    def _attempts_so_far(self, run: Run) -> int:
        if run.label in self._made:
            return self._made[run.label]
        return 0 if self._afresh else len(counted_attempts(run))

    def _recover(self, error: RemoteError) -> None:
        """Clear what the failure left behind; give up if a host is unfit or nothing works."""
        self._failures_in_a_row += 1
        gone = unfit_hosts(self.fleet, self.hosts) if self._gone is None else self._gone
        self._gone = None
        if gone:
            raise next(iter(gone.values())) from error
        if self._failures_in_a_row >= MAX_FAILURES_IN_A_ROW:
            raise error
        self.fleet.for_each(self.hosts, clear_jobs)


def measure_once(
    session: Session,
    run: Run,
    identity: Mapping[str, object],
    *,
    phases: Phases | None = None,
    gone: Callable[[], Sequence[str]] = tuple,
) -> str:
    """Make one attempt at `run` and keep it; return why it is rejected, or nothing.

    Raises
    ------
    RemoteError
        It broke off; `gone` was asked which hosts are unfit for another attempt.
    """
    collected = Collected(manifest={"started_at": utc(time.time())}, phases=phases or Phases())
    with marked_running(run):
        try:
            session.measure(run, collected)
        except RemoteError as exc:
            store(run, collected, identity, error=str(exc), unreachable=gone())
            raise
        folder = store(run, collected, identity)
    manifest = read_manifest(folder)
    return reason_of(manifest) if manifest["status"] not in (ACCEPTED, PILOT) else ""


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
