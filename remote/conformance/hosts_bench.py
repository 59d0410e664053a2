"""The bench on a fleet's hosts: the first middleware and the first servers of its inventory."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import paramiko

from records.middleware import Middleware
from records.settings import Settings
from remote.conformance.bench import WORKERS
from remote.conformance.running_bench import Place
from remote.errors import CommandTimeout
from remote.experiment.sessions.program_options import middleware_launch
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet
from remote.hosts.inventory import Inventory
from remote.hosts.jobs import Job, RunningJobs, Task, job_folder, require_free_ports
from remote.hosts.provision import Tools
from remote.hosts.ssh.handshake import ssh_words
from remote.services import memcached
from remote.services.middleware import JOB, PORT, bring, start_middlewares

_LIMIT_S = 300.0
_KIB = 1024
_FOLDER, _SERVERS = "try", "try-servers"


class _Server:
    """See `remote.conformance.bench.Server`."""

    def __init__(self, connection: Connection, jobs: RunningJobs, limit_s: float) -> None:
        self._connection = connection
        self._jobs = jobs
        self._limit_s = limit_s
        self._job: Job | None = None

    def dial(self) -> paramiko.Channel:
        return _dial(self._connection, memcached.PORT)

    def start(self) -> None:
        host = self._connection.host
        require_free_ports(self._connection, memcached.PORT)
        command = memcached.command(host.data_address, user=host.user)
        self._job = self._jobs.start(host, Task("memcached", command), limit_s=self._limit_s)
        self._job.wait_for_port(memcached.PORT, timeout_s=memcached.READY_TIMEOUT_S)

    def stop(self) -> None:
        if self._job is not None:
            self._job.kill()

    def pause(self) -> None:
        self._signal("STOP")

    def resume(self) -> None:
        self._signal("CONT")

    def _signal(self, name: str) -> None:
        pid_file = f"{job_folder(self._connection.host, _SERVERS)}/memcached.pid"
        self._connection.run(f"kill -{name} $(pgrep -P $(cat '{pid_file}'))")


class _Middleware:
    """See `remote.conformance.bench.Middleware`."""

    def __init__(self, job: Job, signal: str) -> None:
        self._job = job
        self._signal = signal
        folder = job_folder(job.connection.host, _FOLDER)
        self._of_session = f"ps -s $(cat '{folder}/{JOB}.sid')"

    def end(self, patience_s: float) -> tuple[int | None, float]:
        began_s = time.monotonic()
        pid = f"$(cat '{job_folder(self._job.connection.host, _FOLDER)}/{JOB}.pid')"
        self._job.connection.run(f"kill -{self._signal} {pid}")
        try:
            status = self._job.wait(timeout_s=patience_s).exit_status
        except CommandTimeout:
            status = None
        return status, time.monotonic() - began_s

    def memory_bytes(self) -> int:
        return _KIB * self._sum(f"{self._of_session} -o rss=")

    def num_threads(self) -> int:
        return self._sum(f"{self._of_session} -o nlwp=")

    def open_files(self) -> int:
        count = (
            f"for p in $({self._of_session} -o pid=); do ls /proc/$p/fd 2>/dev/null; done | wc -l"
        )
        return self._sum(count)

    def _sum(self, command: str) -> int:
        result = self._job.connection.run(command)
        return result.read(lambda text: sum(int(word) for word in text.split()))


@dataclass(frozen=True, kw_only=True)
class _Bench:
    """See `remote.conformance.bench.Bench`."""

    connection: Connection
    servers: tuple[_Server, ...]
    middleware: _Middleware

    def dial(self) -> paramiko.Channel:
        return _dial(self.connection, PORT)


@contextlib.contextmanager
def open_on_hosts(
    fleet: Fleet,
    tools: Mapping[str, Tools],
    middleware: Middleware,
    files: Path,
    num_servers: int,
    *,
    sharded: bool = False,
    limit_s: float = _LIMIT_S,
) -> Iterator[_Bench]:
    """Start empty servers and a middleware; see `remote.conformance.bench.OpenBench`.

    Parameters
    ----------
    files : folder of this machine with the middleware's files.
    limit_s : after which the hosts end servers and middleware.
    """
    host = fleet[fleet.inventory.take("middlewares", 1)[0]].host
    servers = fleet.inventory.take("servers", num_servers)
    settings = Settings(
        client_hosts=1,
        num_middlewares=1,
        num_servers=num_servers,
        workload="get",
        clients_per_thread=1,
        workers=WORKERS,
        sharded=sharded,
    )
    launch = middleware_launch(
        host,
        middleware,
        servers,
        settings,
        programs=tools[host.name].bin_dir,
        time_dilation=fleet.inventory.time_dilation,
    )
    fleet.for_each([host], lambda connection: bring(connection, launch, files))
    with RunningJobs(fleet, _SERVERS) as behind, RunningJobs(fleet, _FOLDER) as jobs:
        made = tuple(_Server(fleet[server], behind, limit_s) for server in servers)
        for server in made:
            server.start()
        (job,) = start_middlewares({host: launch}, jobs=jobs, limit_s=limit_s)
        yield _Bench(
            connection=fleet[host],
            servers=made,
            middleware=_Middleware(job, middleware.signal),
        )


def place_on_hosts(
    inventory: Inventory, middleware: Middleware, num_servers: int, how_to_start: str
) -> Place:
    """Return where the middleware and its servers are, for a program that shows a fault."""
    host = inventory.take("middlewares", 1)[0]
    return Place(
        address=host.data_address,
        port=PORT,
        servers=[
            f"{server.data_address}:{memcached.PORT}"
            for server in inventory.take("servers", num_servers)
        ],
        files=list(middleware.files),
        signal=middleware.signal,
        how_to_start=how_to_start,
    )


def from_here(place: Place, inventory: Inventory) -> Place:
    """Return a place that programs reach from this machine by SSH, servers' hosts included."""
    servers = inventory.take("servers", len(place.servers))
    return replace(
        place,
        through=ssh_words(inventory.take("middlewares", 1)[0]),
        shells=[ssh_words(server) for server in servers],
    )


def _dial(connection: Connection, port: int) -> paramiko.Channel:
    try:
        return connection.dial(port)
    except (EOFError, paramiko.SSHException) as exc:
        raise OSError(f"{connection.host.data_address}:{port} takes no connection: {exc}") from exc
