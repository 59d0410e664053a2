"""What the programs of a run are told, from its settings."""

from __future__ import annotations

from collections.abc import Sequence

from remote.experiment.sessions.generators import Instance
from remote.experiment.settings import Settings
from remote.hosts.host import Host
from remote.services import memcached, middleware, postgresql
from remote.services.memtier import MemtierOptions
from remote.services.middleware_file import STATISTICS, Launch, Middleware


def middleware_launch(
    host: Host,
    of: Middleware,
    servers: Sequence[Host],
    settings: Settings,
    *,
    programs: str,
    time_dilation: float,
) -> Launch:
    """Return how the middleware on `host` is started in front of `servers`, or databases.

    Its time limit is one of the system under test, and the middleware knows the clock only.

    Parameters
    ----------
    programs : folder on the host with the project's own programs.
    """
    return of.started_with(
        {
            "address": host.data_address,
            "port": middleware.PORT,
            "admin_port": middleware.ADMIN_PORT,
            "servers": [f"{server.data_address}:{memcached.PORT}" for server in servers],
            "databases": [postgresql.url(database) for database in servers],
            "prepare_database": settings.uses_databases,
            "folder": middleware.files_folder(host, of),
            "programs": programs,
            "statistics": STATISTICS,
            "workers": settings.workers,
            "routing": settings.routing,
            "dispatch": settings.dispatch,
            "transport": settings.transport,
            "sharded": str(settings.sharded).lower(),
            "replicas": settings.replicas,
            "net_threads": settings.net_threads,
            "depth": settings.depth,
            "backend": settings.backend,
            "locks": settings.locks,
            "synchronous_commit": "on" if settings.synchronous_commit else "off",
            "follow": settings.follow,
            "server_timeout_ms": round(settings.server_timeout_s * time_dilation * 1000),
        }
    )


def generator_options(
    instance: Instance, settings: Settings, *, program: str, test_time_s: int, time_dilation: float
) -> MemtierOptions:
    """Return the options of `instance` for a closed loop, or its share of an open one.

    Independent Poisson processes add up to one, so each instance has an equal share of the rate.
    That is per second of the clock, as are rates and think times of clients: generators know
    nothing of time dilation.
    """
    k = time_dilation
    return MemtierOptions(
        program=program,
        server=instance.target.data_address,
        port=middleware.PORT if settings.num_middlewares else memcached.PORT,
        threads=settings.threads_per_instance,
        clients_per_thread=settings.clients_per_thread,
        pipeline=settings.pipeline,
        ratio="" if settings.uses_queues else settings.sets_to_gets,
        multi_get_keys=settings.multi_get_keys,
        value_bytes=settings.value_bytes,
        keys=settings.keys,
        expiry_range_s=settings.expiry_range_s,
        arrival_rate_per_s=_divided(
            settings.arrival_rate_per_s, time_dilation * settings.instances
        ),
        think_time_s=(settings.think_time_s or 0.0) * k,
        sending_rate_per_s=_divided(settings.sending_rate_per_s, k),
        queue_mix=settings.queue_mix,
        queues=settings.queues,
        receivers=settings.receivers,
        follow=settings.follow,
        test_time_s=test_time_s,
        json_file=f"{instance.name}.json",
    )


def _divided(rate: float | None, parts: float) -> float | None:
    return None if rate is None else rate / parts
