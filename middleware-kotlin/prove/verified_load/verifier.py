"""Clients that know what every reply must be.

Each one sends gets, multi-gets and sets, one after the other or up to 16 ahead, and holds every
reply against its request and the ledger. What does not fit is kept in words.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from verified_load.ledger import (
    KIB,
    LARGE_VALUE_BYTES,
    LARGEST_VALUE_BYTES,
    Ledger,
    Snapshot,
    flags_of,
    keys_of,
)

STREAM_BYTES = 256 * KIB
MULTI_GET_KEYS = (2, 3, 4, 6, 7, 8, 9)
THINK_TIME_S = 0.004
LONGEST_BURST = 16
SHARE_OF_LARGE_VALUES = 0.02
KEPT_COMPLAINTS = 20
SHOWN_CHARACTERS = 120


class Request(NamedTuple):
    """A request as it was sent; `version` is that of a set, `since` what a get must find."""

    keys: list[str]
    since: list[Snapshot]
    message: bytes
    version: int
    sent_s: float

    @property
    def type(self) -> str:
        """The name under which the middleware counts it."""
        if self.version:
            return "set"
        return "get" if len(self.keys) == 1 else f"multi-get-{len(self.keys)}"


@dataclass
class Tally:
    """What the clients have sent to one process, and what came back; by type of request."""

    sent: Counter[str] = field(default_factory=Counter)
    answered: Counter[str] = field(default_factory=Counter)
    errors: Counter[str] = field(default_factory=Counter)
    hits: Counter[str] = field(default_factory=Counter)
    misses: Counter[str] = field(default_factory=Counter)
    answered_at: list[float] = field(default_factory=list)
    """The epoch second of every answer."""


@dataclass
class Findings:
    """What must not be, in words: the first replies that do not fit, or are missing."""

    wrong: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    longest_s: float = 0.0
    """The longest time that an answer took from when it was the next one due."""

    def complain_wrong(self, complaint: str) -> None:
        """Keep what a reply was that does not fit."""
        if len(self.wrong) < KEPT_COMPLAINTS:
            self.wrong.append(complaint)

    def complain_missing(self, complaint: str) -> None:
        """Keep which reply is missing."""
        if len(self.missing) < KEPT_COMPLAINTS:
            self.missing.append(complaint)


@dataclass
class Rules:
    """What the clients go by; a fault changes it as it comes and goes."""

    port: int
    bound_s: float
    is_expected: Callable[[str, Request], bool]
    may_close: bool = False
    """Whether the middleware may close a connection of a client that behaves."""
    is_up: asyncio.Event = field(default_factory=asyncio.Event)
    """Whether there is somebody to connect to."""
    generation: int = 0
    """How many processes there have been before this one."""


class Closed(Exception):
    """The middleware has closed the connection."""


class LostCount(Exception):
    """What came is no reply to what was asked; all that follows belongs to nobody knows what."""


class Client:
    """One client; what it finds goes to `findings`, what it counts to `tally`."""

    def __init__(self, writer_id: int, rules: Rules, ledger: Ledger, findings: Findings, seed: int):
        self._rng = random.Random(f"{seed}/{writer_id}")
        self._rules = rules
        self._ledger = ledger
        self._findings = findings
        self._all_keys = ledger.keys
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._generation = 0
        self._exchange = asyncio.Lock()
        self._longest_burst = LONGEST_BURST if writer_id % 2 else 1
        self.own_keys = keys_of(writer_id)
        self.tally = Tally()

    async def run(self, stopped: asyncio.Event) -> None:
        """Send what comes to mind until told to stop; answers are awaited even then."""
        while not stopped.is_set():
            burst = self._rng.randint(1, self._longest_burst)
            await self.perform([self._any_request() for _ in range(burst)])
            await asyncio.sleep(self._rng.expovariate(1 / THINK_TIME_S))

    async def write_own(self) -> None:
        """Write a new version under each own key."""
        for key in self.own_keys:
            await self.perform([self._set(key, self._rng.randint(KIB, LARGEST_VALUE_BYTES))])

    async def read_all(self) -> None:
        """Read every key there is, some of them together."""
        keys = self._rng.sample(self._all_keys, len(self._all_keys))
        while keys:
            count = self._rng.choice((1, *MULTI_GET_KEYS))
            await self.perform([self._get(keys[:count])])
            del keys[:count]

    async def perform(self, requests: list[Request]) -> None:
        """Send the requests ahead and check the answers; a failed connection is given up."""
        await self._await_process()
        try:
            async with self._exchange:
                await self._connect()
                await self._exchange_all(requests)
        except LostCount as lost:
            self._findings.complain_wrong(str(lost))
            self.close()
        except TimeoutError:
            sent = [request.message[:40] for request in requests]
            self._findings.complain_missing(
                f"no answer within {self._rules.bound_s} s, sent: {sent}"
            )
            self.close()
        except (Closed, OSError, asyncio.IncompleteReadError) as lost:
            if not self._rules.may_close:
                self._findings.complain_missing(f"connection closed: {lost!r}")
            self.close()

    async def idle(self) -> None:
        """Wait until the exchange under way, if there is one, has ended."""
        async with self._exchange:
            pass

    async def _await_process(self) -> None:
        """Return once there is a connection, or somebody to connect to."""
        while True:
            if self._generation != self._rules.generation:
                self.close()
            if self._writer is not None or self._rules.is_up.is_set():
                return
            await self._rules.is_up.wait()

    async def _exchange_all(self, requests: list[Request]) -> None:
        assert self._writer is not None
        self.tally.sent.update(request.type for request in requests)
        self._writer.write(b"".join(request.message for request in requests))
        for request in requests:
            began_s = time.monotonic()
            async with asyncio.timeout(self._rules.bound_s):
                await self._read_reply(request)
            self._findings.longest_s = max(self._findings.longest_s, time.monotonic() - began_s)

    def close(self) -> None:
        """Close the connection; the next request opens a new one."""
        if self._writer is not None:
            self._writer.close()
            self._reader = self._writer = None

    async def _connect(self) -> None:
        if self._writer is not None:
            return
        async with asyncio.timeout(self._rules.bound_s):
            self._reader, self._writer = await asyncio.open_connection(
                "127.0.0.1", self._rules.port, limit=STREAM_BYTES
            )
        self._generation = self._rules.generation

    def _any_request(self) -> Request:
        chance = self._rng.random()
        if chance < 0.3:
            is_large = self._rng.random() < SHARE_OF_LARGE_VALUES
            size = LARGE_VALUE_BYTES if is_large else self._rng.randint(KIB, LARGEST_VALUE_BYTES)
            return self._set(self._rng.choice(self.own_keys), size)
        count = 1 if chance < 0.8 else self._rng.choice(MULTI_GET_KEYS)
        return self._get(self._rng.sample(self._all_keys, count))

    def _set(self, key: str, num_bytes: int) -> Request:
        version, value = self._ledger.next_version(key, num_bytes)
        message = b"set %s %d 0 %d\r\n" % (key.encode(), flags_of(version), len(value))
        return Request([key], [], message + value + b"\r\n", version, time.monotonic())

    def _get(self, keys: list[str]) -> Request:
        since = [self._ledger.snapshot(key) for key in keys]
        return Request(keys, since, f"get {' '.join(keys)}\r\n".encode(), 0, time.monotonic())

    async def _read_reply(self, request: Request) -> None:
        line = await self._line()
        if line.startswith("SERVER_ERROR "):
            self._count(request, errors=1)
            if not self._rules.is_expected(line, request):
                self._findings.complain_wrong(_told(line, request))
        elif request.version:
            self._check_stored(line, request)
        else:
            await self._read_values(line, request)

    def _check_stored(self, line: str, request: Request) -> None:
        self._count(request)
        if line != "STORED":
            raise LostCount(_told(line, request))
        self._ledger.acknowledge(request.keys[0], request.version, request.sent_s)

    async def _read_values(self, line: str, request: Request) -> None:
        outstanding = list(zip(request.keys, request.since, strict=True))
        hits = 0
        while line != "END":
            words = line.split(" ")
            if len(words) != 4 or words[0] != "VALUE" or not words[3].isdigit():
                raise LostCount(_told(line, request))
            assert self._reader is not None
            data = await self._reader.readexactly(int(words[3]) + 2)
            while outstanding and outstanding[0][0] != words[1]:
                self._check_miss(*outstanding.pop(0))
            if not outstanding or not data.endswith(b"\r\n"):
                raise LostCount(_told(line, request))
            key, since = outstanding.pop(0)
            objection = self._ledger.objection_to_value(key, since, int(words[2]), data[:-2])
            if objection is not None:
                self._findings.complain_wrong(objection)
            hits += 1
            line = await self._line()
        for key, since in outstanding:
            self._check_miss(key, since)
        self._count(request, hits=hits, misses=len(request.keys) - hits)

    def _check_miss(self, key: str, since: Snapshot) -> None:
        objection = self._ledger.objection_to_miss(key, since)
        if objection is not None:
            self._findings.complain_wrong(objection)

    async def _line(self) -> str:
        assert self._reader is not None
        line = await self._reader.readline()
        if not line.endswith(b"\r\n"):
            raise Closed("in the midst of a line" if line else "before the reply")
        return line[:-2].decode("latin-1")

    def _count(self, request: Request, *, errors: int = 0, hits: int = 0, misses: int = 0) -> None:
        tally = self.tally
        tally.answered[request.type] += 1
        tally.errors[request.type] += errors
        tally.hits[request.type] += hits
        tally.misses[request.type] += misses
        tally.answered_at.append(time.time())


def _told(line: str, request: Request) -> str:
    asked = " ".join(request.keys)
    return f"{line[:SHOWN_CHARACTERS]!r} for {request.type} {asked[:SHOWN_CHARACTERS]}"


async def read_directly(port: int, keys: list[str]) -> dict[str, tuple[int, bytes]]:
    """Return flags and value of those `keys` that the server at `port` itself has."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=STREAM_BYTES)
    found = {}
    async with asyncio.timeout(10):
        writer.write(b"".join(f"get {key}\r\n".encode() for key in keys))
        for key in keys:
            line = await reader.readline()
            if line == b"END\r\n":
                continue
            words = line.split()
            data = await reader.readexactly(int(words[3]) + 2)
            found[key] = int(words[2]), data[:-2]
            await reader.readline()
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return found


async def read_statistics(port: int) -> dict[str, str]:
    """Return what the middleware, or a server, answers to `stats`."""
    statistics = {}
    async with asyncio.timeout(10):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=STREAM_BYTES)
        writer.write(b"stats\r\n")
        while (line := await reader.readline()).startswith(b"STAT "):
            _, name, value = line.decode().strip().split(" ", 2)
            statistics[name] = value
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return statistics
