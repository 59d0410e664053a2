"""Programs that run on a host beyond one command: started, watched, ended, never forgotten.

A job named ``memtier-0`` in folder ``run`` leaves these files on the host: ``memtier-0.out`` and
``memtier-0.err`` (its streams), ``memtier-0.pid`` (the process to signal), ``memtier-0.sid`` (its
session and process group) and, when it has ended, ``memtier-0.exit`` (its exit status). Each job
has a hard time limit kept by `timeout` on the host, so that it ends even if the control host dies.
"""

from __future__ import annotations

import contextlib
import re
import shlex
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from remote.connection import Connection, Result
from remote.errors import CommandFailed, CommandTimeout, PortInUse, RemoteError
from remote.group import Fleet, in_parallel
from remote.inventory import Host

KILL_AFTER_S = 10
KILLED = 137  # the exit status that a shell gives to a program ended by SIGKILL
SSH_MARGIN_S = 10.0
POLL_S = 0.1
PROBE_BYTES = 65536
STDERR_TAIL_BYTES = 2000
_SPACE = "   "  # overwritten by the exit status, which so can be told on a full disk, too
LOOPBACK_PREFIX = "127."
JOB_MARK = "MWLAB_JOB"  # environment variable by which our own processes are known


@dataclass(frozen=True, kw_only=True)
class JobOutcome:
    """How a job ended; times are of the control host."""

    host: str
    name: str
    command: str
    exit_status: int
    started_at_s: float
    seconds: float

    def to_dict(self) -> dict[str, object]:
        """Return the fields as the manifest stores them."""
        return dict(vars(self))


def start_script(folder: str, name: str, command: str, limit_s: float) -> str:
    """Return the shell script that starts `command` as job `name` in `folder` (pure)."""
    quoted = {k: shlex.quote(f"{name}.{k}") for k in ("pid", "sid", "out", "err", "exit")}
    inner = (
        f"echo $$ > {quoted['pid']}; "
        f"exec timeout --foreground --kill-after={KILL_AFTER_S} {limit_s:.0f} {command}"
    )
    part = shlex.quote(f"{name}.exit.part")  # has its disk space from the start: see _SPACE
    outer = (
        f"echo $$ > {quoted['sid']}; "
        f"sh -c {shlex.quote(inner)} > {quoted['out']} 2> {quoted['err']} < /dev/null; "
        f"echo $? 1<> {part}; mv {part} {quoted['exit']}"
    )
    mark = f"{JOB_MARK}={shlex.quote(f'{folder}/{name}')}"
    return (
        f"mkdir -p {shlex.quote(folder)} && cd {shlex.quote(folder)} "
        f"&& head -c {PROBE_BYTES} /dev/zero > {quoted['out']} "  # a full disk shows here
        f"&& echo '{_SPACE}' > {part} && rm -f {quoted['exit']} {quoted['pid']} {quoted['sid']} "
        f"&& {mark} setsid -f sh -c {shlex.quote(outer)} < /dev/null > /dev/null 2>&1 "
        f"&& until [ -s {quoted['pid']} ] || [ -f {quoted['exit']} ]; do sleep 0.01; done"
    )


class JobKilled(RemoteError):
    """A job was to be started after it, or its whole run, had been ended."""


class Job:
    """A program that is to run on one host, in a folder of its own or shared with other jobs."""

    def __init__(self, connection: Connection, folder: str, name: str, command: str) -> None:
        self.connection = connection
        self.folder = folder
        self.name = name
        self.command = command
        self.started_at_s = time.time()
        self._launching = threading.Lock()
        self._killed = False

    def launch(self, *, limit_s: float) -> None:
        """Start the program; the host ends it after `limit_s` seconds.

        Raises
        ------
        CommandFailed
            It could not be started, for instance because the disk is full.
        JobKilled
            `kill` was called before.
        """
        with self._launching:
            if self._killed:
                raise JobKilled(f"{self.connection.host.name}: {self.name} is not started any more")
            self.started_at_s = time.time()
            self._run(start_script(self.folder, self.name, self.command, limit_s), check=True)

    def wait_for_line(self, prefix: str, *, timeout_s: float) -> None:
        """Wait until the job prints a line that starts with `prefix` on its standard output.

        Raises
        ------
        CommandFailed, CommandTimeout
            The job ended, or did not say so for `timeout_s` seconds.
        """
        self._await_ready(f"grep -q ^{shlex.quote(prefix)} {self._path('out')}", timeout_s)

    def wait_for_port(self, port: int, *, timeout_s: float) -> None:
        """Wait until something listens on `port` of the host; raises as `wait_for_line`."""
        listening = f"ss -Hltn '{_listening_on(self.connection.host, port)}' | grep -q ."
        self._await_ready(listening, timeout_s)

    def wait(self, *, timeout_s: float) -> JobOutcome:
        """Wait for the end of the job and return how it ended, whatever its exit status.

        Raises
        ------
        CommandTimeout
            It runs on after `timeout_s` seconds.
        """
        return self._await_end(timeout_s=timeout_s)

    def stop(self, signal: str = "TERM", *, grace_s: float = KILL_AFTER_S) -> JobOutcome:
        """Send `signal`, wait for the end, and kill the whole process group if it does not come."""
        send = f"kill -{signal} $(cat {self._path('pid')}) 2>/dev/null; "
        try:
            return self._await_end(send, timeout_s=grace_s)
        except CommandTimeout:
            self.kill()
            return self._await_end(timeout_s=grace_s)

    def kill(self) -> None:
        """End every process of the job at once, or keep it from being started."""
        part, end = self._path("exit.part"), self._path("exit")
        with self._launching:
            self._killed = True
            self._run(
                f"p=-$(cat {self._path('sid')}); kill -KILL $p 2>/dev/null; i=0; "
                # what it listened on is free only when it has ended
                "while kill -0 $p 2>/dev/null && [ $i -lt 50 ]; "
                "do sleep 0.02; i=$((i+1)); done; "
                f"[ -f {end} ] || {{ echo {KILLED} 1<> {part}; mv {part} {end}; }}"
            )

    def has_ended(self) -> bool:
        """Tell whether the job's exit status is there."""
        return self._run(f"test -f {self._path('exit')}").exit_status == 0

    def failure(self) -> CommandFailed | CommandTimeout:
        """Return the error that tells why the job ended, with the end of its standard error."""
        if not self.has_ended():
            return self._timeout(time.time() - self.started_at_s)
        tail = self._run(f"grep -v '^.RUN #' {self._path('err')} | tail -c {STDERR_TAIL_BYTES}")
        status = _exit_status(self._run(f"cat {self._path('exit')}").stdout)
        return CommandFailed(self.connection.host.name, self.command, status, tail.stdout)

    def _await_ready(self, test: str, timeout_s: float) -> None:
        """Repeat the shell command `test` on the host until it succeeds."""
        script = (
            f"i=0; until {test}; do [ -f {self._path('exit')} ] && exit 4; i=$((i+1)); "
            f"[ $i -gt {timeout_s / POLL_S:.0f} ] && exit 4; sleep {POLL_S}; done"
        )
        if self._run(script, timeout_s=timeout_s).exit_status != 0:
            raise self.failure()

    def _await_end(self, prelude: str = "", *, timeout_s: float) -> JobOutcome:
        """Run the shell command `prelude` on the host and wait there for the exit status."""
        script = (
            f"{prelude}i=0; until [ -f {self._path('exit')} ]; do i=$((i+1)); "
            f"[ $i -gt {timeout_s / POLL_S:.0f} ] && exit 4; sleep {POLL_S}; done; "
            f"cat {self._path('exit')}"
        )
        result = self._run(script, timeout_s=timeout_s)
        if result.exit_status != 0:
            raise self._timeout(timeout_s)
        return JobOutcome(
            host=self.connection.host.name,
            name=self.name,
            command=self.command,
            exit_status=_exit_status(result.stdout),
            started_at_s=self.started_at_s,
            seconds=time.time() - self.started_at_s,
        )

    def _run(self, script: str, *, timeout_s: float = 30.0, check: bool = False) -> Result:
        """Run a shell script about the job; errors show the job's command instead of the script."""
        return self.connection.run(
            script, timeout_s=timeout_s + SSH_MARGIN_S, check=check, shown=self.command
        )

    def _timeout(self, seconds: float) -> CommandTimeout:
        return CommandTimeout(self.connection.host.name, self.command, seconds)

    def _path(self, suffix: str) -> str:
        return shlex.quote(f"{self.folder}/{self.name}.{suffix}")


def _exit_status(text: str) -> int:
    return int(text.split()[0])


class RunningJobs:
    """The jobs of one run, in folder `name` on every host; whatever happens, none outlives it.

    Attributes
    ----------
    outcomes : how each ended job ended.
    """

    def __init__(self, fleet: Fleet, name: str) -> None:
        self.fleet = fleet
        self.name = name
        self.outcomes: list[JobOutcome] = []
        self._running: list[Job] = []
        self._ended = False
        self._lock = threading.Lock()

    def __enter__(self) -> RunningJobs:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill_all()

    def start(self, host: Host, name: str, command: str, *, limit_s: float) -> Job:
        """Start one job on `host`; see `Job.launch`.

        A job is known before it is started, so that `kill_all` misses none that another thread is
        starting.

        Raises
        ------
        JobKilled
            `kill_all` was called: nothing may be started any more.
        """
        job = Job(self.fleet[host], job_folder(host, self.name), name, command)
        with self._lock:
            if self._ended:
                raise JobKilled(f"{host.name}: {name} is not started: its run was ended")
            self._running.append(job)
        job.launch(limit_s=limit_s)
        return job

    @property
    def running(self) -> list[Job]:
        """The jobs that were started and whose end nobody has awaited yet."""
        with self._lock:
            return list(self._running)

    def wait(self, jobs: Sequence[Job], *, timeout_s: float) -> list[Job]:
        """Wait for the end of all `jobs` at the same time; return those that still run."""

        def wait(job: Job) -> Job | None:
            try:
                self._record(job, job.wait(timeout_s=timeout_s))
            except CommandTimeout:
                return job
            return None

        late = in_parallel({str(i): partial(wait, job) for i, job in enumerate(jobs)})
        return [job for job in late.values() if job is not None]

    def stop(self, jobs: Sequence[Job], signal: str = "TERM") -> None:
        """Stop all `jobs` at the same time."""

        def stop(job: Job) -> None:
            self._record(job, job.stop(signal))

        in_parallel({str(i): partial(stop, job) for i, job in enumerate(jobs)})

    def kill_all(self) -> None:
        """Kill what still runs; hosts that cannot be reached keep to the jobs' time limits."""
        with self._lock:
            self._ended = True
            running = list(self._running)
        with contextlib.suppress(RemoteError):
            in_parallel({str(i): job.kill for i, job in enumerate(running)})
        with self._lock:
            self._running = [job for job in self._running if job not in running]

    def _record(self, job: Job, outcome: JobOutcome) -> None:
        with self._lock:
            self.outcomes.append(outcome)
            self._running.remove(job)


def job_folder(host: Host, name: str) -> str:
    """Return the path of the job folder `name` on `host`."""
    return f"{host.work_dir}/jobs/{name}"


def remove_job_folder(connection: Connection, name: str) -> None:
    """Remove the job folder `name` from the host."""
    connection.run(f"rm -rf {shlex.quote(job_folder(connection.host, name))}")


def clear_jobs(connection: Connection) -> list[str]:
    """End jobs that an earlier control process left running, remove all job folders.

    Only processes that carry this project's mark in their environment are ended.

    Returns
    -------
    The names of the jobs that were still running.
    """
    folder = shlex.quote(f"{connection.host.work_dir}/jobs")
    script = (
        f"for f in $(find {folder} -name '*.sid' 2>/dev/null); do "
        '[ -f "${f%.sid}.exit" ] && continue; p=$(cat "$f"); '
        f'grep -qsz "^{JOB_MARK}=${{f%.sid}}$" /proc/$p/environ || continue; '
        'kill -KILL "-$p" && echo "${f%.sid}"; done; '
        f"rm -rf {folder}"
    )
    return connection.run(script).stdout.split()


def require_free_port(connection: Connection, port: int) -> None:
    """Check that nothing listens on `port` of the host.

    Raises
    ------
    PortInUse
        Something does; names the process as far as the host tells.
    """
    taken = _listening_on(connection.host, port)
    listing = connection.run(f"ss -Hltnp '{taken}'").stdout.strip()
    if listing:
        owner = re.search(r'users:\(\("([^"]+)",pid=(\d+)', listing)
        text = f"`{owner[1]}` (pid {owner[2]})" if owner else ""
        raise PortInUse(connection.host.name, port, text)


def _listening_on(host: Host, port: int) -> str:
    """Return the filter of ss(8) for what listens on `port` of the host.

    Hosts of the loopback fleet share one machine and differ in their address only.
    """
    if not host.data_address.startswith(LOOPBACK_PREFIX):
        return f"sport = :{port}"
    everyone = "src 0.0.0.0 or src [::]"
    return f"sport = :{port} and ( src {host.data_address} or {everyone} )"
