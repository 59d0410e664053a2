"""What the programs of a run are told, from its settings."""

from __future__ import annotations

from collections.abc import Sequence

from remote.experiment.sessions.generators import Instance
from remote.experiment.settings import Settings
from remote.hosts.host import Host
from remote.services import memcached, middleware
from remote.services.memtier import MemtierOptions
from remote.services.middleware import MiddlewareOptions


def middleware_options(
    host: Host, servers: Sequence[Host], settings: Settings, *, program: str, time_dilation: float
) -> MiddlewareOptions:
    """Return the options of the middleware on `host` in front of `servers`.

    Its time limit is one of the system under test, and the middleware knows the clock only.
    """
    return MiddlewareOptions(
        program=program,
        address=host.data_address,
        workers=int(settings.workers or 0),
        servers=tuple(f"{server.data_address}:{memcached.PORT}" for server in servers),
        routing=settings.routing,
        dispatch=settings.dispatch,
        transport=settings.transport,
        sharded=settings.sharded,
        replicas=settings.replicas,
        server_timeout_s=settings.server_timeout_s * time_dilation,
        follow=settings.follow,
    )


def generator_options(
    instance: Instance, settings: Settings, *, program: str, test_time_s: int, time_dilation: float
) -> MemtierOptions:
    """Return the options of `instance` for a closed loop, or its share of an open one.

    Independent Poisson processes add up to one, so each instance has an equal share of the rate.
    That is per second of the clock: generators know nothing of time dilation.
    """
    rate = settings.arrival_rate_per_s
    return MemtierOptions(
        program=program,
        server=instance.target.data_address,
        port=middleware.PORT if settings.num_middlewares else memcached.PORT,
        threads=settings.threads_per_instance,
        clients_per_thread=settings.clients_per_thread,
        ratio=settings.sets_to_gets,
        multi_get_keys=settings.multi_get_keys,
        value_bytes=settings.value_bytes,
        keys=settings.keys,
        expiry_range_s=settings.expiry_range_s,
        arrival_rate_per_s=None if rate is None else rate / time_dilation / settings.instances,
        follow=settings.follow,
        test_time_s=test_time_s,
        json_file=f"{instance.name}.json",
    )
