"""What may be set of a run at all: kinds, tables of a section file, and what each says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from records.documents import Count, Positive, matching, number, one_of, told, whole_number
from records.names import NAME
from remote.services.memtier import LARGEST_KEY_BYTES, WORKLOADS
from remote.services.middleware import (
    BACKENDS,
    DISPATCHES,
    LARGEST_DEPTH,
    LARGEST_VALUE_BYTES,
    LOCKS,
    ROUTINGS,
    TRANSPORTS,
)

Level = str | int | float | bool
ALL_SERVERS = "all"
OBSERVERS = ("none", "packets")
LONGEST_THINK_TIME_S = 3600
_WEIGHT = "(send|pop|peek|list):[1-9][0-9]{0,8}"


@dataclass(frozen=True)
class Setting:
    """What a setting may be, and in which table of a section file it stands when it is constant.

    Attributes
    ----------
    kind : for a `records.documents.Document`.
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
    "pipeline": Setting("generator", Count),
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
    "ratio": _text("sets to gets, such as 1:99", r"[1-9]\d{0,8}:[1-9]\d{0,8}"),
    "key_prefix": _text("letters, digits, `-`, `_`, `:`", r"[\w:-]+"),
    "key_count": Setting("generator", Count, varies=False),
    "expiry_range_s": _text("two numbers of seconds, 9999-10000", r"\d{1,9}-\d{1,9}"),
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
    "depth": Setting("middleware", Annotated[int, whole_number(1, LARGEST_DEPTH)]),
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
    *("pipeline", "routing", "dispatch", "sharded", "replicas"),
)
"""What only says something of queues, and what only of caches."""
