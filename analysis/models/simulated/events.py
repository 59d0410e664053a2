"""The event loop of the simulation, and what a request goes through.

A client sends over its machine's link; a middleware's net thread reads; the request queues for a
worker, which sends it to its servers and waits for all of them; the reply goes back. Every line is
first come, first served, so that an arrival knows at once when it will leave.
"""

import heapq
from collections import deque
from collections.abc import Callable, Sequence
from itertools import count
from random import Random

import pandas as pd

from analysis.models.system import MACHINE, System

Times = tuple[float, float, float]  # at the middleware: response, queueing and service time


class Line:
    """One server and its queue, first come, first served.

    A line with a burst is a link whose limit is a token bucket: what fits into the bucket passes at
    once, up to `burst_s` seconds before a link without one would be done with it.
    """

    __slots__ = ("burst_s", "busy_s", "free_at")

    def __init__(self, burst_s: float = 0.0) -> None:
        self.burst_s = burst_s
        self.free_at = 0.0
        self.busy_s = 0.0

    def leave_at(self, now: float, service_time: float) -> float:
        """Join at `now`, in order of time; return when the service is done."""
        done = (self.free_at if self.free_at > now else now) + service_time
        self.free_at = done
        self.busy_s += service_time
        return max(now, done - self.burst_s) if self.burst_s else done

    def busy_until(self, now: float) -> float:
        """Seconds of service given up to `now`."""
        return self.busy_s - max(0.0, self.free_at - now)


class Machine:
    """Cores with one queue for all of them: those that all hosts of a lab share, or of one host."""

    def __init__(self, cores: int) -> None:
        self.free_at = [0.0] * cores  # a heap
        self.busy_s = 0.0

    def leave_at(self, now: float, service_time: float) -> float:
        """Join at `now`, in order of time; return when the core that is free first is done."""
        done = max(now, self.free_at[0]) + service_time
        heapq.heapreplace(self.free_at, done)
        self.busy_s += service_time
        return done

    def busy_until(self, now: float) -> float:
        """Seconds of service given up to `now`, by all cores."""
        return self.busy_s - sum(max(0.0, free_at - now) for free_at in self.free_at)


class Host:
    """A server: its processors and its link."""

    def __init__(self, burst_s: float, cores: int = 1) -> None:
        self.cores = cores
        self.processor: Line | Machine = Machine(cores) if cores > 1 else Line()
        self.link = Line(burst_s)


class Middleware(Host):
    """Net threads, a job queue, the free workers, and one link."""

    def __init__(self, workers: int, burst_s: float, net_threads: int = 1) -> None:
        super().__init__(burst_s, net_threads)
        self.jobs: deque[Request] = deque()
        self.free_workers = deque(Worker(index) for index in range(workers))
        self.workers_busy_s = 0.0


class Worker:
    """A worker slot and the server that it will use next."""

    __slots__ = ("next_server",)

    def __init__(self, index: int) -> None:
        self.next_server = index


class Request:
    """One client's request, sent again and again, with the times of its present round.

    `machine` and `middleware` are the indices of the client machine and the middleware that it
    goes through.
    """

    __slots__ = (
        "client", "dequeued", "enqueued", "machine", "middleware", "outstanding", "received",
        "sent", "worker",
    )  # fmt: skip

    def __init__(self, client: int, machine: int, middleware: int) -> None:
        self.client, self.machine, self.middleware = client, machine, middleware
        self.worker = Worker(client)  # until a middleware gives it one of its own
        self.outstanding = 0
        self.sent = self.received = self.enqueued = self.dequeued = 0.0


class Run:
    """The state of one simulation; `completed` holds a row for each answered request.

    Its columns: time of completion, response time at the client, and response, queueing and
    service time at the middleware, all in seconds.
    """

    def __init__(
        self, system: System, *, seed: int, vary_processors: bool, vary_links: bool, in_turn: bool
    ) -> None:
        self.system = system
        self.network_delay = system.network_delay
        self.servers_per_request = system.servers_per_request
        self.random = Random(seed)
        self.processor_time = self._drawn if vary_processors else _constant
        self.link_time = self._drawn if vary_links else _constant
        self.in_turn = in_turn
        self.now = 0.0
        self.events: list[tuple[float, int, Callable[..., None], Request, Host | Times | None]] = []
        self.order = count()
        bursts = system.link_bursts()
        self.clients = [Line(bursts["client"]) for _ in range(system.client_machines)]
        self.middlewares = [
            Middleware(system.workers, bursts["middleware"], system.net_threads)
            for _ in range(system.middlewares)
        ]
        self.servers = [Host(bursts["server"], system.server_cores) for _ in range(system.servers)]
        self.machine = Machine(system.machine_cores) if system.machine_time else None
        self.completed: list[tuple[float, float, float, float, float]] = []
        self.arrival_rate: float | None = None
        rates = (system.client_link_rate, system.middleware_link_rate, system.server_link_rate)
        client, middleware, server = (8 / rate for rate in rates)
        self.request_time = system.request_bytes * client
        self.to_server_time = system.to_server_bytes * middleware
        self.from_server_time = system.from_server_bytes * server
        self.reply_time = system.reply_bytes * middleware

    def start_clients(self, num_clients: int, within_s: float) -> None:
        """Let closed clients send their first requests at times spread over `within_s`."""
        for client in range(num_clients):
            self._at(self.random.uniform(0, within_s), self._send, self._request(client))

    def start_arrivals(self, arrival_rate: float) -> None:
        """Let requests arrive at random, whatever has become of those before."""
        self.arrival_rate = arrival_rate
        self._at(self.random.expovariate(arrival_rate), self._arrive, self._request(0))

    def advance(self, until: float) -> None:
        """Handle all events up to a time."""
        events, take = self.events, heapq.heappop
        while events and events[0][0] <= until:
            self.now, _, action, request, more = take(events)
            if more is None:
                action(request)
            else:
                action(request, more)
        self.now = until

    def busy_s(self) -> pd.Series:
        """Seconds that resources were busy so far, means over the hosts of a kind."""
        lines = {
            "client link": self.clients,
            "middleware link": [host.link for host in self.middlewares],
            "server link": [host.link for host in self.servers],
        }
        busy = {
            name: sum(line.busy_until(self.now) for line in kind) / len(kind)
            for name, kind in lines.items()
            if kind
        }
        processors: dict[str, Sequence[Host]] = {
            "net thread": self.middlewares,
            "server": self.servers,
        }
        for name, hosts in processors.items():
            if hosts:
                spent = sum(host.processor.busy_until(self.now) for host in hosts)
                busy[name] = spent / sum(host.cores for host in hosts)
        if self.middlewares:
            held = sum(host.workers_busy_s for host in self.middlewares)
            busy["workers"] = held / len(self.middlewares) / self.system.workers
        if self.machine:
            busy[MACHINE] = self.machine.busy_until(self.now) / self.system.machine_cores
        return pd.Series(busy)

    def _at(
        self,
        time: float,
        action: Callable[..., None],
        request: Request,
        more: Host | Times | None = None,
    ) -> None:
        heapq.heappush(self.events, (time, next(self.order), action, request, more))

    def _drawn(self, mean: float) -> float:
        return self.random.expovariate(1 / mean) if mean else mean

    def _request(self, client: int) -> Request:
        machine = client % len(self.clients)
        return Request(client, machine, client // len(self.clients) % max(1, len(self.middlewares)))

    def _arrive(self, request: Request) -> None:
        self._send(request)
        rate = self.arrival_rate or 0.0
        following = self._request(request.client + 1)
        self._at(self.now + self.random.expovariate(rate), self._arrive, following)

    def _send(self, request: Request) -> None:
        request.sent = self.now
        if self.machine:
            done = self.machine.leave_at(self.now, self.processor_time(self.system.machine_time))
            self._at(done, self._transmit, request)
        else:
            self._transmit(request)

    def _transmit(self, request: Request) -> None:
        link = self.clients[request.machine]
        arrival = link.leave_at(self.now, self.link_time(self.request_time)) + self.network_delay
        if self.middlewares:
            self._at(arrival, self._receive, request)
        else:
            request.outstanding = 1
            server = self.servers[request.client % len(self.servers)]
            self._at(arrival, self._serve, request, server)

    def _receive(self, request: Request) -> None:
        request.received = self.now
        net_thread = self.middlewares[request.middleware].processor
        done = net_thread.leave_at(self.now, self.processor_time(self.system.net_thread_time))
        self._at(done, self._enqueue, request)

    def _enqueue(self, request: Request) -> None:
        request.enqueued = self.now
        middleware = self.middlewares[request.middleware]
        if middleware.free_workers:
            self._dequeue(request, middleware.free_workers.popleft())
        else:
            middleware.jobs.append(request)

    def _dequeue(self, request: Request, worker: Worker) -> None:
        request.dequeued, request.worker = self.now, worker
        done = self.now + self.processor_time(self.system.worker_time)
        self._at(done, self._dispatch, request)

    def _dispatch(self, request: Request) -> None:
        servers, link = self.servers, self.middlewares[request.middleware].link
        worker = request.worker
        first = worker.next_server if self.in_turn else self.random.randrange(len(servers))
        worker.next_server += 1
        request.outstanding = self.servers_per_request
        for server in range(first, first + self.servers_per_request):
            arrival = link.leave_at(self.now, self.link_time(self.to_server_time))
            host = servers[server % len(servers)]
            self._at(arrival + self.network_delay, self._serve, request, host)

    def _serve(self, request: Request, server: Host) -> None:
        service_time = self.processor_time(self.system.server_time)
        served = server.processor.leave_at(self.now, service_time)
        if server.cores > 1:  # they are done in another order than they came in
            self._at(served, self._answer, request, server)
        else:
            self._transmit_reply(request, server, served)

    def _answer(self, request: Request, server: Host) -> None:
        self._transmit_reply(request, server, self.now)

    def _transmit_reply(self, request: Request, server: Host, ready: float) -> None:
        sent = server.link.leave_at(ready, self.link_time(self.from_server_time))
        self._at(sent + self.network_delay, self._answered, request)

    def _answered(self, request: Request) -> None:
        request.outstanding -= 1
        if request.outstanding:
            return
        if self.middlewares:
            self._reply(request)
        else:
            self._finish(request, (0.0, 0.0, 0.0))

    def _reply(self, request: Request) -> None:
        now, middleware = self.now, self.middlewares[request.middleware]
        service_time = now - request.dequeued
        middleware.workers_busy_s += service_time
        times = (now - request.received, request.dequeued - request.enqueued, service_time)
        arrival = middleware.link.leave_at(now, self.link_time(self.reply_time))
        self._at(arrival + self.network_delay, self._finish, request, times)
        if middleware.jobs:
            self._dequeue(middleware.jobs.popleft(), request.worker)
        else:
            middleware.free_workers.append(request.worker)

    def _finish(self, request: Request, times: Times) -> None:
        self.completed.append((self.now, self.now - request.sent, *times))
        if self.arrival_rate is None:
            think_time = self.processor_time(self.system.think_time)
            self._at(self.now + think_time, self._send, request)


def _constant(mean: float) -> float:
    return mean
