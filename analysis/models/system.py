"""Our system as a model sees it: hosts, links, sizes of messages, and times of processors."""

import math
from dataclasses import dataclass

import pandas as pd

from analysis.statistics.loads.message_sizes import link_seconds

MACHINE = "machine"  # the resource of all hosts that share one
CPU_TIMES = ("machine_time", "net_thread_time", "worker_time", "server_time")
_COUNTS = (
    "client_machines",
    "servers",
    "workers",
    "net_threads",
    "server_cores",
    "servers_per_request",
    "machine_cores",
)
_AMOUNTS = (
    "request_bytes",
    "reply_bytes",
    "server_request_bytes",
    "server_reply_bytes",
    "network_delay",
    "think_time",
    "net_thread_time",
    "worker_time",
    "server_time",
    "machine_time",
    "client_link_burst",
    "middleware_link_burst",
    "server_link_burst",
)


@dataclass(frozen=True, kw_only=True)
class System:
    """A closed system; times in seconds, sizes in bytes on the wire, rates in bit/s.

    Attributes
    ----------
    client_machines, middlewares, servers
        Numbers of hosts; 0 middlewares: each client talks to one server.
    workers, net_threads
        Of each middleware.
    server_cores
        CPUs of each server, which share one queue.
    servers_per_request
        To how many servers a middleware sends one request at the same time.
    request_bytes, reply_bytes
        Between client and middleware (or server).
    server_request_bytes, server_reply_bytes
        Between middleware and each of the servers; by default the same.
    client_link_rate, middleware_link_rate, server_link_rate
        What each host can send; ``math.inf`` for a link that takes no time.
    client_link_burst, middleware_link_burst, server_link_burst
        Bytes that the token bucket of each link holds, which pass at once; 0 for a link that is no
        token bucket. Only the simulation has them: they change response times, not the capacity.
    network_delay
        Of one message from host to host, beside the time on the link.
    think_time
        Of a client between reply and next request.
    net_thread_time, worker_time, server_time
        Processor time of one request in a middleware's net thread, in a worker, in each server.
    machine_time, machine_cores
        CPU time of one request on the machine that all hosts of a local lab share, all programs and
        the kernel together, and its cores: a station that each request visits once, at random times
        of service and with one queue for all cores. 0 where every host has CPUs of its own. Times
        of single threads stay at their own stations too, since one thread has one core at most; a
        response time without queues is too long by as much.
    """

    client_machines: int = 3
    middlewares: int = 0
    servers: int = 1
    workers: int = 64
    net_threads: int = 1
    server_cores: int = 1
    servers_per_request: int = 1
    request_bytes: float
    reply_bytes: float
    server_request_bytes: float | None = None
    server_reply_bytes: float | None = None
    client_link_rate: float = 200e6
    middleware_link_rate: float = 800e6
    server_link_rate: float = 100e6
    client_link_burst: float = 0.0
    middleware_link_burst: float = 0.0
    server_link_burst: float = 0.0
    network_delay: float = 0.0
    think_time: float = 0.0
    net_thread_time: float = 0.0
    worker_time: float = 0.0
    server_time: float = 0.0
    machine_time: float = 0.0
    machine_cores: int = 1

    def __post_init__(self) -> None:
        for name, smallest in {**dict.fromkeys(_COUNTS, 1), "middlewares": 0}.items():
            count = getattr(self, name)
            if not smallest <= count < math.inf or count != int(count):
                raise ValueError(f"{name} must be a whole number >= {smallest}, got {count}")
        for name in _AMOUNTS:
            amount = getattr(self, name)
            if amount is not None and not 0 <= amount < math.inf:
                raise ValueError(f"{name} must be >= 0 and finite, got {amount}")
        if self.servers_per_request > (self.servers if self.middlewares else 1):
            raise ValueError(
                "servers_per_request must not exceed the servers, nor 1 without middleware, "
                f"got {self.servers_per_request}"
            )
        for name in ("client_link_rate", "middleware_link_rate", "server_link_rate"):
            if not getattr(self, name) > 0:
                raise ValueError(f"{name} must be > 0, got {getattr(self, name)}")

    @property
    def to_server_bytes(self) -> float:
        """What one server receives of a request."""
        given = self.server_request_bytes
        return self.request_bytes if given is None else given

    @property
    def from_server_bytes(self) -> float:
        """What one server replies."""
        return self.reply_bytes if self.server_reply_bytes is None else self.server_reply_bytes

    def demands(self) -> pd.Series:
        """Seconds that one request needs of each host's resource, D = V S, by resource name."""
        share = self.servers_per_request / self.servers
        demands = {
            "client link": link_seconds(self.request_bytes, self.client_link_rate)
            / self.client_machines,
            "server": share * self.server_time / self.server_cores,
            "server link": share * link_seconds(self.from_server_bytes, self.server_link_rate),
        }
        if self.middlewares:
            sent = self.reply_bytes + self.servers_per_request * self.to_server_bytes
            demands |= {
                "net thread": self.net_thread_time / self.middlewares / self.net_threads,
                "middleware link": link_seconds(sent, self.middleware_link_rate) / self.middlewares,
            }
        if self.machine_time:
            demands[MACHINE] = self.machine_time / self.machine_cores
        return pd.Series(demands, name="service_demand_s")

    def link_bursts(self) -> dict[str, float]:
        """Seconds that each role's token bucket lasts at its link's rate."""
        return {
            "client": link_seconds(self.client_link_burst, self.client_link_rate),
            "middleware": link_seconds(self.middleware_link_burst, self.middleware_link_rate),
            "server": link_seconds(self.server_link_burst, self.server_link_rate),
        }
