"""Clients of queues: senders and takers that note every reply, and whether it was due."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from verified_queues.ledger import Lane, Ledger, Take

STREAM_BYTES = 256 * 1024
PAUSE_S = 0.05
THINK_TIME_S = 0.002
KEPT_COMPLAINTS = 20
NOTHING_DONE = (b"is not connected: ", b"refused: ")
"""What an error says behind the name of the database if nothing was done."""


@dataclass
class Rules:
    """What clients go by, which changes as faults come and go."""

    bound_s: float
    databases: Sequence[str]
    """The names that an error may begin with."""
    is_calm: bool = False
    """Whether neither errors nor closed connections are due."""
    errors: int = 0
    longest_s: float = 0.0
    complaints: list[str] = field(default_factory=list)

    def complain(self, complaint: str) -> None:
        """Keep what a reply was that is not due."""
        if len(self.complaints) < KEPT_COMPLAINTS:
            self.complaints.append(complaint)


class Closed(Exception):
    """There is no connection any more."""


class NotDone(Exception):
    """What was asked was certainly not done."""


class Client:
    """One client of the middleware that listens on `port`; it connects again when it has to."""

    def __init__(self, port: int, rules: Rules, ledger: Ledger, seed: str):
        self._port = port
        self._rules = rules
        self._ledger = ledger
        self._rng = random.Random(seed)
        self._name = seed.replace("/", "-")
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def send_to(self, lanes: Sequence[Lane], stopped: asyncio.Event) -> None:
        """Send to lanes at random until told to stop."""
        while not stopped.is_set():
            await self._send(self._rng.choice(lanes))
            await asyncio.sleep(self._rng.expovariate(1 / THINK_TIME_S))

    async def take_from(self, lanes: Sequence[Lane], stopped: asyncio.Event) -> None:
        """Take from lanes at random until told to stop."""
        while not stopped.is_set():
            await self._take(self._rng.choice(lanes))
            await asyncio.sleep(self._rng.expovariate(1 / THINK_TIME_S))

    async def empty(self, lanes: Sequence[Lane]) -> None:
        """Take all there is, lane by lane."""
        for lane in lanes:
            while await self._take(lane) and not self._rules.complaints:
                pass

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None

    async def _send(self, lane: Lane) -> None:
        message = self._ledger.new_message(lane, self._name, time.monotonic())
        line = f"set {lane.key}/from/{self._name} {message.number} 0 {len(message.body)}\r\n"
        try:
            answer = await self._ask(line.encode() + message.body + b"\r\n")
        except NotDone:
            return
        if answer == b"STORED":
            message.acknowledged_s = time.monotonic()
        elif answer is not None:
            self._ledger.wrong.append(f"{answer!r} for the sending of {message}")

    async def _take(self, lane: Lane) -> bool:
        """Whether there may be more: a message came, or nobody knows what did."""
        began_s = time.monotonic()
        try:
            answer = await self._ask(f"get {lane.key}\r\n".encode())
        except NotDone:
            return True
        take = Take(began_s, time.monotonic())
        if answer is None:
            self._ledger.gave_up(lane, take)
        elif answer != b"END":
            line, _, body = answer.partition(b"\r\n")
            if not line.startswith(f"VALUE {lane.key} ".encode()):
                self._ledger.wrong.append(f"{line!r} for a get of {lane.key}")
                return True
            self._ledger.taken(lane, int(line.split()[2]), body, take)
        return answer != b"END"

    async def _ask(self, request: bytes) -> bytes | None:
        """Return the reply, of a value its line and its data; None if an error or nothing came."""
        began_s = time.monotonic()
        await self._connect()
        try:
            async with asyncio.timeout(self._rules.bound_s):
                answer = await self._exchange(request)
        except TimeoutError:
            self._rules.complain(f"no answer within {self._rules.bound_s} s to {request[:40]!r}")
            self.close()
            return None
        except (Closed, OSError, asyncio.IncompleteReadError) as lost:
            if self._rules.is_calm:
                self._rules.complain(f"connection lost: {lost!r}")
            self.close()
            await asyncio.sleep(PAUSE_S)
            return None
        self._rules.longest_s = max(self._rules.longest_s, time.monotonic() - began_s)
        if answer.startswith(b"SERVER_ERROR "):
            self._judge(answer.decode())
            await asyncio.sleep(PAUSE_S)
            if answer.partition(b" ")[2].partition(b" ")[2].startswith(NOTHING_DONE):
                raise NotDone
            return None
        return answer

    def _judge(self, error: str) -> None:
        self._rules.errors += 1
        if self._rules.is_calm or error.split(" ")[1] not in self._rules.databases:
            self._rules.complain(f"an error that is not due: {error}")

    async def _connect(self) -> None:
        if self._writer is not None:
            return
        try:
            self._reader, self._writer = await asyncio.open_connection(
                "127.0.0.1", self._port, limit=STREAM_BYTES
            )
        except OSError as refused:
            if self._rules.is_calm:
                self._rules.complain(f"connection refused: {refused!r}")
            await asyncio.sleep(PAUSE_S)
            raise NotDone from refused

    async def _exchange(self, request: bytes) -> bytes:
        assert self._reader is not None and self._writer is not None
        self._writer.write(request)
        line = await self._line()
        if not line.startswith(b"VALUE "):
            return line
        data = await self._reader.readexactly(int(line.split()[3]) + 2)
        end = await self._line()
        if end != b"END" or data[-2:] != b"\r\n":
            self._ledger.wrong.append(f"{end!r} behind {line!r}")
        return line + b"\r\n" + data[:-2]

    async def _line(self) -> bytes:
        assert self._reader is not None
        line = await self._reader.readline()
        if not line.endswith(b"\r\n"):
            raise Closed("in the midst of a line" if line else "before the reply")
        return line[:-2]
