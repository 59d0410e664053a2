"""Read requests and replies of memcached's text protocol from a stream that may have holes.

A stream comes in pieces, each with the number of bytes behind it that were not captured. Data
blocks are skipped by their length, whatever is in them, and so may be holes within them. A line, or
where a message begins, cannot be read from a hole.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

LARGEST_LINE_BYTES = 1 << 20
_LARGEST_MULTI_GET = 100  # from there on all are one type, as in the middleware's own results
_RETRIEVAL = {b"get": 1, b"gets": 1, b"gat": 2, b"gats": 2}
"""Verbs that ask for values to the place of their first key."""
_STORAGE = {b"set": 5, b"add": 5, b"replace": 5, b"append": 5, b"prepend": 5, b"cas": 6}
"""Verbs that a data block follows to the place where `noreply` may stand."""
_KEYED = frozenset((b"delete", b"touch", b"incr", b"decr"))
_OTHERS = frozenset((b"stats", b"version", b"flush_all", b"verbosity", b"quit"))
_UNREAD = frozenset((b"mg", b"ms", b"md", b"ma", b"mn", b"me"))
_LINE_END = b"\r\n"
_END = b"END\r\n"
_BINARY = 0x80  # how a request of the binary protocol begins
_GOES_ON = (b"STAT", b"ITEM", b"PREFIX")
_ERRORS = frozenset((b"ERROR", b"CLIENT_ERROR", b"SERVER_ERROR"))
_STORED = frozenset((b"STORED", b"NOT_STORED", b"EXISTS", b"NOT_FOUND"))
_ANSWERS = {
    **dict.fromkeys(_RETRIEVAL, frozenset((b"VALUE", b"END"))),
    **dict.fromkeys(_STORAGE, _STORED),
    b"delete": frozenset((b"DELETED", b"NOT_FOUND")),
    b"touch": frozenset((b"TOUCHED", b"NOT_FOUND")),
}


class Unreadable(Exception):
    """A stream cannot be read any further; tells why."""


@dataclass(slots=True, eq=False)
class Request:
    """A request; `at_ns` is when its last byte came.

    Attributes
    ----------
    verb : its first word; empty for an empty line.
    """

    verb: bytes
    keys: list[bytes]
    has_reply: bool
    length_bytes: int = 0
    at_ns: int = 0

    @property
    def is_retrieval(self) -> bool:
        """Whether it asks for values, of which each is a hit or a miss."""
        return self.verb in _RETRIEVAL

    @property
    def request_type(self) -> str:
        """Its type as the middleware's own results name it: `get`, `multi-get-6`, `set`."""
        if not self.is_retrieval:
            return self.verb.decode("utf-8", "replace")
        number = len(self.keys)
        if number < _LARGEST_MULTI_GET:
            return f"multi-get-{number}" if number > 1 else "get"
        return f"multi-get-{_LARGEST_MULTI_GET}-or-more"


@dataclass(slots=True, eq=False)
class Reply:
    """A reply; `began_ns` and `at_ns` are when its first and its last byte came.

    Attributes
    ----------
    word : how it begins: ``VALUE``, ``END``, ``STORED``; or the error that values broke off with.
    keys : those of its values.
    """

    word: bytes
    keys: list[bytes]
    length_bytes: int
    began_ns: int
    at_ns: int

    @property
    def is_error(self) -> bool:
        """Whether it tells of an error."""
        return self.word in _ERRORS

    def fits(self, request: Request) -> bool:
        """Tell whether it may be the reply to `request`."""
        answers = _ANSWERS.get(request.verb)
        if answers is None or self.word in _ERRORS:
            return self.word != b"VALUE"
        if self.keys and self.keys[0] not in request.keys:
            return False
        return self.word in answers


Message = TypeVar("Message", Request, Reply)


class _Reader(Generic[Message]):
    """Messages of one direction; subclasses say what a line means and what ends a message."""

    def __init__(self) -> None:
        self._line_begins = b""  # of a line whose end has not come
        self._skip_bytes = 0  # of a data block
        self._length_bytes = 0  # of the message so far; 0 between messages
        self._began_ns = 0

    def feed(self, at_ns: int, data: bytes, hidden_bytes: int = 0) -> list[Message]:
        """Return the messages that end in this piece of the stream.

        Parameters
        ----------
        hidden_bytes : how many bytes behind `data` belong to the piece, but were not captured.

        Raises
        ------
        Unreadable
            A line, or where a message begins, is in what was not captured; the line is of another
            protocol.
        """
        if self._line_begins:
            data = self._line_begins + data
            self._line_begins = b""
        elif not self._length_bytes:
            self._began_ns = at_ns
        messages: list[Message] = []
        size, place, skip = len(data), 0, self._skip_bytes
        while True:
            place += skip
            if place > size:
                skip = place - size - hidden_bytes
                if skip < 0:
                    raise Unreadable("a message begins in what was not captured")
                place, hidden_bytes = size, 0
                if skip:
                    break
            skip = 0
            if self._length_bytes and (message := self._end(at_ns)):
                messages.append(message)
                self._length_bytes = 0
                self._began_ns = at_ns
            if place == size:
                break
            end = data.find(b"\n", place) + 1
            if not end:
                self._line_begins = data[place:]
                if size - place > LARGEST_LINE_BYTES:
                    raise Unreadable(f"a line is longer than {LARGEST_LINE_BYTES} bytes")
                break
            skip = self._line(data[place:end])
            self._length_bytes += end - place + skip
            place = end
        self._skip_bytes = skip
        if hidden_bytes:
            raise Unreadable("a line, or where a message begins, was not captured")
        return messages

    def _line(self, line: bytes) -> int:
        """Take a line and return the length of the data block behind it, with its line end."""
        raise NotImplementedError

    def _end(self, at_ns: int) -> Message | None:
        """Return the message if what was read last ends it."""
        raise NotImplementedError


class RequestReader(_Reader[Request]):
    """Requests from what a client sends."""

    def __init__(self) -> None:
        super().__init__()
        self._request = Request(b"", [], True)

    def _line(self, line: bytes) -> int:
        self._request, block_bytes = parse_request(line)
        return block_bytes

    def _end(self, at_ns: int) -> Request | None:
        request = self._request
        request.length_bytes = self._length_bytes
        request.at_ns = at_ns
        return request


class ReplyReader(_Reader[Reply]):
    """Replies from what a server sends.

    Where it is known how many values are asked for, the last one is followed by nothing but the
    reply's end, which may then be in a hole.

    Attributes
    ----------
    asked : for how many keys each request asks whose reply is yet to come.
    """

    def __init__(self) -> None:
        super().__init__()
        self.asked: deque[int] = deque()
        self._word = b""
        self._keys: list[bytes] = []
        self._goes_on = False

    def _line(self, line: bytes) -> int:
        words = line.split(None, 4)
        self._word = word = words[0] if words else b""
        if word != b"VALUE":
            self._goes_on = word in _GOES_ON
            return 0
        keys = self._keys
        try:
            keys.append(words[1])
            block_bytes = int(words[3]) + len(_LINE_END)
        except (IndexError, ValueError):
            raise Unreadable(f"not the head of a value: {line[:60]!r}") from None
        self._goes_on = not self.asked or len(keys) != self.asked[0]
        return block_bytes if self._goes_on else block_bytes + len(_END)

    def _end(self, at_ns: int) -> Reply | None:
        if self._goes_on:
            return None
        if self.asked:
            self.asked.popleft()
        keys, self._keys = self._keys, []
        word = b"VALUE" if keys and self._word == b"END" else self._word
        return Reply(word, keys, self._length_bytes, self._began_ns, at_ns)


def parse_request(line: bytes) -> tuple[Request, int]:
    """Parse the line of a request; return it with the length of the data block behind it.

    What memcached answers with an error has no data block, and is a request all the same.

    Raises
    ------
    Unreadable
        It is a request of memcached's meta commands, or of its binary protocol.
    """
    words = line.split()
    verb = words[0] if words else b""
    if (first := _RETRIEVAL.get(verb)) is not None:
        return Request(verb, words[first:], True), 0
    if (last := _STORAGE.get(verb)) is not None:
        has_reply = words[last:] != [b"noreply"]
        has_block = len(words) >= last and words[4].isdigit()
        block_bytes = int(words[4]) + len(_LINE_END) if has_block else 0
        return Request(verb, words[1:2], has_reply), block_bytes
    if verb in _UNREAD or line[0] == _BINARY:
        raise Unreadable(f"neither meta commands nor the binary protocol are read: {line[:60]!r}")
    has_reply = words[-1:] != [b"noreply"] and verb != b"quit"
    return Request(verb, words[1:2] if verb in _KEYED else [], has_reply), 0


def begins_request(data: bytes) -> bool:
    """Tell whether `data` begins with the line of a request that memcached knows."""
    end = data.find(b"\n")
    words = data[:end].split() if end >= 0 else []
    if not words:
        return False
    number = len(words)
    verb = words[0]
    if (first := _RETRIEVAL.get(verb)) is not None:
        return number > first
    if (last := _STORAGE.get(verb)) is not None:
        return number >= last and words[4].isdigit()
    return verb in _OTHERS or (verb in _KEYED and number > 1)
