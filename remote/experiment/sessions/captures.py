"""Packets captured beside a run, and what is made of them where they were captured."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import partial

from records.files.unpacking import LARGEST_FILE_BYTES
from remote.experiment.sessions.setup import Setup
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet, in_parallel
from remote.hosts.host import Host
from remote.hosts.jobs import Job, RunningJobs, Task, job_folder
from remote.hosts.upload import Upload, bring
from remote.packets.bundle import PROGRAM, program_bytes
from remote.packets.followed import FOLLOWED
from remote.services import capture, memcached, middleware

TABLES_JOB = "tables"
_TABLES_LIMIT_S = 900.0  # the largest capture takes some minutes to be read
_TRANSFER_LIMIT_S = 300.0
_CALLS = "calls.csv"  # what middlewares' hosts wrote, on those of servers


class Captures:
    """tcpdump on the middlewares and the servers of runs that are observed from outside."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self._ready: set[Host] = set()

    def start(self, setup: Setup, jobs: RunningJobs, *, limit_s: float) -> list[Job]:
        """Start to capture, if that is asked for; return when no packet will be missed."""
        endpoints = _endpoints(setup)

        def start(connection: Connection) -> Job:
            host = connection.host
            if host not in self._ready:
                _bring_program(connection)
                self._ready.add(host)
            listen, servers = endpoints[host]
            command = capture.capture_command([listen, *servers], snap_bytes=_snap_bytes(setup))
            job = jobs.start(host, Task(capture.JOB, command), limit_s=limit_s)
            job.wait_for_line(capture.READY_LINE, timeout_s=capture.READY_TIMEOUT_S)
            return job

        return list(self.fleet.for_each(endpoints, start).values())

    def make_tables(self, setup: Setup, jobs: RunningJobs) -> None:
        """Make tables of what was captured, on the hosts; what was captured is deleted there.

        Of requests that are followed, middlewares' hosts tell what servers were asked, and these
        then tell the same calls.
        """
        endpoints = _endpoints(setup)
        follow = setup.settings.follow
        if follow is None or not endpoints:
            self._make(endpoints, jobs)
            return
        at_servers = {host: endpoints.pop(host) for host in setup.servers}
        self._make(endpoints, jobs, follow=follow)
        found = self.fleet.for_each(endpoints, partial(_followed, setup.folder))
        calls = "".join(found.values())
        self.fleet.for_each(
            at_servers, lambda c: c.put_text(calls, f"{job_folder(c.host, setup.folder)}/{_CALLS}")
        )
        self._make(at_servers, jobs, calls=_CALLS)

    def _make(
        self,
        endpoints: Mapping[Host, tuple[str, list[str]]],
        jobs: RunningJobs,
        *,
        follow: int | None = None,
        calls: str = "",
    ) -> None:
        tasks = {}
        for host, (listen, servers) in endpoints.items():
            command = capture.tables_command(
                f"{host.work_dir}/bin/{PROGRAM}",
                listen=listen,
                servers=servers,
                follow=follow,
                calls=calls,
            )
            start = partial(jobs.start, host, Task(TABLES_JOB, command), limit_s=_TABLES_LIMIT_S)
            tasks[host.name] = start
        started = list(in_parallel(tasks).values()) if tasks else []
        jobs.stop(jobs.wait(started, timeout_s=_TABLES_LIMIT_S), "TERM")

    def discard(self, setup: Setup) -> None:
        """Delete what was captured in a run that broke off; it is too large to be brought home."""

        def discard(connection: Connection) -> None:
            folder = job_folder(connection.host, setup.folder)
            connection.run(f"rm -f {shlex.quote(f'{folder}/{capture.CAPTURE}')}")

        self.fleet.for_each(_endpoints(setup), discard)


def _endpoints(setup: Setup) -> dict[Host, tuple[str, list[str]]]:
    """Return of each host that is observed where requests come in, and where it asks."""
    if setup.settings.observed == "none":
        return {}
    servers = {host: f"{host.data_address}:{memcached.PORT}" for host in setup.servers}
    behind = list(servers.values())
    return {
        **{h: (f"{h.data_address}:{middleware.PORT}", behind) for h in setup.middlewares},
        **{host: (address, []) for host, address in servers.items()},
    }


def _followed(folder: str, connection: Connection) -> str:
    """Return what a middleware's host has written of followed requests; nothing if it failed."""
    path = f"{job_folder(connection.host, folder)}/{capture.TABLES}/{FOLLOWED}"
    command = f"cat {shlex.quote(path)}"
    result = connection.run(
        command, check=False, timeout_s=_TRANSFER_LIMIT_S, most_bytes=LARGEST_FILE_BYTES
    )
    return result.stdout


def _snap_bytes(setup: Setup) -> int:
    """Return how much of each packet is kept: its head, where it has one value at most.

    Neither a worker nor a client that waits for each reply sends a second value with the first.
    """
    settings = setup.settings
    waits = settings.dispatch == "sequential" and settings.pipeline == 1
    one_each = waits and settings.multi_get_keys in (None, 1)
    return capture.HEADS_BYTES if one_each else capture.WHOLE_PACKETS_BYTES


def _bring_program(connection: Connection) -> None:
    folder = f"{connection.host.work_dir}/bin"
    bring(connection, folder, {PROGRAM: Upload(content=program_bytes())})
