"""memcached on the servers of a section: started once, asked for its counters, paused."""

from __future__ import annotations

from collections.abc import Sequence

from remote.errors import RemoteError
from remote.experiment.section import Pause
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.inventory import Host
from remote.hosts.jobs import Job, RunningJobs, require_free_port
from remote.services import memcached

READY_TIMEOUT_S = 30.0
_JOB = "memcached"


class Servers:
    """memcached on `hosts`, up from `start` to `kill`."""

    def __init__(self, fleet: Fleet, hosts: Sequence[Host], name: str) -> None:
        self.fleet = fleet
        self.hosts = tuple(hosts)
        self._jobs = RunningJobs(fleet, f"{name}-servers")

    def start(self, *, limit_s: float) -> None:
        """Start all of them; the hosts end them after `limit_s` seconds.

        Raises
        ------
        RemoteError
            A port is taken, or a server does not start.
        """

        def start_one(connection: Connection) -> None:
            host = connection.host
            require_free_port(connection, memcached.PORT)
            command = memcached.command(host.data_address, user=host.user)
            job = self._jobs.start(host, _JOB, command, limit_s=limit_s)
            job.wait_for_port(memcached.PORT, timeout_s=READY_TIMEOUT_S)

        self.fleet.for_each(self.hosts, start_one)

    def kill(self) -> None:
        """End all of them at once."""
        self._jobs.kill_all()

    def stats(self, hosts: Sequence[Host]) -> dict[str, bytes]:
        """Return what each of `hosts` answers to `stats`.

        Raises
        ------
        RemoteError
            A server is gone; tells how it ended.
        """
        request, end = memcached.STATS_REQUEST, memcached.STATS_END
        try:
            return self.fleet.for_each(hosts, lambda c: c.ask(memcached.PORT, request, end))
        except RemoteError as exc:
            for job in self._jobs.running:
                if job.has_ended():
                    raise job.failure() from exc
            raise

    def pause(
        self, jobs: RunningJobs, pauses: Sequence[Pause], *, window_start_epoch_s: float
    ) -> list[Job]:
        """Start what will stop and continue servers; each host does it by its own clock."""
        started = []
        for number, host in enumerate(self.hosts, start=1):
            times = [
                (start_s, start_s + pause.for_s)
                for pause in sorted(pauses, key=lambda pause: pause.at_s)
                for start_s in [window_start_epoch_s + pause.at_s]
                if pause.server == number
            ]
            if times:
                pid_file = f"../{self._jobs.name}/{_JOB}.pid"  # jobs run in folders side by side
                command = memcached.pause_command(pid_file, times)
                limit_s = times[-1][1] - window_start_epoch_s + 60 + READY_TIMEOUT_S
                started.append(jobs.start(host, "pauses", command, limit_s=limit_s))
        return started
