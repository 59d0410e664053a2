"""The middleware under test: its command line, and how it is started."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from remote.hosts.connection import Connection
from remote.hosts.host import Host
from remote.hosts.jobs import Job, RunningJobs, require_free_ports

PORT = 11212
ADMIN_PORT = 11213
"""Where each middleware tells its counters while it runs (HTTP: /stats, /metrics, /health)."""
READY_LINE = "listening on"
READY_TIMEOUT_S = 30.0
ROUTINGS = ("round-robin", "hash", "consistent-hash")
DISPATCHES = ("sequential", "pipelined")
TRANSPORTS = ("loop", "ktor")
LARGEST_VALUE_BYTES = 1 << 20


@dataclass(frozen=True, kw_only=True)
class MiddlewareOptions:
    """One middleware: where it listens, its workers and its servers.

    Parameters
    ----------
    program : path of `middleware` on the host.
    address : address to listen on, also for the admin endpoint.
    workers : number of worker coroutines.
    servers : ``address:port`` of each memcached.
    routing, dispatch, transport : one of `ROUTINGS`, of `DISPATCHES`, of `TRANSPORTS`.
    sharded : cut multi-gets into parts, one for each server.
    replicas : servers that a key is written to with routing consistent-hash; a number or ``all``.
    server_timeout_s : longest wait for a server, in seconds of the clock.
    stats_dir : folder for the results, relative to the job's.
    follow : one of so many requests is written down with its times, in `stats_dir`; None: none is.
    """

    program: str
    address: str
    workers: int
    servers: tuple[str, ...]
    routing: str = "round-robin"
    dispatch: str = "sequential"
    transport: str = TRANSPORTS[0]
    sharded: bool = False
    replicas: int | str = 1
    server_timeout_s: float = 3.0
    stats_dir: str = "middleware"
    follow: int | None = None

    def command(self) -> str:
        """Return the command line."""
        arguments = [self.program, "-l", self.address, "-p", str(PORT), "-t", str(self.workers)]
        arguments += ["-s", str(self.sharded).lower(), "-m", *self.servers]
        arguments += ["--routing", self.routing, "--dispatch", self.dispatch]
        if self.transport != TRANSPORTS[0]:  # an older middleware does not know the option
            arguments += ["--transport", self.transport]
        if self.routing == "consistent-hash":  # elsewhere the middleware refuses the option
            arguments += ["--replicas", str(self.replicas)]
        arguments += ["--server-timeout", f"{round(self.server_timeout_s * 1000)}ms"]
        arguments += ["--stats-dir", self.stats_dir, "--admin", f"{self.address}:{ADMIN_PORT}"]
        if self.follow is not None:
            arguments += ["--follow", f"1/{self.follow}"]
        return shlex.join(arguments)


def start_middlewares(
    commands: Mapping[Host, str], *, jobs: RunningJobs, limit_s: float
) -> list[Job]:
    """Start a middleware on each host with its command; return when all accept clients.

    Raises
    ------
    RemoteError
        A port is taken, or a middleware does not start.
    """

    def start(connection: Connection) -> Job:
        host = connection.host
        require_free_ports(connection, PORT, ADMIN_PORT)
        job = jobs.start(host, "middleware", commands[host], limit_s=limit_s)
        job.wait_for_line(READY_LINE, timeout_s=READY_TIMEOUT_S)
        return job

    return list(jobs.fleet.for_each(commands, start).values())
