"""The register of settings: each setting of a run is declared here, once, and used everywhere.

A field of `Settings` declares a setting: its name, also of its column in the tidy tables; its type,
which is the rule of its levels; its default; by `Setting`, who is told it by which option, and what
it is called; below it, what it means. Checks of section files, command lines of generators,
middlewares and databases, columns, rows of configuration tables and the manual are made from that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from records.documents import Count, Natural, Positive, matching, number, one_of, told, whole_number
from records.names import NAME

Level = str | int | float | bool
"""A value of a setting, in section files, manifests and tables."""
Table = Literal["hosts", "generator", "middleware", "database"]
"""The tables of a section file with constants; all but `hosts` are named after who is told them."""
Scope = Literal["all", "caches", "ring", "queues", "databases"]
"""The runs in which a setting changes anything; `ring` are those with consistent hashing."""

QUEUE = "queue"
RATIOS = {"set": "1:0", "get": "0:1"}
"""Workload to the generator's ratio of sets to gets, where the workload alone determines it."""
WORKLOADS = (*RATIOS, "multi-get", "mixed", QUEUE)
OWN_MIDDLEWARE = "mwlab"
"""The middleware of this project, which runs where a section names no other."""
CONSISTENT_HASH = "consistent-hash"
ROUTINGS = ("round-robin", "hash", CONSISTENT_HASH)
DISPATCHES = ("sequential", "pipelined")
TRANSPORTS = ("loop", "ktor")
MEMCACHED, POSTGRESQL, ECHO = "memcached", "postgresql", "echo"
BACKENDS = (MEMCACHED, POSTGRESQL, ECHO)
LOCKS = ("skip-locked", "row-locks")
UNOBSERVED, BY_PACKETS = "none", "packets"
OBSERVERS = (UNOBSERVED, BY_PACKETS)
ALL_SERVERS = "all"
ON_OFF = ("off", "on")
LARGEST_KEY_BYTES = 250
LARGEST_VALUE_BYTES = 1 << 20
_LARGEST_DEPTH = 1024
_LONGEST_THINK_TIME_S = 3600
_WEIGHT = "(send|pop|peek|list):[1-9][0-9]{0,8}"

_Replicas = Annotated[
    int | str,
    told(
        f"a whole number >= 1 or `{ALL_SERVERS}`",
        lambda value: value == ALL_SERVERS or (isinstance(value, int) and value >= 1),
    ),
]
_QueueMix = Annotated[
    str, matching("weights >= 1, such as send:40,pop:40,peek:10", f"{_WEIGHT}(,{_WEIGHT})*")
]


@dataclass(frozen=True)
class Setting:
    """What the register records about a setting beside its name, type and default.

    Attributes
    ----------
    table : of a section file, in which the setting stands where it is constant.
    label : its row in configuration tables, without the unit.
    option : argument that tells a level to the program that `table` names, with ``{}`` for the
        level, a time in ms and a rate per second of the clock; empty where the lab acts on it.
    unit : of its levels; levels in ``s`` and ``per s`` are in undilated time.
    legend : a level in the legends of figures.
    switch : what a program is told for false and for true.
    only : the runs in which the setting changes anything.
    varies : the setting may be a factor; others are constants only.
    """

    table: Table
    label: str
    option: str = ""
    unit: str = ""
    legend: str = "{}"
    switch: tuple[str, str] = ("false", "true")
    only: Scope = "all"
    varies: bool = True

    @property
    def heading(self) -> str:
        """The label with the unit in brackets."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    def on_clock(self, level: Level, time_dilation: float) -> Level:
        """Return a level as programs know it: in ms or per second of the clock, or as a switch."""
        if isinstance(level, bool):
            return self.switch[level]
        if isinstance(level, str) or self.unit not in ("s", "per s"):
            return level
        return 1000 * level * time_dilation if self.unit == "s" else level / time_dilation


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Everything that one run under load is set to.

    The order of the fields is that of columns and rows in all tables.
    """

    client_hosts: int
    """Hosts that generate load."""
    num_middlewares: Annotated[
        Natural, Setting("hosts", "Number of middlewares", legend="{} middlewares")
    ]
    """Hosts that run a middleware each."""
    num_servers: Annotated[
        Count, Setting("hosts", "Number of servers", only="caches", legend="{} servers")
    ]
    """Hosts that run memcached."""
    workload: Annotated[str, one_of(*WORKLOADS), Setting("generator", "Workload")]
    """`get`; `set`; `multi-get`, one set and then one get of `multi_get_keys` keys; `mixed`, at
    `ratio`; `queue`, messages at `queue_mix`."""
    clients_per_thread: Annotated[
        Count, Setting("generator", "Virtual clients per thread", "--clients={}")
    ]
    """Connections of each thread of the generator."""
    middleware: Annotated[
        str,
        matching("the name of a middleware file, without its `.toml`", NAME),
        Setting("middleware", "Middleware"),
    ] = OWN_MIDDLEWARE
    """Name of the middleware's file."""
    workers: Annotated[
        Count | None,
        Setting("middleware", "Worker threads per middleware", "-t {}", legend="{} workers"),
    ] = None
    """Workers of each middleware; needed for every middleware that can be told a number."""
    routing: Annotated[
        str, one_of(*ROUTINGS), Setting("middleware", "Routing", "--routing {}", only="caches")
    ] = ROUTINGS[0]
    """How the middleware chooses the server of a key."""
    dispatch: Annotated[
        str, one_of(*DISPATCHES), Setting("middleware", "Dispatch", "--dispatch {}", only="caches")
    ] = DISPATCHES[0]
    """Whether a worker waits for its servers (`sequential`) or not (`pipelined`)."""
    transport: Annotated[
        str, one_of(*TRANSPORTS), Setting("middleware", "Transport", "--transport {}")
    ] = TRANSPORTS[0]
    """What moves bytes in the middleware: its own event loop, or Ktor."""
    sharded: Annotated[
        bool, Setting("middleware", "Multi-get behaviour", "-s {}", only="caches")
    ] = False
    """The middleware splits multi-gets over all servers."""
    replicas: Annotated[
        _Replicas,
        Setting(
            "middleware", "Replicas of each key", "--replicas {}", only="ring", legend="R = {}"
        ),
    ] = 1
    """Servers that hold each key with routing `consistent-hash`."""
    multi_get_keys: Annotated[
        Count | None,
        Setting(
            "generator", "Multi-get size", "--multi-key-get={}", only="caches", legend="{} keys"
        ),
    ] = None
    """Keys of each get, with workload `multi-get` only."""
    arrival_rate_per_s: Annotated[
        Positive | None,
        Setting("generator", "Arrival rate", "--arrivals=poisson --rate={:.6f}", unit="per s"),
    ] = None
    """Poisson arrivals of all generators together, in undilated time; without it clients form a
    closed loop. Needs the drop-in generator."""
    ratio: Annotated[
        Annotated[str, matching("sets to gets, such as 1:99", r"[1-9]\d{0,8}:[1-9]\d{0,8}")] | None,
        Setting("generator", "Sets to gets", only="caches", varies=False),
    ] = None
    """Sets to gets, with workload `mixed` only."""
    key_bytes: Annotated[
        Annotated[int, whole_number(1, LARGEST_KEY_BYTES)] | None,
        Setting("generator", "Key size", unit="B", only="caches"),
    ] = None
    """Length of every key; without it a key is the prefix and a number."""
    value_bytes: Annotated[
        int,
        whole_number(1, LARGEST_VALUE_BYTES),
        Setting("generator", "Value size", "--data-size={}", unit="B"),
    ] = 4096
    """Size of each value."""
    key_prefix: Annotated[
        str,
        matching("letters, digits, `-`, `_`, `:`", r"[\w:-]+"),
        Setting("generator", "Key prefix", varies=False),
    ] = "memtier-"
    """The beginning of every key."""
    key_count: Annotated[
        Count, Setting("generator", "Key space", unit="keys", only="caches", varies=False)
    ] = 10_000
    """Number of different keys."""
    expiry_range_s: Annotated[
        str,
        matching("two numbers of seconds, 9999-10000", r"\d{1,9}-\d{1,9}"),
        Setting("generator", "Expiry", "--expiry-range={}", unit="s", only="caches", varies=False),
    ] = "9999-10000"
    """Range of times after which keys expire, in seconds of the clock; `0-0` is never."""
    instances_per_client: Annotated[
        Count, Setting("generator", "Instances of memtier per machine")
    ] = 1
    """Processes of the generator on each client host."""
    threads_per_instance: Annotated[
        Count, Setting("generator", "Threads per memtier instance", "--threads={}")
    ] = 1
    """Threads of each process of the generator."""
    follow: Annotated[
        Count | None,
        Setting("generator", "One request is followed of", "--follow=1/{}", varies=False),
    ] = None
    """Of so many requests of each connection, generator and middleware write down one with its
    times. Needs the drop-in generator."""
    observed: Annotated[str, one_of(*OBSERVERS), Setting("middleware", "Observed by")] = UNOBSERVED
    """What observes middlewares from outside; `packets` by default for a middleware that records
    nothing itself."""
    server_timeout_s: Annotated[
        Positive,
        Setting(
            "middleware", "Timeout of a server", "--server-timeout {:.0f}ms", unit="s", varies=False
        ),
    ] = 3.0
    """Longest time that the middleware waits for a server, in undilated time."""
    think_time_s: Annotated[
        Annotated[int | float, number(0, _LONGEST_THINK_TIME_S)] | None,
        Setting("generator", "Think time", "--think-time={:.6f}", unit="s", legend="Z = {} s"),
    ] = None
    """Time that each client of a closed loop waits after a reply, undilated. Needs the drop-in
    generator."""
    sending_rate_per_s: Annotated[
        Positive | None,
        Setting("generator", "Sending rate of a client", "--rate-limiting={:.10g}", unit="per s"),
    ] = None
    """Largest request rate of each client of a closed loop, undilated; a client that waits for a
    reply sends nothing."""
    queue_mix: Annotated[
        _QueueMix | None,
        Setting("generator", "Mix of queue operations", "--queue-mix={}", only="queues"),
    ] = None
    """Weights of the operations on queues."""
    queues: Annotated[Count, Setting("generator", "Queues", "--queues={}", only="queues")] = 1
    """Number of queues; each is named by `key_prefix` and a number."""
    receivers: Annotated[
        Natural, Setting("generator", "Receivers", "--receivers={}", only="queues")
    ] = 0
    """Number of receivers `r1`, `r2`, ...; without receivers, messages are for everyone."""
    backend: Annotated[
        str, one_of(*BACKENDS), Setting("middleware", "Back end", "--backend {}", only="queues")
    ] = MEMCACHED
    """What is behind the middleware; `echo` answers by itself, without a database."""
    num_databases: Annotated[
        Count, Setting("hosts", "Number of databases", only="databases", legend="{} databases")
    ] = 0
    """Hosts that run PostgreSQL."""
    database_cpus: Annotated[
        Positive | None, Setting("database", "CPUs of a database", only="databases")
    ] = None
    """CPUs of each database's host in undilated time, on the local lab only; without it what the
    topology says."""
    locks: Annotated[
        str, one_of(*LOCKS), Setting("middleware", "Locks", "--locks {}", only="databases")
    ] = LOCKS[0]
    """How concurrent takers of messages treat a locked message: pass it by, or wait."""
    synchronous_commit: Annotated[
        bool,
        Setting(
            "middleware",
            "Synchronous commit",
            "--synchronous-commit {}",
            switch=ON_OFF,
            only="databases",
        ),
    ] = True
    """PostgreSQL acknowledges a transaction only once its log is written."""
    autovacuum: Annotated[
        bool, Setting("database", "Autovacuum", "autovacuum={}", switch=ON_OFF, only="databases")
    ] = True
    """PostgreSQL removes dead rows while clients work, once a second of undilated time."""
    open_transaction_s: Annotated[
        Positive | None, Setting("database", "Open transaction", unit="s", only="databases")
    ] = None
    """For how long a transaction stays open in each database, from a sixth of the stable window on,
    undilated; `stable_s` must be 1.5 times as long."""
    durable: Annotated[bool, Setting("database", "Database on a disk", only="databases")] = False
    """The database is on the disk of `/var/tmp`, not in memory."""
    queued_messages: Annotated[
        Natural, Setting("generator", "Messages at the start", only="databases", varies=False)
    ] = 1000
    """Messages that wait in all queues together when clients begin."""
    fsync: Annotated[
        bool,
        Setting("database", "Fsync", "fsync={}", switch=ON_OFF, only="databases", varies=False),
    ] = True
    """PostgreSQL waits until the disk has stored what was committed."""
    shared_buffers_mib: Annotated[
        Count,
        Setting(
            "database",
            "Shared buffers",
            "shared_buffers={}MB",
            unit="MiB",
            only="databases",
            varies=False,
        ),
    ] = 128
    """PostgreSQL's `shared_buffers`."""
    max_connections: Annotated[
        Count, Setting("database", "Connections of a database", only="databases", varies=False)
    ] = 500
    """Connections that PostgreSQL accepts from middlewares."""
    net_threads: Annotated[
        Count | None, Setting("middleware", "Net threads per middleware", "--net-threads {}")
    ] = None
    """Threads that move bytes, at most as many as workers; without it the middleware's default."""
    depth: Annotated[
        Annotated[int, whole_number(1, _LARGEST_DEPTH)] | None,
        Setting(
            "middleware",
            "Requests under way of a client in a middleware",
            "--depth {}",
            legend="depth {}",
        ),
    ] = None
    """Most requests of a connection that the middleware works on at a time, which matters only with
    a larger `pipeline`; without it the middleware's own default."""
    pipeline: Annotated[
        Count,
        Setting(
            "generator",
            "Requests under way of a connection",
            "--pipeline={}",
            only="caches",
            legend="pipeline {}",
        ),
    ] = 1
    """Requests of each connection under way at a time, in a closed loop without think times and
    sending rates. N, the number of clients in Little's law, bounds and all tables, is connections
    times `pipeline`."""

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
    def copies(self) -> int:
        """Number of servers that store a set."""
        if not self.num_middlewares:
            return 1
        if self.routing != CONSISTENT_HASH or self.replicas == ALL_SERVERS:
            return self.num_servers
        return int(self.replicas)

    @property
    def expires_after_s(self) -> int:
        """Shortest life of a key, 0 for keys that never expire."""
        return int(self.expiry_range_s.split("-")[0])

    def applies(self, name: str) -> bool:
        """Tell whether a setting changes anything in this run."""
        if name not in SETTINGS:
            return True
        scopes: Mapping[Scope, bool] = {
            "all": True,
            "caches": not self.uses_queues,
            "ring": self.routing == CONSISTENT_HASH,
            "queues": self.uses_queues,
            "databases": self.uses_databases,
        }
        has_recipient = self.num_middlewares > 0 or name not in OF_MIDDLEWARES
        return has_recipient and scopes[SETTINGS[name].only]

    def to_dict(self) -> dict[str, Level]:
        """Return the settings as the manifest keeps them, without those that do not apply.

        Manifests have replicas for all routings, and no `pipeline` of 1, which older ones lack.
        """
        return {
            name: level
            for name, level in asdict(self).items()
            if level is not None
            and self.applies("routing" if name == "replicas" else name)
            and (name != "pipeline" or level > 1)
        }

    def options(self, table: Table, time_dilation: float) -> Iterator[str]:
        """Yield the arguments that tell a program all of its settings that change anything."""
        for name, level in self.to_dict().items():
            setting = SETTINGS.get(name)
            if setting and setting.table == table and self.applies(name):
                yield from setting.option.format(setting.on_clock(level, time_dilation)).split()


def _declared() -> Iterator[tuple[str, Setting, Any]]:
    """Yield the name and metadata of every setting, and its rule: the type without None."""
    for name, hint in get_type_hints(Settings, include_extras=True).items():
        if get_origin(hint) is Annotated:
            kind, *rules, setting = get_args(hint)
            if type(None) in get_args(kind):
                (kind,) = (one for one in get_args(kind) if one is not type(None))
            yield name, setting, Annotated[kind, *rules] if rules else kind


_DECLARED = tuple(_declared())
SETTINGS: Mapping[str, Setting] = {name: setting for name, setting, _ in _DECLARED}
"""Every setting of a run under load."""
RULES: Mapping[str, Any] = {name: rule for name, _, rule in _DECLARED}
"""Name of a setting to the type of its levels, for a `records.documents.Document`."""
FACTORS = tuple(name for name, setting in SETTINGS.items() if setting.varies)
"""The settings that may vary within a section."""
OF_MIDDLEWARES = tuple(n for n, setting in SETTINGS.items() if setting.table == "middleware")
OF_CACHES = tuple(n for n, setting in SETTINGS.items() if setting.only in ("caches", "ring"))
OF_QUEUES = tuple(n for n, setting in SETTINGS.items() if setting.only in ("queues", "databases"))
DEFAULTS = Settings(
    client_hosts=1, num_middlewares=0, num_servers=1, workload="get", clients_per_thread=1
)
NETWORK_RULES: Mapping[str, Any] = {"kind": Annotated[str, one_of("ping", "iperf3")]}
"""What is measured of a network: the only factor of a section of that kind."""
