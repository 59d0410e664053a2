"""What requests and replies of memcached's text protocol are, and how their lines are parsed."""

from __future__ import annotations

from dataclasses import dataclass

_LARGEST_MULTI_GET = 100  # from there on all are one type, as in the middleware's own results
_RETRIEVAL = {b"get": 1, b"gets": 1, b"gat": 2, b"gats": 2}
"""Verbs that ask for values to the place of their first key."""
_STORAGE = {b"set": 5, b"add": 5, b"replace": 5, b"append": 5, b"prepend": 5, b"cas": 6}
"""Verbs that a data block follows to the place where `noreply` may stand."""
_KEYED = frozenset((b"delete", b"touch", b"incr", b"decr"))
_OTHERS = frozenset((b"stats", b"version", b"flush_all", b"verbosity", b"quit"))
_UNREAD = frozenset((b"mg", b"ms", b"md", b"ma", b"mn", b"me"))
LINE_END = b"\r\n"
NO_NUMBER = -1
_BINARY = 0x80  # how a request of the binary protocol begins
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
    """A request; `began_ns` and `at_ns` are when its first and its last byte came.

    Attributes
    ----------
    verb : its first word; empty for an empty line.
    client : address and port of its sender, as they stand in packets.
    number : on its connection, from 0; `NO_NUMBER` if the connection's beginning was not captured.
    """

    verb: bytes
    keys: list[bytes]
    has_reply: bool
    length_bytes: int = 0
    began_ns: int = 0
    at_ns: int = 0
    client: bytes = b""
    number: int = NO_NUMBER

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
        """Whether it may be the reply to `request`."""
        answers = _ANSWERS.get(request.verb)
        if answers is None or self.word in _ERRORS:
            return self.word != b"VALUE"
        if self.keys and self.keys[0] not in request.keys:
            return False
        return self.word in answers


def parse_request(line: bytes) -> tuple[Request, int]:
    """Parse the line of a request; return it with the length of the data block behind it.

    What memcached answers with an error has no data block, and is a request all the same.
    Unreadable: the line is of memcached's meta commands, or of its binary protocol.
    """
    words = line.split()
    verb = words[0] if words else b""
    if (first := _RETRIEVAL.get(verb)) is not None:
        return Request(verb, words[first:], True), 0
    if (last := _STORAGE.get(verb)) is not None:
        has_reply = words[last:] != [b"noreply"]
        has_block = len(words) >= last and words[4].isdigit()
        block_bytes = int(words[4]) + len(LINE_END) if has_block else 0
        return Request(verb, words[1:2], has_reply), block_bytes
    if verb in _UNREAD or line[0] == _BINARY:
        raise Unreadable(f"neither meta commands nor the binary protocol are read: {line[:60]!r}")
    has_reply = words[-1:] != [b"noreply"] and verb != b"quit"
    return Request(verb, words[1:2] if verb in _KEYED else [], has_reply), 0


def begins_request(data: bytes) -> bool:
    """Whether `data` begins with the line of a request that memcached knows."""
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
