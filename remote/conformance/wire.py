"""A strict client of memcached's text protocol.

Every reply has a deadline, and every line must be one that the protocol knows. An error quotes the
bytes that came instead, around the first byte that differs from the expected reply.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from remote.conformance.bench import Connection

PATIENCE_S = 10.0
LONGEST_LINE_BYTES = 8192
_MOST_QUOTED_BYTES = 60
_BYTES_AROUND = 24
_CHUNK_BYTES = 1 << 16
_VALUE = re.compile(rb"VALUE (\S+) (\d+) (\d+)(?: \d+)?")
_ERROR_LINE = re.compile(rb"ERROR$|(?:CLIENT_ERROR|SERVER_ERROR)(?: |$)")


class Misbehaviour(Exception):
    """A client received something other than the reply that it should have received.

    `sentence` says what is wrong and where; `difference` shows the first wrong byte, if any.
    """

    def __init__(self, sentence: str, difference: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.difference = difference


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
    name : of the connection in sentences.
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
        self._connection = connection
        self._patience_s = patience_s
        self._deadline_s = deadline_s
        self._reply_by_s = math.inf
        self._request = b""
        self._expected = b""
        self._read = bytearray()  # of the reply to the last request
        self._came = bytearray()  # and not yet read

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def send(self, request: bytes, *, begins: bool = True) -> None:
        """Send `request`, or a later part of the last request; its reply is due from now on."""
        if self._came:
            sentence = f"sent more than the reply to {self._asked()}: {quote(self._came)}"
            raise WrongReply(f"{sentence} on {self.name}", difference(b"", bytes(self._came)))
        self._request = request if begins else self._request + request
        self._reply_by_s = time.monotonic() + self._patience_s
        self._bound_next_call()
        try:
            self._connection.sendall(request)
        except TimeoutError as exc:
            raise self._late("did not read") from exc
        except OSError as exc:
            raise HungUp(f"closed {self.name} during {self._asked()}") from exc

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
                raise self.wrong(f"replied to {self._asked()} {quote(self._came)}, without end")
            self._receive()
        return self._take(end + 2)[:-2]

    def get(self, *keys: bytes) -> list[Value]:
        """Return the values of those `keys` that are there, as they come."""
        self.send(b"get " + b" ".join(keys) + b"\r\n")
        self._begin_reply(b"")
        return self._values(keys)

    def expect(self, key: bytes, data: bytes, flags: int = 0) -> None:
        """Get `key`, which must have `data` and `flags`."""
        self.send(b"get " + key + b"\r\n")
        self.expect_value(key, data, flags)

    def expect_value(self, key: bytes, data: bytes, flags: int = 0) -> None:
        """Read the reply to a get of `key` that has been sent."""
        self._begin_reply(values_reply([Value(key, flags, data)]))
        found = self._values([key])
        if found != [Value(key, flags, data)]:
            if not found:
                came = "no value"
            elif found[0].data != data:
                came = f"{len(found[0].data)} bytes that are not the {len(data)} bytes of its value"
            elif len(found) > 1:
                came = "the value twice"
            else:
                came = f"flags {found[0].flags} instead of {flags}"
            raise self.wrong(f"replied to {quote(b'get ' + key)} with {came}")

    def expect_nothing(self, key: bytes) -> None:
        """Get `key`, which must have no value."""
        self.send(b"get " + key + b"\r\n")
        self._begin_reply(values_reply([]))
        if self._values([key]):
            raise self.wrong(f"replied to {quote(b'get ' + key)} with a value")

    def set(self, key: bytes, data: bytes, *, flags: int = 0, expiry_s: int = 0) -> None:
        """Set `key`, which must be answered with STORED."""
        self.send(b"set %b %d %d %d\r\n%b\r\n" % (key, flags, expiry_s, len(data), data))
        self.expect_line(b"STORED")

    def expect_line(self, expected: bytes) -> None:
        """Read a line that must be `expected`."""
        self._begin_reply(expected + b"\r\n")
        if (line := self.line()) != expected:
            raise self._unexpected(line)

    def wrong(self, sentence: str, expected: bytes = b"") -> WrongReply:
        """Return the error about the last reply, by default compared with the announced one."""
        self._expected = expected or self._expected
        return WrongReply(f"{sentence} on {self.name}", self._difference())

    def _begin_reply(self, expected: bytes) -> None:
        self._expected = expected
        self._read.clear()

    def _take(self, size: int) -> bytes:
        taken = bytes(self._came[:size])
        self._read += taken
        del self._came[:size]
        return taken

    def _values(self, keys: Sequence[bytes]) -> list[Value]:
        found = []
        while (line := self.line()) != b"END":
            match = _VALUE.fullmatch(line)
            if match is None:
                raise self._unexpected(line)
            key, flags, size = match[1], int(match[2]), int(match[3])
            if key not in keys:
                raise self.wrong(
                    f"replied to {quote(b'get ' + b' '.join(keys))} with the value of key "
                    f"{quote(key)}"
                )
            found.append(Value(key, flags, self._data(key, size)))
        return found

    def _data(self, key: bytes, size: int) -> bytes:
        while len(self._came) < size + 2:
            self._receive()
        data = self._take(size + 2)
        if not data.endswith(b"\r\n"):
            raise self.wrong(f"let {quote(data[-2:])} follow the {size} bytes of key {quote(key)}")
        return data[:-2]

    def _receive(self) -> None:
        self._bound_next_call()
        try:
            data = self._connection.recv(_CHUNK_BYTES)
        except TimeoutError as exc:
            raise self._late("did not reply") from exc
        except OSError as exc:
            sentence = f"broke {self.name} after {self._asked()}"
            raise HungUp(sentence, self._difference()) from exc
        if not data:
            came = f" and {quote(self._came)} of the reply" if self._came else ""
            sentence = f"closed {self.name} after {self._asked()}{came}"
            raise HungUp(sentence, self._difference())
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
        return NoReply(sentence + came, self._difference())

    def _unexpected(self, line: bytes) -> Misbehaviour:
        sentence = f"replied {quote(line)} to {self._asked()} on {self.name}"
        if not (match := _ERROR_LINE.match(line)):
            return WrongReply(sentence, self._difference())
        error = ErrorReply(sentence, self._difference())
        error.kind = match[0].decode().strip()
        return error

    def _difference(self) -> str:
        received = bytes(self._read + self._came)
        return difference(self._expected, received) if self._expected else ""

    def _asked(self) -> str:
        return quote(self._request.split(b"\r\n", 1)[0]) if self._request else "nothing"


def values_reply(values: Iterable[Value]) -> bytes:
    """Return memcached's reply to a get that finds `values`."""
    blocks = [b"VALUE %b %d %d\r\n%b\r\n" % (v.key, v.flags, len(v.data), v.data) for v in values]
    return b"".join([*blocks, b"END\r\n"])


def difference(expected: bytes, received: bytes) -> str:
    r"""Return lines that show the first byte in which two replies differ; empty if none does.

    ::

        first difference at byte 21 (32 bytes expected, 32 received):
          expected ...ALUE a 0 5\r\nab\xffde\r\nEND\r\n
          received ...ALUE a 0 5\r\nab?de\r\nEND\r\n
                                    ^
    """
    if expected == received:
        return ""
    shorter = min(len(expected), len(received))
    at = next((n for n in range(shorter) if expected[n] != received[n]), shorter)
    begin = max(0, at - _BYTES_AROUND)
    before = ("..." if begin else "") + _escaped(expected[begin:at])
    lines = [
        f"first difference at byte {at} ({len(expected)} bytes expected, {len(received)} received):"
    ]
    for name, data in (("expected", expected), ("received", received)):
        end = at + _BYTES_AROUND
        after = _escaped(data[at:end]) + ("..." if len(data) > end else "")
        lines.append(f"  {name} {before}{after or ' (nothing more)'}")
    return "\n".join([*lines, " " * (len("  expected ") + len(before)) + "^"])


def _escaped(data: bytes) -> str:
    return data.decode("latin-1").encode("unicode_escape").decode()


def quote(data: bytes | bytearray) -> str:
    r"""Write bytes as sentences have them, ``'get a\r\n'``, long ones only in part."""
    text = repr(bytes(data[:_MOST_QUOTED_BYTES])).removeprefix("b")
    return text if len(data) <= _MOST_QUOTED_BYTES else f"{text[:-1]}...{text[-1]}"
