"""A question, its answer with a verdict, and the bench while the question is asked."""

from __future__ import annotations

import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from remote.conformance.bench import Bench
from remote.conformance.wire import (
    Client,
    HungUp,
    Misbehaviour,
    OutOfTime,
    Value,
    WrongReply,
)

T = TypeVar("T")


class Verdict(Enum):
    """Judgement of an answer."""

    WORKS = "works"
    DOES_NOT = "does not"
    """The middleware lacks something that it may lack; that is no fault."""
    FAULT = "fault"
    UNKNOWN = "could not be told"


@dataclass(frozen=True)
class Answer:
    """What a question returns.

    Parameters
    ----------
    text : a few words for a table.
    sentence : what is wrong and where; empty if nothing is.
    difference : lines that show the first wrong byte; empty if no reply is wrong.
    """

    text: str
    verdict: Verdict = Verdict.WORKS
    sentence: str = ""
    difference: str = ""


class CannotTell(Exception):
    """A question has no answer, for a reason that is not the middleware's."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to a middleware.

    Parameters
    ----------
    text : a statement that may hold.
    ask : returns the answer; raises `Misbehaviour` for a fault.
    time_s : how long it may take, patience with single replies apart.
    stops_servers : the question pauses or ends servers, not only sends requests.
    """

    text: str
    ask: Callable[[Trial], Answer]
    time_s: float = 20.0
    stops_servers: bool = False


class Trial:
    """The bench, as one question uses it, for `time_s` and the patience with single replies."""

    def __init__(self, bench: Bench, *, patience_s: float, time_s: float) -> None:
        self.bench = bench
        self.patience_s = patience_s
        self._deadline_s = time.monotonic() + time_s + patience_s
        self._clients: list[Client] = []

    def __enter__(self) -> Trial:
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()

    def client(self, patience_s: float | None = None) -> Client:
        """Connect a new client to the middleware."""
        try:
            connection = self.bench.dial()
        except OSError as exc:
            raise HungUp(f"does not accept a new client: {exc}") from exc
        client = Client(
            connection,
            f"connection {len(self._clients) + 1}",
            patience_s=patience_s or self.patience_s,
            deadline_s=self._deadline_s,
        )
        self._clients.append(client)
        return client

    def at_once(self, act: Callable[[int, Client], T], clients: Sequence[Client]) -> list[T]:
        """Let each of `clients` act at the same time, by its number; return what they return."""
        with ThreadPoolExecutor(len(clients)) as pool:
            acting = [pool.submit(act, number, client) for number, client in enumerate(clients)]
        errors = [error for one in acting if (error := one.exception())]
        if errors:  # a wrong reply tells more than the confusion after it
            raise min(errors, key=lambda error: not isinstance(error, WrongReply))
        return [one.result() for one in acting]

    @contextmanager
    def server(self, number: int) -> Iterator[Client]:
        """Connect to a server itself; what goes wrong there is no fault of the middleware."""
        try:
            client = Client(
                self.bench.servers[number].dial(),
                f"the connection to server {number + 1} itself",
                patience_s=self.patience_s,
                deadline_s=self._deadline_s,
            )
            try:
                yield client
            finally:
                client.close()
        except (Misbehaviour, OSError) as exc:
            raise CannotTell(f"server {number + 1} cannot be asked itself: {exc}") from exc

    def fill(self, values: Mapping[bytes, bytes]) -> None:
        """Put values into every server, past the middleware, so that every routing finds them."""
        for number in range(len(self.bench.servers)):
            with self.server(number) as client:
                for key, data in values.items():
                    client.set(key, data)

    def held(self, number: int, keys: Sequence[bytes]) -> list[Value]:
        """Return what a server has of `keys`."""
        with self.server(number) as client:
            return client.get(*keys)

    def asked_keys(self, number: int) -> int:
        """Return how many keys a server was asked for so far."""
        with self.server(number) as client:
            client.send(b"stats\r\n")
            lines = iter(client.line, b"END")
            stats = dict(line.removeprefix(b"STAT ").split(b" ", 1) for line in lines)
        return int(stats[b"cmd_get"])


@contextmanager
def meanwhile(circumstance: str) -> Iterator[None]:
    """Name the circumstance before the sentence of what goes wrong inside."""
    try:
        yield
    except Misbehaviour as exc:
        raise type(exc)(f"{circumstance}: {exc.sentence}", exc.difference) from exc


def ask_on(
    ask: Callable[[Trial], Answer], bench: Bench, *, patience_s: float, time_s: float
) -> Answer:
    """Ask one question; whatever goes wrong is in the answer."""
    try:
        with Trial(bench, patience_s=patience_s, time_s=time_s) as trial:
            return ask(trial)
    except Misbehaviour as exc:
        return Answer("no", Verdict.FAULT, exc.sentence, exc.difference)
    except OutOfTime:
        sentence = f"the question was not done within {time_s + patience_s:g} s"
        return Answer("slow", Verdict.UNKNOWN, sentence)
    except CannotTell as exc:
        return Answer("", Verdict.UNKNOWN, str(exc))
    except Exception as exc:  # the bench, too, can fail
        return Answer("", Verdict.UNKNOWN, f"{type(exc).__name__}: {exc}")


def numbered(name: bytes, count: int) -> dict[bytes, bytes]:
    """Return `count` keys, each with a value of its own.

    The keys end in what looks like chance: weak hashes put keys that are alike on one server.
    """
    return {
        b"%b-%d-%x" % (name, n, zlib.crc32(b"%b %d" % (name, n))): b"value %d of %b" % (n, name)
        for n in range(count)
    }
