"""One job on one host: started, watched, ended by its pid or its process group."""

from __future__ import annotations

import math
import shlex
import threading
import time

from records.manifest_entries import JobOutcome
from remote.errors import DISK_FULL, DISK_REMEDY, CommandFailed, CommandTimeout, RemoteError
from remote.hosts.connection import Connection, Result
from remote.hosts.jobs.ports import listening_on
from remote.hosts.jobs.script import JOB_MARK, KILL_AFTER_S, PROBE_BYTES, Task, start_script

KILLED = 137  # the exit status that a shell gives to a program ended by SIGKILL
SSH_MARGIN_S = 10.0
POLL_S = 0.05
STDERR_TAIL_BYTES = 2000
_FOREGROUND = (
    "It ended by itself. A program that goes into the background must be told to stay in the "
    "foreground: it is watched, and ended by a signal."
)


class JobKilled(RemoteError):
    """A job was to be started after it, or its whole run, had been ended."""


class Job:
    """A program that is to run on one host, in a folder of its own or shared with other jobs."""

    def __init__(self, connection: Connection, folder: str, task: Task) -> None:
        self.connection = connection
        self.folder = folder
        self.task = task
        self.started_at_s = time.time()
        self._launching = threading.Lock()
        self._killed = False

    def launch(self, *, limit_s: float) -> None:
        """Start the program; the host ends it after `limit_s`. JobKilled: `kill` was called."""
        with self._launching:
            if self._killed:
                raise JobKilled(
                    f"{self.connection.host.name}: {self.task.name} is not started any more"
                )
            self.started_at_s = time.time()
            self._run(start_script(self.folder, self.task, limit_s), check=True)

    def tell(self, line: str) -> None:
        """Write a line to the standard input of a job that reads it."""
        self._run(f"echo {shlex.quote(line)} 1<> {self._path('in')}", check=True)

    def wait_for_line(self, prefix: str, *, timeout_s: float) -> None:
        """Wait until the job prints a line that starts with `prefix` on its standard output."""
        awaited = _await_line(prefix, self._path("out"), self._path("lock"), timeout_s)
        script = f"{awaited} && [ ! -f {self._path('exit')} ]"
        if self._run(script, timeout_s=timeout_s).exit_status != 0:
            raise self.failure(f"print a line that begins with `{prefix}` on its standard output")

    def wait_for_port(self, port: int, *, timeout_s: float) -> None:
        """Wait until something listens on `port` of the host; raises as `wait_for_line`."""
        listening = f"ss -Hltn '{listening_on(self.connection.host, port)}' | grep -q ."
        self._await_ready(listening, timeout_s, f"listen on port {port}")

    def wait(self, *, timeout_s: float) -> JobOutcome:
        """Wait for the end of the job, also while the host is silent, whatever its exit status.

        Raises
        ------
        CommandTimeout
            The job still runs after `timeout_s` seconds.
        HostGone
            The host was silent for too long.
        """
        return self._await_end(timeout_s=timeout_s)

    def stop(self, signal: str = "TERM", *, grace_s: float = KILL_AFTER_S) -> JobOutcome:
        """Send `signal`, wait for the end, and kill the whole process group if it does not come.

        What the program leaves in its process group is killed, too. Where a host is silent
        meanwhile the signal may be sent again.
        """
        send = f"kill -{signal} $(cat {self._path('pid')}) 2>/dev/null; "
        rest = f"kill -KILL -$(cat {self._path('sid')}) 2>/dev/null; "
        try:
            return self._await_end(send, rest, timeout_s=grace_s)
        except CommandTimeout:
            self.kill()
            return self._await_end(timeout_s=grace_s)

    def kill(self) -> None:
        """End every process of the job at once, or keep it from being started."""
        part, end = self._path("exit.part"), self._path("exit")
        mark = shlex.quote(f"{JOB_MARK}={self.folder}/{self.task.name}")
        living = shlex.quote(r"^[0-9]+ \(.*\) [^XZ] [0-9]+ ")  # then its process group
        with self._launching:
            self._killed = True
            self._run(
                f"p=$(cat {self._path('sid')}); kill -KILL -$p 2>/dev/null; i=0; "
                # What it listened on is free when it has ended; init may be late to reap it.
                f"while grep -qsE {living}$p' ' /proc/[0-9]*/stat && [ $i -lt 50 ]; "
                "do sleep 0.02; i=$((i+1)); done; "
                # what went into the background, with a session of its own
                f"for e in $(grep -lszxF {mark} /proc/[0-9]*/environ); do "
                "e=${e%/environ}; kill -KILL ${e#/proc/} 2>/dev/null; done; "
                f"[ -f {end} ] || {{ echo {KILLED} 1<> {part}; mv {part} {end}; }}"
            )

    def outcome(self, exit_status: int | None) -> JobOutcome:
        """Return how the job ended just now, or with None how it stands."""
        return JobOutcome(
            host=self.connection.host.name,
            name=self.task.name,
            command=self.task.command,
            exit_status=exit_status,
            started_at_s=self.started_at_s,
            seconds=time.time() - self.started_at_s,
        )

    def has_ended(self) -> bool:
        """Whether the job's exit status is there."""
        return self._run(f"test -f {self._path('exit')}").exit_status == 0

    def failure(self, did_not: str = "end") -> CommandFailed | CommandTimeout:
        """Return the error that says why the job ended, or if it runs what it did not do."""
        if not self.has_ended():
            seconds = round(time.time() - self.started_at_s, 1)
            return CommandTimeout(self.connection.host.name, self.task.command, seconds, did_not)
        tail = self._run(f"grep -v '^.RUN #' {self._path('err')} | tail -c {STDERR_TAIL_BYTES}")
        status = self._run(f"cat {self._path('exit')}").read(_exit_status)
        # A full disk takes no message either: it shows by trying.
        probe = self._path("probe")
        tried = self._run(f"head -c {PROBE_BYTES} /dev/zero > {probe}; rm -f {probe}").stderr
        remedy = _FOREGROUND if status == 0 else ""
        remedy = DISK_REMEDY if DISK_FULL in tail.stdout + tried else remedy
        host = self.connection.host.name
        return CommandFailed(host, self.task.command, status, tail.stdout, remedy)

    def _await_ready(self, test: str, timeout_s: float, did_not: str) -> None:
        """Repeat the shell command `test` on the host until it succeeds, while the job runs."""
        script = (
            f"i=0; until {test}; do [ -f {self._path('exit')} ] && exit 4; i=$((i+1)); "
            f"[ $i -gt {timeout_s / POLL_S:.0f} ] && exit 4; sleep {POLL_S}; done; "
            f"[ ! -f {self._path('exit')} ]"
        )
        if self._run(script, timeout_s=timeout_s).exit_status != 0:
            raise self.failure(did_not)

    def _await_end(self, prelude: str = "", rest: str = "", *, timeout_s: float) -> JobOutcome:
        """Run the shell command `prelude` on the host, wait there for the exit status, run `rest`.

        The host is measured: its kernel wakes the one process that waits when the job has ended.
        """
        end = self._path("exit")
        deadline_s = time.monotonic() + timeout_s

        def ask() -> Result:
            # Who was just told to end has its time from then on.
            left_s = timeout_s if prelude else max(0.0, deadline_s - time.monotonic())
            script = (
                f"{prelude}{_await_lock(self._path('lock'), end, left_s)}"
                # Only a job that was killed leaves its lock before its exit status is there.
                f"i=0; until [ -f {end} ]; do i=$((i+1)); "
                f"[ $i -gt {left_s / POLL_S:.0f} ] && exit 4; sleep {POLL_S}; done; {rest}cat {end}"
            )
            return self._run(script, timeout_s=left_s)

        result = self.connection.patiently(ask)
        if result.exit_status != 0:
            raise CommandTimeout(self.connection.host.name, self.task.command, timeout_s)
        return self.outcome(result.read(_exit_status))

    def _run(self, script: str, *, timeout_s: float = 30.0, check: bool = False) -> Result:
        """Run a shell script about the job; errors show the job's command instead of the script."""
        return self.connection.run(
            script, timeout_s=timeout_s + SSH_MARGIN_S, check=check, shown=self.task.command
        )

    def _path(self, suffix: str) -> str:
        return shlex.quote(f"{self.folder}/{self.task.name}.{suffix}")


def _await_line(prefix: str, out: str, lock: str, timeout_s: float) -> str:
    """Return the shell command that waits until a job prints a line that begins so.

    It fails when the job has let go of `lock`, or the time is over. Nothing is started again and
    again beside what is measured: `tail` follows the job's output until nobody reads on, or the job
    has ended. `timeout` gets no signal: in its first milliseconds it may end without ending its
    child.
    """
    follow = f"tail -s {POLL_S} -n +1 -f {out} 2> /dev/null"
    match = f"{shlex.quote(prefix)}*) exit 0;; esac"
    read = f"while read -r line; do case $line in {match}; done; exit 1"
    return (
        f"{{ {follow} & t=$!; flock -s {lock} kill $t > /dev/null 2>&1 & f=$!; "
        f"wait $t; kill $f 2> /dev/null; }} "
        f"| timeout {timeout_s:g} sh -c {shlex.quote(read)}"
    )


def _await_lock(lock: str, end: str, timeout_s: float) -> str:
    """Return the shell command that waits until nobody holds `lock`, and exits with 4 if late."""
    return (
        f"[ -f {end} ] || flock -s -w {math.ceil(timeout_s)} -E 4 {lock} true; "
        f"[ $? -eq 4 ] && [ ! -f {end} ] && exit 4; "
    )


def _exit_status(text: str) -> int:
    return int(text.split()[0])
