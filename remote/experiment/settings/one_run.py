"""Everything that one run is set to: no files, no hosts."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from remote.experiment.settings.allowed import (
    ALL_SERVERS,
    OBSERVERS,
    OF_CACHES,
    OF_DATABASES,
    OF_MIDDLEWARES,
    OF_QUEUES,
)
from remote.services.memtier import DEFAULT_KEY_PREFIX, QUEUE, RATIOS, Keys
from remote.services.middleware import LOCKS, MEMCACHED, POSTGRESQL
from remote.services.middleware_file import OWN


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What one run is set to, defaults filled in; names as in `SETTINGS`.

    Parameters
    ----------
    client_hosts : number of hosts that generate load.
    num_middlewares, num_servers, num_databases : number of hosts that carry one each.
    workload : `get`; `set`; `multi-get`, one set and then one get of `multi_get_keys` keys;
        `mixed`, at `ratio`; `queue`, messages at `queue_mix`.
    clients_per_thread : connections of each thread.
    instances_per_client : processes of the generator on each client host.
    threads_per_instance : threads of each of them.
    pipeline : requests of each connection under way at a time, in a closed loop without think times
        and sending rates. N, the number of clients in Little's law, bounds and all tables, is
        connections times `pipeline`.
    arrival_rate_per_s : Poisson arrivals of all generators together, undilated; none is a closed
        loop. Needs the drop-in generator.
    think_time_s : what each client of a closed loop waits after a reply, undilated. Needs the
        drop-in generator.
    sending_rate_per_s : requests of each client of a closed loop at most, undilated; one that waits
        for a reply sends no other.
    queue_mix : weights of the operations on queues.
    queues : how many there are, named by `key_prefix` and a number.
    receivers : how many there are, `r1`, `r2`, ...; without any, messages are to nobody.
    queued_messages : how many wait in all queues together when clients begin.
    multi_get_keys : keys of a get, with `multi-get` only.
    value_bytes : of each value.
    key_bytes : length of every key; none leaves it to memtier's prefix and the number.
    ratio : sets to gets, with `mixed` only.
    key_prefix : what keys begin with.
    key_count : how many keys there are.
    expiry_range_s : after how long keys expire, drawn from that range; `0-0` is never.
    middleware : name of its file.
    follow : one of so many requests of each connection is written down with its times, by generator
        and middleware. Needs the drop-in generator.
    workers : of each middleware; needed wherever there is one that can be told.
    routing, dispatch, transport, sharded, replicas : as the middleware's options.
    net_threads : as the middleware's option, at most as many as workers; none for as many as it
        takes by itself.
    depth : as the middleware's option, the most requests of a connection that it has under way at a
        time, which only a larger `pipeline` reaches; none for its own default.
    backend : what is behind the middleware; `echo` answers by itself, without a database.
    locks, synchronous_commit : as the middleware's options.
    server_timeout_s : longest wait of the middleware for a server, in seconds of the system: it is
        told them times k.
    observed : what watches middlewares from outside; of black boxes it is `packets` by default.
    database_cpus : CPUs of each database's host, undilated, local lab only; none for what the hosts
        have.
    autovacuum : dead rows are swept up while clients work, once a second of the system.
    open_transaction_s : for how long a transaction is left open in each database, from a sixth of
        the stable window on, undilated; `stable_s` has to be half as long again.
    durable : the database is on the disk of `/var/tmp`, not in memory.
    fsync : the database waits until the disk has what was committed.
    shared_buffers_mib, max_connections : as PostgreSQL's settings.
    """

    client_hosts: int
    num_middlewares: int
    num_servers: int
    num_databases: int = 0
    workload: str
    clients_per_thread: int
    instances_per_client: int = 1
    threads_per_instance: int = 1
    pipeline: int = 1
    arrival_rate_per_s: float | None = None
    think_time_s: float | None = None
    sending_rate_per_s: float | None = None
    queue_mix: str | None = None
    queues: int = 1
    receivers: int = 0
    queued_messages: int = 1000
    multi_get_keys: int | None = None
    value_bytes: int = 4096
    key_bytes: int | None = None
    ratio: str | None = None
    key_prefix: str = DEFAULT_KEY_PREFIX
    key_count: int = 10_000
    expiry_range_s: str = "9999-10000"
    middleware: str = OWN
    follow: int | None = None
    workers: int | None = None
    routing: str = "round-robin"
    dispatch: str = "sequential"
    transport: str = "loop"
    sharded: bool = False
    replicas: int | str = 1
    net_threads: int | None = None
    depth: int | None = None
    backend: str = MEMCACHED
    locks: str = LOCKS[0]
    synchronous_commit: bool = True
    server_timeout_s: float = 3.0
    observed: str = OBSERVERS[0]
    database_cpus: float | None = None
    autovacuum: bool = True
    open_transaction_s: float | None = None
    durable: bool = False
    fsync: bool = True
    shared_buffers_mib: int = 128
    max_connections: int = 500

    @property
    def instances(self) -> int:
        """Number of generator instances on all hosts."""
        return self.client_hosts * self.instances_per_client

    @property
    def connections(self) -> int:
        """Number of connections of all generators."""
        return self.instances * self.threads_per_instance * self.clients_per_thread

    @property
    def num_clients(self) -> int:
        """Number of virtual clients N, each with one request under way at most.

        A connection with a `pipeline` counts as as many clients: each of its places sends the next
        request when its reply is there. So N is the number of requests under way, as Little's law
        and the bounds have it (Jain 1991, section 33.5).
        """
        return self.connections * self.pipeline

    @property
    def is_open(self) -> bool:
        """Tell whether requests arrive at a rate of their own, whatever the replies do."""
        return self.arrival_rate_per_s is not None

    @property
    def known_think_time_s(self) -> float | None:
        """Think time of a closed loop, 0 for none; None where requests have times of their own."""
        if self.is_open or self.sending_rate_per_s:
            return None
        return self.think_time_s or 0.0

    @property
    def reads(self) -> bool:
        """Tell whether there are gets among the requests."""
        return self.workload not in ("set", QUEUE)

    @property
    def uses_queues(self) -> bool:
        """Tell whether requests are about queues of messages, not about objects."""
        return self.workload == QUEUE

    @property
    def uses_databases(self) -> bool:
        """Tell whether the middlewares ask databases."""
        return self.backend == POSTGRESQL

    @property
    def sets_to_gets(self) -> str:
        """The generators' ratio of sets to gets."""
        if self.workload == "multi-get":
            return f"1:{self.multi_get_keys}"
        return self.ratio or RATIOS[self.workload]

    @property
    def keys(self) -> Keys:
        """Names of the keys."""
        return Keys.of(self.key_count, prefix=self.key_prefix, key_bytes=self.key_bytes)

    @property
    def copies(self) -> int:
        """On how many servers a set ends."""
        if not self.num_middlewares:
            return 1
        if self.routing != "consistent-hash" or self.replicas == ALL_SERVERS:
            return self.num_servers
        return int(self.replicas)

    @property
    def expires_after_s(self) -> int:
        """Shortest life of a key, 0 for keys that never expire."""
        return int(self.expiry_range_s.split("-")[0])

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as the manifest keeps them, without those that do not apply."""
        unused = {
            *(OF_CACHES if self.uses_queues else OF_QUEUES),
            *(() if self.uses_databases else OF_DATABASES),
            *(() if self.num_middlewares else OF_MIDDLEWARES),
            *(() if self.pipeline > 1 else ("pipeline",)),  # as in manifests from before it
        }
        return {k: v for k, v in asdict(self).items() if v is not None and k not in unused}
