"""Everything that one run is set to, and which settings go together: no files, no hosts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from remote.checked_files import Count, Positive, matching, number, one_of, told, whole_number
from remote.services import memcached
from remote.services.memtier import (
    DEFAULT_KEY_PREFIX,
    LARGEST_KEY_BYTES,
    QUEUE,
    RATIOS,
    WORKLOADS,
    Keys,
)
from remote.services.middleware import (
    BACKENDS,
    DISPATCHES,
    LARGEST_VALUE_BYTES,
    LOCKS,
    MEMCACHED,
    POSTGRESQL,
    ROUTINGS,
    TRANSPORTS,
)
from remote.services.middleware_file import NAME, OWN

Level = str | int | float | bool
ALL_SERVERS = "all"
OBSERVERS = ("none", "packets")
LONGEST_THINK_TIME_S = 3600
_WEIGHT = "(send|pop|peek|list):[1-9][0-9]*"
ITEM_OVERHEAD_BYTES = 80  # what memcached keeps beside key and value


@dataclass(frozen=True)
class Setting:
    """What a setting may be, and in which table of a section file it stands when it is constant.

    Attributes
    ----------
    kind : for a `remote.checked_files.Document`.
    varies : it may also be a factor.
    """

    table: str
    kind: Any
    varies: bool = True


def _text(rule: str, pattern: str) -> Setting:
    return Setting("generator", Annotated[str, matching(rule, pattern)], varies=False)


SETTINGS: Mapping[str, Setting] = {
    "num_middlewares": Setting("hosts", Annotated[int, whole_number(0)]),
    "num_servers": Setting("hosts", Count),
    "num_databases": Setting("hosts", Count),
    "workload": Setting("generator", Annotated[str, one_of(*WORKLOADS)]),
    "clients_per_thread": Setting("generator", Count),
    "instances_per_client": Setting("generator", Count),
    "threads_per_instance": Setting("generator", Count),
    "arrival_rate_per_s": Setting("generator", Positive),
    "think_time_s": Setting("generator", Annotated[int | float, number(0, LONGEST_THINK_TIME_S)]),
    "sending_rate_per_s": Setting("generator", Positive),
    "queue_mix": Setting(
        "generator",
        Annotated[
            str, matching("weights >= 1, such as send:40,pop:40,peek:10", f"{_WEIGHT}(,{_WEIGHT})*")
        ],
    ),
    "queues": Setting("generator", Count),
    "receivers": Setting("generator", Annotated[int, whole_number(0)]),
    "queued_messages": Setting("generator", Annotated[int, whole_number(0)], varies=False),
    "multi_get_keys": Setting("generator", Count),
    "value_bytes": Setting("generator", Annotated[int, whole_number(1, LARGEST_VALUE_BYTES)]),
    "key_bytes": Setting("generator", Annotated[int, whole_number(1, LARGEST_KEY_BYTES)]),
    "ratio": _text("sets to gets, such as 1:99", r"[1-9]\d*:[1-9]\d*"),
    "key_prefix": _text("letters, digits, `-`, `_`, `:`", r"[\w:-]+"),
    "key_count": Setting("generator", Count, varies=False),
    "expiry_range_s": _text("two numbers of seconds, 9999-10000", r"\d+-\d+"),
    "middleware": Setting(
        "middleware",
        Annotated[str, matching("the name of a middleware file, without its `.toml`", NAME)],
    ),
    "follow": Setting("generator", Count, varies=False),
    "workers": Setting("middleware", Count),
    "routing": Setting("middleware", Annotated[str, one_of(*ROUTINGS)]),
    "dispatch": Setting("middleware", Annotated[str, one_of(*DISPATCHES)]),
    "transport": Setting("middleware", Annotated[str, one_of(*TRANSPORTS)]),
    "sharded": Setting("middleware", bool),
    "replicas": Setting(
        "middleware",
        Annotated[
            int | str,
            told(
                f"a whole number >= 1 or `{ALL_SERVERS}`",
                lambda value: value == ALL_SERVERS or (isinstance(value, int) and value >= 1),
            ),
        ],
    ),
    "net_threads": Setting("middleware", Count),
    "backend": Setting("middleware", Annotated[str, one_of(*BACKENDS)]),
    "locks": Setting("middleware", Annotated[str, one_of(*LOCKS)]),
    "synchronous_commit": Setting("middleware", bool),
    "server_timeout_s": Setting("middleware", Positive, varies=False),
    "observed": Setting("middleware", Annotated[str, one_of(*OBSERVERS)]),
    "database_cpus": Setting("database", Positive),
    "autovacuum": Setting("database", bool),
    "open_transaction_s": Setting("database", Positive),
    "durable": Setting("database", bool),
    "fsync": Setting("database", bool, varies=False),
    "shared_buffers_mib": Setting("database", Count, varies=False),
    "max_connections": Setting("database", Count, varies=False),
}
"""Every setting of a run under load; those that may vary are the factors of a section."""

NETWORK_SETTINGS: Mapping[str, Setting] = {
    "kind": Setting("factors", Annotated[str, one_of("ping", "iperf3")])
}
"""What is measured of a network; the only factor of a section of that kind."""

OF_MIDDLEWARES = tuple(name for name, setting in SETTINGS.items() if setting.table == "middleware")
OF_DATABASES = (
    *(name for name, setting in SETTINGS.items() if setting.table == "database"),
    *("num_databases", "locks", "synchronous_commit", "queued_messages"),
)
OF_QUEUES = ("queue_mix", "queues", "receivers", "backend", *OF_DATABASES)
OF_CACHES = (
    *("num_servers", "multi_get_keys", "ratio", "key_bytes", "key_count", "expiry_range_s"),
    *("routing", "dispatch", "sharded", "replicas"),
)
"""What only says something of queues, and what only of caches."""


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
    def num_clients(self) -> int:
        """Number of virtual clients, each a connection with one request under way at most."""
        return self.instances * self.threads_per_instance * self.clients_per_thread

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
        }
        return {k: v for k, v in asdict(self).items() if v is not None and k not in unused}


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
    share = -(-settings.num_clients // targets)
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
    if settings.observed != OBSERVERS[0]:
        yield "observed: packets of databases tell nothing of requests; leave it out"
    connections = settings.num_middlewares * (settings.workers or 0)
    if settings.uses_databases and connections > settings.max_connections:
        yield (
            f"{connections} workers in all are more than the {settings.max_connections} "
            "connections that a database takes (database.max_connections)"
        )


def _key_mistakes(settings: Settings) -> Iterator[str]:
    try:
        keys = settings.keys
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
    if settings.routing == "consistent-hash":
        if settings.sharded:
            yield "sharded: consistent-hash splits multi-gets by owner anyway; leave it out"
        if settings.replicas != ALL_SERVERS and int(settings.replicas) > settings.num_servers:
            yield f"{settings.replicas} replicas need as many servers, got {settings.num_servers}"
    elif settings.replicas != 1:
        yield (
            f"replicas belongs to routing consistent-hash; {settings.routing} writes to all servers"
        )
