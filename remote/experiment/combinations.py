"""Which settings of a run go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from records.settings import (
    ALL_SERVERS,
    BACKENDS,
    CONSISTENT_HASH,
    MEMCACHED,
    OF_MIDDLEWARES,
    QUEUE,
    UNOBSERVED,
    Settings,
)
from remote.services import memcached, memtier

ITEM_OVERHEAD_BYTES = 80  # what memcached keeps beside key and value


def mistakes(settings: Settings, given: Mapping[str, Any]) -> Iterator[str]:
    """Say which of the settings do not go together.

    Parameters
    ----------
    given : what was set for this configuration in particular, not left to a default.
    """
    yield from _workload_mistakes(settings)
    yield from _pace_mistakes(settings)
    if settings.uses_queues:
        yield from _queue_mistakes(settings)
    else:
        yield from _key_mistakes(settings)
    yield from _middleware_mistakes(settings, given)
    role = "middlewares" if settings.num_middlewares else "servers"
    targets = settings.num_middlewares or settings.num_servers or 1
    if settings.instances < targets:
        yield (
            f"{settings.instances} generator instances cannot reach {targets} {role}: "
            "each instance has one target; raise instances_per_client or hosts.clients"
        )
    share = -(-settings.connections // targets)
    if share > memcached.MAX_CONNECTIONS:
        yield (
            f"{share} clients of one {role.removesuffix('s')} are more than the "
            f"{memcached.MAX_CONNECTIONS} connections that it takes"
        )


def _workload_mistakes(settings: Settings) -> Iterator[str]:
    workload = settings.workload
    if workload == "multi-get" and settings.multi_get_keys is None:
        yield "workload multi-get needs multi_get_keys"
    if workload != "multi-get" and settings.multi_get_keys is not None:
        yield f"multi_get_keys belongs to workload multi-get, not to {workload}"
    if workload == "mixed" and settings.ratio is None:
        yield "workload mixed needs generator.ratio, the sets to gets, such as 1:1"
    if workload != "mixed" and settings.ratio is not None:
        yield f"generator.ratio belongs to workload mixed, not to {workload}"
    if workload != QUEUE and settings.backend != MEMCACHED:
        yield f"middleware.backend {settings.backend} belongs to workload queue, not to {workload}"


def _pace_mistakes(settings: Settings) -> Iterator[str]:
    names = ("arrival_rate_per_s", "think_time_s", "sending_rate_per_s")
    given = [name for name in names if getattr(settings, name)]
    if len(given) > 1:
        yield f"{' and '.join(given)}: each says when requests are sent; give one of them"
    if settings.pipeline > 1 and given:
        yield (
            f"pipeline {settings.pipeline} with {given[0]}: several requests of a connection are "
            "under way only in a closed loop without think times and sending rates; leave one of "
            "the two out"
        )


def _queue_mistakes(settings: Settings) -> Iterator[str]:
    if not settings.num_middlewares:
        yield "workload queue needs middlewares: databases do not speak the clients' protocol"
    if settings.num_servers:
        yield "workload queue needs databases, no servers: leave hosts.servers out"
    if settings.backend == MEMCACHED:
        others = " or ".join(backend for backend in BACKENDS if backend != MEMCACHED)
        yield f"workload queue needs middleware.backend {others}"
    if settings.queue_mix is None:
        yield "workload queue needs queue_mix, such as send:40,pop:40,peek:10"
    if settings.uses_databases and not settings.num_databases:
        yield "backend postgresql needs hosts.databases to be at least 1"
    if settings.observed != UNOBSERVED:
        yield "observed: packets of databases tell nothing of requests; leave it out"
    if settings.uses_databases and (settings.depth or 1) > 1:
        yield (
            f"depth {settings.depth} with backend postgresql: the middleware takes one request of "
            "a client at a time, so that messages keep their order; leave depth out"
        )
    connections = settings.num_middlewares * (settings.workers or 0)
    if settings.uses_databases and connections > settings.max_connections:
        yield (
            f"{connections} workers in all are more than the {settings.max_connections} "
            "connections that a database takes (database.max_connections)"
        )


def _key_mistakes(settings: Settings) -> Iterator[str]:
    try:
        keys = memtier.keys_of(settings)
    except ValueError as exc:
        yield str(exc)
        return
    item_bytes = settings.value_bytes + keys.longest_bytes + ITEM_OVERHEAD_BYTES
    room_bytes = int(0.8 * memcached.MEMORY_MB * 2**20)
    if settings.key_count * item_bytes > room_bytes:
        yield (
            f"{settings.key_count} keys of {settings.value_bytes} B do not fit into a server's "
            f"{memcached.MEMORY_MB} MB: gets would miss"
        )
    shortest, longest = (int(part) for part in settings.expiry_range_s.split("-"))
    if longest < shortest:
        yield f"generator.expiry_range_s goes from low to high, got {settings.expiry_range_s}"


def _middleware_mistakes(settings: Settings, given: Mapping[str, Any]) -> Iterator[str]:
    if not settings.num_middlewares:
        needless = [name for name in OF_MIDDLEWARES if name in given]
        if needless:
            yield f"{', '.join(needless)}: there is no middleware to set it on"
        return
    if settings.workers and (settings.net_threads or 1) > settings.workers:
        yield f"{settings.net_threads} net threads are more than the {settings.workers} workers"
    connections = settings.num_middlewares * (settings.workers or 0)
    if connections > memcached.MAX_CONNECTIONS:
        yield (
            f"{connections} workers in all are more than the {memcached.MAX_CONNECTIONS} "
            "connections that a server takes"
        )
    if settings.routing == CONSISTENT_HASH:
        if settings.sharded:
            yield "sharded: consistent-hash splits multi-gets by owner anyway; leave it out"
        if settings.replicas != ALL_SERVERS and int(settings.replicas) > settings.num_servers:
            yield f"{settings.replicas} replicas need as many servers, got {settings.num_servers}"
    elif settings.replicas != 1:
        yield (
            f"replicas belongs to routing consistent-hash; {settings.routing} writes to all servers"
        )
