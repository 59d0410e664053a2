"""memcached, the server: how it is started, asked for its counters, paused and ended."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence

from analysis.results.files import parse_finite
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.host import Host
from remote.hosts.jobs import Job, RunningJobs, Task, require_free_ports

PORT = 11211
MEMORY_MB = 512
MAX_CONNECTIONS = 8000
STATS_REQUEST = b"stats\r\n"
STATS_END = b"END\r\n"
READY_TIMEOUT_S = 30.0
_JOB = "memcached"
# Who it is for root: nobody, but where root can become no one else, as in a user namespace of one.
_ACCOUNT = "$(setpriv --reuid=nobody --clear-groups id -un 2>/dev/null || id -un)"
_NOW = "date +%s.%N"
_CONNECTION_MARGIN = 192  # for `stats` and the prefill, and what memcached opens for itself


class Servers:
    """memcached on `hosts`, up from `start` to `kill`."""

    def __init__(self, fleet: Fleet, hosts: Sequence[Host], name: str) -> None:
        self.fleet = fleet
        self.hosts = tuple(hosts)
        self._jobs = RunningJobs(fleet, f"{name}-servers")

    def start(self, *, limit_s: float) -> None:
        """Start all of them; the hosts end them after `limit_s` seconds."""

        def start_one(connection: Connection) -> None:
            host = connection.host
            require_free_ports(connection, PORT)
            text = command(host.data_address, user=host.user)
            job = self._jobs.start(host, Task(_JOB, text), limit_s=limit_s)
            job.wait_for_port(PORT, timeout_s=READY_TIMEOUT_S)

        self.fleet.for_each(self.hosts, start_one)

    def kill(self) -> None:
        """End all of them at once."""
        self._jobs.kill_all()

    def stats(self, hosts: Sequence[Host]) -> dict[str, bytes]:
        """Return what each of `hosts` answers to `stats`."""
        with self._jobs.blamed():
            return self.fleet.for_each(hosts, lambda c: c.ask(PORT, STATS_REQUEST, STATS_END))

    def pause(
        self, jobs: RunningJobs, times: Mapping[Host, Sequence[tuple[float, float]]]
    ) -> list[Job]:
        """Start jobs that stop and continue servers, each by its host's own clock.

        Parameters
        ----------
        times : when each pause of a host begins and ends, in epoch seconds, ascending.
        """
        pid_file = f"../{self._jobs.name}/{_JOB}.pid"  # jobs run in folders side by side
        return [
            jobs.start(
                host,
                Task("pauses", pause_command(pid_file, pauses)),
                limit_s=pauses[-1][1] - time.time() + 60 + READY_TIMEOUT_S,
            )
            for host, pauses in times.items()
        ]


def command(address: str, *, user: str, memory_mb: int = MEMORY_MB, threads: int = 1) -> str:
    """Return the command that serves on `address` only; root becomes an account without rights."""
    account = f" -u {_ACCOUNT}" if user == "root" else ""
    connections = MAX_CONNECTIONS + _CONNECTION_MARGIN
    return (
        f"memcached -l {address} -p {PORT} -U 0 -t {threads} -m {memory_mb} "
        f"-c {connections} -I 2m{account}"
    )


def parse_stats(text: str) -> dict[str, str]:
    """Read the statistics by name from a reply of lines such as ``STAT cmd_get 1021``."""
    rows = (line.split(" ", 2) for line in text.splitlines())
    return {row[1]: row[2] for row in rows if row[0] == "STAT" and len(row) == 3}


def pause_command(pid_file: str, pauses: Sequence[tuple[float, float]]) -> str:
    """Return the command that stops and continues the server at the given epoch seconds.

    It prints a line for each pause, when it began and when it ended: ``1795000000.5 1795000001.5``.
    However it ends, short of SIGKILL, the server goes on.

    Parameters
    ----------
    pid_file : holds the process whose only child is the server.
    pauses : when each one begins and ends, ascending.
    """
    steps = [
        f"until_epoch {start_s:.3f}; kill -STOP $pid; began=$({_NOW}); "
        f"until_epoch {end_s:.3f}; kill -CONT $pid; echo $began $({_NOW})"
        for start_s, end_s in pauses
    ]
    script = "; ".join(
        [
            f"pid=$(pgrep -P $(cat {shlex.quote(pid_file)})) || exit 1",
            "trap 'kill -CONT $pid' EXIT",
            "trap 'exit 143' INT TERM",
            "until_epoch() { sleep $(awk -v t=$1 -v now=$("
            + _NOW
            + ") 'BEGIN { print (t > now) ? t - now : 0 }'); }",
            *steps,
        ]
    )
    return shlex.join(["sh", "-c", script])


def parse_spans(text: str) -> list[tuple[float, float]]:
    """Read lines of two epoch seconds, ``1795000000.501 1795000001.502``; others are left out."""
    spans = []
    for line in text.splitlines():
        try:
            began_s, ended_s = map(parse_finite, line.split())
        except ValueError:
            continue
        spans.append((began_s, ended_s))
    return spans
