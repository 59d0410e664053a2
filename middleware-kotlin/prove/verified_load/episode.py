"""One episode: a system of its own, load, a fault, and what must hold during and after it."""

from __future__ import annotations

import asyncio
import random
import re
import signal
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from verified_load.ledger import Ledger, ring_owners
from verified_load.relay import Relay
from verified_load.results import objections_to_remains, objections_to_results
from verified_load.system import NUM_SERVERS, Setup, System
from verified_load.verifier import (
    MULTI_GET_KEYS,
    Client,
    Findings,
    Request,
    Rules,
    Tally,
    read_directly,
    read_statistics,
)

CLIENTS = 24
SHORT_SERVER_TIMEOUT_S = 0.4
SERVER_TIMEOUT_S = 3.0
AFTER_S = 0.3
RECOVERY_TIMEOUT_S = 15
SETTLE_S = 0.2
ROUTINGS: tuple[tuple[str, int | None], ...] = (
    ("round-robin", None),
    ("hash", None),
    ("consistent-hash", 1),
    ("consistent-hash", 2),
)
TYPES = {"get", "set", *(f"multi-get-{keys}" for keys in MULTI_GET_KEYS)}
# The connection that asks is one.
AT_REST = {"mw_curr_connections": 1, "mw_queue_length": 0, "mw_buffer_bytes": 0}
SHOWN_CHARACTERS = 2000
LATE = re.compile(r"middleware: (\d+) requests came too late to be answered")
OUT_OF_MEMORY = "SERVER_ERROR out of memory storing object"


@dataclass
class Outcome:
    """What an episode has shown."""

    fault: str
    number: int
    setup: dict[str, Any]
    requests: int = 0
    errors: int = 0
    longest_s: float = 0.0
    wrong: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)

    @property
    def is_good(self) -> bool:
        """Whether all was as it must be."""
        return not (self.wrong or self.missing or self.failures)


def setup_of(number: int, rng: random.Random) -> Setup:
    """Spread the episodes of a fault over the routings and dispatches, the rest by chance."""
    routing, replicas = ROUTINGS[number % len(ROUTINGS)]
    return Setup(
        routing=routing,
        replicas=replicas,
        dispatch=("sequential", "pipelined")[number // len(ROUTINGS) % 2],
        is_sharded=rng.random() < 0.5,
        has_failover=rng.random() < 0.5,
        net_threads=rng.randint(1, 2),
        depth=rng.choice((1, 16)),
    )


@dataclass(frozen=True, kw_only=True)
class Kind:
    """One kind of fault.

    Attributes
    ----------
    befall : callable
        Brings the fault upon an episode, and ends it.
    has_relay : bool
        The faulty server is behind a relay.
    hangs : bool
        Servers may be silent: the server timeout is short, so that any server of a busy machine may
        exceed it.
    hits_servers : bool
        Requests for the faulty server may fail.
    server_options : str
        Of the faulty memcached.
    options : str
        Further options of the middleware.
    before_s : float
        Load before the fault.
    """

    befall: Callable[[Episode, random.Random], Awaitable[None]]
    has_relay: bool = False
    hangs: bool = False
    hits_servers: bool = True
    server_options: str = "-m 64"
    options: str = ""
    before_s: float = 0.5


class Episode:
    """Episode `number` of a fault; all chance in it is of `seed`."""

    def __init__(self, fault: str, kind: Kind, number: int, seed: int):
        rng = random.Random(f"{seed}/{fault}/{number}")
        self.kind = kind
        setup = setup_of(number, rng)
        self.outcome = Outcome(fault, number, asdict(setup))
        self.server_timeout_s = SHORT_SERVER_TIMEOUT_S if self.kind.hangs else SERVER_TIMEOUT_S
        self.system = System(setup, rng.randrange(NUM_SERVERS), self.kind.server_options)
        self.ledger: Ledger
        self.rules: Rules
        self._seed = rng.randrange(2**32)
        self._rng = rng
        self._findings = Findings(self.outcome.wrong, self.outcome.missing)
        self._clients: list[Client] = []
        self._is_calm = False

    async def run(self) -> Outcome:
        """Start the system, load it, let the fault befall it, and check; ends all it started."""
        with tempfile.TemporaryDirectory(prefix="episode-") as folder:
            try:
                await self._start(Path(folder))
                await self._pass()
            finally:
                self.system.end()
        self.outcome.longest_s = round(self._findings.longest_s, 3)
        return self.outcome

    async def _pass(self) -> None:
        try:
            await self._load()
            await self._check_writes()
            await self._check_recovery()
            await self._check_results()
        except (TimeoutError, OSError, asyncio.IncompleteReadError) as lost:
            self.fail(f"gave up: {lost!r}; the middleware said:\n{self._said()}")

    @property
    def relay(self) -> Relay:
        """The relay before the faulty server."""
        assert self.system.relay is not None
        return self.system.relay

    def fail(self, reason: str) -> None:
        """Note what must not be and is no matter of a single reply."""
        self.outcome.failures.append(reason)

    async def await_statistic(self, name: str, value: int) -> None:
        """Wait until the middleware tells `value` of `name`; a failure if it does not in time."""
        await self._await_statistics(
            lambda told: told.get(name) == str(value), lambda told: f"{name} is {told.get(name)}"
        )

    async def restart_middleware(self, number: signal.Signals) -> None:
        """End the middleware with a signal, check what it leaves, and start it again."""
        middleware = self.system.middleware
        self.rules.may_close = True
        self.rules.is_up.clear()
        sent_s = time.time()
        middleware.send(number)
        late = await self._check_end(0 if number == signal.SIGTERM else -number)
        self.rules.generation += 1
        for client in self._clients:
            await client.idle()
        tallies = self._take_tallies()
        unanswered = sum(tally.sent.total() - tally.answered.total() for tally in tallies)
        if late > unanswered:
            self.fail(f"reports {late} late requests, but only {unanswered} have no answer")
        if number == signal.SIGTERM:
            self._note(objections_to_results(middleware.results, tallies, TYPES))
        else:
            self._note(objections_to_remains(middleware.results, tallies, sent_s))
        await asyncio.to_thread(middleware.start)
        self.rules.may_close = False
        self.rules.is_up.set()

    async def _start(self, folder: Path) -> None:
        options = f"--server-timeout {int(self.server_timeout_s * 1000)}ms {self.kind.options}"
        await self.system.start(options.split(), folder, has_relay=self.kind.has_relay)
        self.rules = Rules(
            port=self.system.middleware.port,
            bound_s=5 + 3 * self.server_timeout_s,
            is_expected=self._is_expected,
        )
        self.rules.is_up.set()
        self.ledger = Ledger(CLIENTS, self._seed, self._holders())
        self.ledger.may_drop_old = self.outcome.fault == "server-full"
        self._clients = [
            Client(number, self.rules, self.ledger, self._findings, self._seed)
            for number in range(CLIENTS)
        ]
        await self._await_connections()
        self._is_calm = True
        await asyncio.gather(*(client.write_own() for client in self._clients))
        self._is_calm = False

    def _holders(self) -> Callable[[str], list[int]]:
        replicas = self.system.setup.replicas
        if replicas is None:
            return lambda _: list(range(NUM_SERVERS))
        return lambda key: ring_owners(key, self.system.addresses, replicas)

    async def _load(self) -> None:
        stopped = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            for client in self._clients:
                group.create_task(client.run(stopped))
            await asyncio.sleep(self.kind.before_s)
            await self.kind.befall(self, self._rng)
            await asyncio.sleep(AFTER_S)
            stopped.set()
        await self._await_connections()
        await asyncio.sleep(SETTLE_S)

    async def _check_writes(self) -> None:
        """Look for what was acknowledged on every server that holds the key and has not lost it."""
        for index, server in enumerate(self.system.servers):
            keys = [key for key in self.ledger.keys if index in self.ledger.holders(key)]
            found = await read_directly(server.port, keys)
            for key in keys:
                since = self.ledger.snapshot(key)
                objection = (
                    self.ledger.objection_to_value(key, since, *found[key])
                    if key in found
                    else self.ledger.objection_to_miss(key, since, index)
                )
                if objection is not None:
                    self._findings.complain_wrong(f"on server {index}: {objection}")

    async def _check_recovery(self) -> None:
        """Write and read everything: no request fails, and all servers have what they should."""
        self._is_calm = True
        await asyncio.gather(*(client.write_own() for client in self._clients))
        unsettled = [key for key in self.ledger.keys if not self.ledger.is_settled(key)]
        if unsettled:
            self.fail(f"not stored after the fault: {', '.join(unsettled[:5])}")
        self.ledger.settle()
        await asyncio.gather(*(client.read_all() for client in self._clients[:4]))
        await self._check_writes()

    async def _check_results(self) -> None:
        """End the middleware in order; its results are complete and agree with the clients."""
        for client in self._clients:
            client.close()
        for name, value in AT_REST.items():
            await self.await_statistic(name, value)
        middleware = self.system.middleware
        middleware.send(signal.SIGTERM)
        if await self._check_end(0):
            self.fail(f"requests came too late, though all were answered:\n{self._said()}")
        self._note(objections_to_results(middleware.results, self._take_tallies(), TYPES))

    async def _check_end(self, expected: int) -> int:
        """Wait until the process ends; it may print its address and its late requests, no more.

        Returns
        -------
        int
            Requests that came too late to be answered, by the process's own count.
        """
        status = await asyncio.to_thread(self.system.middleware.wait)
        said = self._said().splitlines()
        late = LATE.fullmatch(said[-1]) if said else None
        if status != expected or len(said) != (2 if late else 1):
            self.fail(f"exit status {status}, due was {expected}, and it said:\n{self._said()}")
        return int(late[1]) if late else 0

    def _said(self) -> str:
        return self.system.middleware.said()[-SHOWN_CHARACTERS:]

    def _take_tallies(self) -> list[Tally]:
        tallies = [client.tally for client in self._clients]
        for client, tally in zip(self._clients, tallies, strict=True):
            self.outcome.requests += sum(tally.sent.values())
            self.outcome.errors += sum(tally.errors.values())
            client.tally = Tally()
        return tallies

    def _note(self, objections: list[str]) -> None:
        self.outcome.failures += objections

    def _is_expected(self, line: str, request: Request) -> bool:
        """Whether a request may be answered with this error."""
        if self._is_calm or not self.kind.hits_servers:
            return False
        if self.outcome.fault == "server-full":
            return bool(request.version) and line == OUT_OF_MEMORY and self._asks_faulty(request)
        if self.kind.hangs:
            return any(_names(line, address) for address in self.system.addresses)
        has_other = self.system.setup.has_failover and self.system.setup.copies > 1
        if has_other and not request.version:
            return False
        return _names(line, self.system.faulty_address) and self._asks_faulty(request)

    def _asks_faulty(self, request: Request) -> bool:
        setup, faulty = self.system.setup, self.system.faulty
        if setup.replicas is None:
            return True
        asked = [self.ledger.holders(key) for key in request.keys]
        is_for_all = bool(request.version) or setup.has_failover
        return any(faulty in (owners if is_for_all else owners[:1]) for owners in asked)

    async def _await_connections(self) -> None:
        """Wait until every connection to every server is up."""

        def is_up(told: dict[str, str]) -> bool:
            names = [f"mw_server:{address}:connections" for address in self.system.addresses]
            return all(name in told and told[name] == told[f"{name}_up"] for name in names)

        await self._await_statistics(
            is_up, lambda told: f"connections: { {k: v for k, v in told.items() if '_up' in k} }"
        )

    async def _await_statistics(
        self, is_reached: Callable[[dict[str, str]], bool], tell: Callable[[dict[str, str]], str]
    ) -> None:
        deadline_s = time.monotonic() + RECOVERY_TIMEOUT_S
        while not is_reached(told := await read_statistics(self.rules.port)):
            if time.monotonic() > deadline_s:
                self.fail(f"after {RECOVERY_TIMEOUT_S} s: {tell(told)}")
                return
            await asyncio.sleep(0.05)


def _names(line: str, address: str) -> bool:
    return re.fullmatch(f"SERVER_ERROR {re.escape(address)} [ -~]+", line) is not None
