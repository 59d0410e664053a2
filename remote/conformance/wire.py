"""A client of memcached's text protocol that takes nothing for granted.

Every reply has a deadline, every line must be one that the protocol knows, and what came instead is
quoted.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable
from typing import NamedTuple

from remote.conformance.bench import Connection

PATIENCE_S = 10.0
LONGEST_LINE_BYTES = 8192
_REMEMBERED_REQUESTS = 2
_MOST_QUOTED_BYTES = 60
_CHUNK_BYTES = 1 << 16
_VALUE = re.compile(rb"VALUE (\S+) (\d+) (\d+)(?: \d+)?")
_ERROR = re.compile(rb"ERROR$|(?:CLIENT_ERROR|SERVER_ERROR)(?: |$)")


class Misbehaviour(Exception):
    """What a client got is not what it should have got.

    Parameters
    ----------
    sentence : what is wrong and where.
    requests : what was sent on the connection before, to send it again by hand.
    """

    def __init__(self, sentence: str, requests: Iterable[bytes] = ()) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.requests = tuple(requests)


class NoReply(Misbehaviour):
    """Nothing came, or not all, as long as the client had patience."""


class HungUp(Misbehaviour):
    """The connection was closed, or could not be made."""


class ErrorReply(Misbehaviour):
    """ERROR, CLIENT_ERROR or SERVER_ERROR, where something better was due."""

    kind = "ERROR"


class WrongReply(Misbehaviour):
    """A reply that is none, or another request's."""


class OutOfTime(Exception):
    """The time for a question is over, although no single reply was late."""


class Value(NamedTuple):
    """A value as a get returns it."""

    key: bytes
    flags: int
    data: bytes


class Client:
    """One connection, closed by `close`; for one thread.

    Parameters
    ----------
    connection : to the middleware or to a server.
    name : what sentences call the connection.
    patience_s : how long after a request its reply may take.
    deadline_s : when the client gives up whatever it waits for, on the clock `time.monotonic`.
    """

    def __init__(
        self,
        connection: Connection,
        name: str,
        *,
        patience_s: float = PATIENCE_S,
        deadline_s: float = math.inf,
    ) -> None:
        self.name = name
        self.requests: list[bytes] = []
        self._connection = connection
        self._patience_s = patience_s
        self._deadline_s = deadline_s
        self._reply_by_s = math.inf
        self._came = bytearray()

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def send(self, request: bytes, *, begins: bool = True) -> None:
        """Send `request`, or a part of one that does not begin it; its reply is due from now on."""
        if self._came:
            raise self._wrong(f"sent more than the reply to {self._asked()}: {quote(self._came)}")
        if begins:
            self.requests = [*self.requests, request][-_REMEMBERED_REQUESTS:]
        else:
            self.requests[-1] += request
        self._reply_by_s = time.monotonic() + self._patience_s
        self._bound_next_call()
        try:
            self._connection.sendall(request)
        except TimeoutError as exc:
            raise self._late("did not read") from exc
        except OSError as exc:
            raise HungUp(f"closed {self.name} during {self._asked()}", self.requests) from exc

    def first(self, timeout_s: float) -> bytes:
        """Return what has come or comes first within a time, ``b""`` if nothing does."""
        if not self._came:
            self._reply_by_s = time.monotonic() + timeout_s
            try:
                self._receive()
            except NoReply:
                return b""
        came = bytes(self._came)
        self._came.clear()
        return came

    def is_heard(self, timeout_s: float) -> bool:
        """Whether something has come, or comes within a time; a reply is due from now on."""
        came = self.first(timeout_s)
        self._came += came
        self._reply_by_s = time.monotonic() + self._patience_s
        return bool(came)

    def line(self) -> bytes:
        """Return the next line without its end."""
        while (end := self._came.find(b"\r\n")) < 0:
            if len(self._came) > LONGEST_LINE_BYTES:
                raise self._wrong(f"replied to {self._asked()} {quote(self._came)}, without end")
            self._receive()
        line = bytes(self._came[:end])
        del self._came[: end + 2]
        return line

    def get(self, *keys: bytes) -> list[Value]:
        """Return the values of those `keys` that are there, as they come."""
        self.send(b"get " + b" ".join(keys) + b"\r\n")
        return self.values(*keys)

    def values(self, *keys: bytes) -> list[Value]:
        """Read the reply to a get of `keys` that has been sent."""
        found = []
        while (line := self.line()) != b"END":
            match = _VALUE.fullmatch(line)
            if match is None:
                raise self._unexpected(line)
            key, flags, size = match[1], int(match[2]), int(match[3])
            if key not in keys:
                raise self._wrong(
                    f"replied to {quote(b'get ' + b' '.join(keys))} with the value of key "
                    f"{quote(key)}"
                )
            found.append(Value(key, flags, self._data(key, size)))
        return found

    def expect(self, key: bytes, data: bytes, flags: int = 0) -> None:
        """Get `key`, which must have `data` and `flags`."""
        self.send(b"get " + key + b"\r\n")
        self.expect_value(key, data, flags)

    def expect_value(self, key: bytes, data: bytes, flags: int = 0) -> None:
        """Read the reply to a get of `key` that has been sent."""
        found = self.values(key)
        if found != [Value(key, flags, data)]:
            if not found:
                came = "nothing"
            elif found[0].data != data:
                came = f"{len(found[0].data)} bytes {quote(found[0].data)}"
            else:
                came = f"flags {found[0].flags}" if len(found) == 1 else "the value twice"
            wanted = f"{len(data)} bytes {quote(data)} with flags {flags}"
            raise self._wrong(f"replied to {quote(b'get ' + key)} with {came} instead of {wanted}")

    def set(self, key: bytes, data: bytes, *, flags: int = 0, expiry_s: int = 0) -> None:
        """Set `key`, which must be answered with STORED."""
        self.send(b"set %b %d %d %d\r\n%b\r\n" % (key, flags, expiry_s, len(data), data))
        self.expect_line(b"STORED")

    def expect_line(self, expected: bytes) -> None:
        """Read a line that must be `expected`."""
        if (line := self.line()) != expected:
            raise self._unexpected(line)

    def _data(self, key: bytes, size: int) -> bytes:
        while len(self._came) < size + 2:
            self._receive()
        data, end = bytes(self._came[:size]), self._came[size : size + 2]
        if end != b"\r\n":
            raise self._wrong(f"let {quote(end)} follow the {size} bytes of key {quote(key)}")
        del self._came[: size + 2]
        return data

    def _receive(self) -> None:
        self._bound_next_call()
        try:
            data = self._connection.recv(_CHUNK_BYTES)
        except TimeoutError as exc:
            raise self._late("did not reply") from exc
        except OSError as exc:
            raise HungUp(f"broke {self.name} after {self._asked()}", self.requests) from exc
        if not data:
            came = f" and {quote(self._came)} of the reply" if self._came else ""
            raise HungUp(f"closed {self.name} after {self._asked()}{came}", self.requests)
        self._came += data

    def _bound_next_call(self) -> None:
        now_s = time.monotonic()
        if now_s >= self._deadline_s:
            raise OutOfTime
        self._connection.settimeout(max(0.001, min(self._reply_by_s, self._deadline_s) - now_s))

    def _late(self, did_not: str) -> Exception:
        if time.monotonic() >= self._deadline_s:
            return OutOfTime()
        came = f"; {quote(self._came)} came" if self._came else ""
        sentence = f"{did_not} within {self._patience_s:g} s to {self._asked()} on {self.name}"
        return NoReply(sentence + came, self.requests)

    def _unexpected(self, line: bytes) -> Misbehaviour:
        sentence = f"replied {quote(line)} to {self._asked()} on {self.name}"
        if not (match := _ERROR.match(line)):
            return WrongReply(sentence, self.requests)
        error = ErrorReply(sentence, self.requests)
        error.kind = match[0].decode().strip()
        return error

    def _wrong(self, sentence: str) -> WrongReply:
        return WrongReply(f"{sentence} on {self.name}", self.requests)

    def _asked(self) -> str:
        return quote(self.requests[-1].split(b"\r\n", 1)[0]) if self.requests else "nothing"


def quote(data: bytes | bytearray) -> str:
    r"""Write bytes as sentences have them, ``'get a\r\n'``, long ones only in part."""
    text = repr(bytes(data[:_MOST_QUOTED_BYTES])).removeprefix("b")
    return text if len(data) <= _MOST_QUOTED_BYTES else f"{text[:-1]}...{text[-1]}"
