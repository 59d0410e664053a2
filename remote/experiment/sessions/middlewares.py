"""The middlewares of a run: started with its settings, ready before the first request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from remote.experiment.settings import Settings
from remote.hosts.connection import Connection
from remote.hosts.inventory import Host
from remote.hosts.jobs import Job, RunningJobs, require_free_port
from remote.hosts.provision import Tools
from remote.services import memcached, middleware

READY_TIMEOUT_S = 30.0


def options(host: Host, servers: Sequence[Host], settings: Settings, program: str) -> str:
    """Return the command line of the middleware on `host` in front of `servers`."""
    return middleware.MiddlewareOptions(
        program=program,
        address=host.data_address,
        workers=int(settings.workers or 0),
        servers=tuple(f"{server.data_address}:{memcached.PORT}" for server in servers),
        routing=settings.routing,
        dispatch=settings.dispatch,
        transport=settings.transport,
        sharded=settings.sharded,
        replicas=settings.replicas,
        server_timeout_s=settings.server_timeout_s,
    ).command()


def start(
    hosts: Sequence[Host],
    servers: Sequence[Host],
    settings: Settings,
    *,
    jobs: RunningJobs,
    tools: Mapping[str, Tools],
    limit_s: float,
) -> list[Job]:
    """Start a middleware on each of `hosts` and return when all accept clients.

    Raises
    ------
    RemoteError
        A port is taken, or a middleware does not start.
    """

    def start_one(connection: Connection) -> Job:
        host = connection.host
        for port in (middleware.PORT, middleware.ADMIN_PORT):
            require_free_port(connection, port)
        command = options(host, servers, settings, tools[host.name].middleware)
        job = jobs.start(host, "middleware", command, limit_s=limit_s)
        job.wait_for_line(middleware.READY_LINE, timeout_s=READY_TIMEOUT_S)
        return job

    return list(jobs.fleet.for_each(hosts, start_one).values())
