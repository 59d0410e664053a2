"""Read requests and replies from a stream that may have holes.

A stream comes in pieces, each with the number of bytes behind it that were not captured. Data
blocks are skipped by their length, whatever is in them, and so may be holes within them. A line, or
where a message begins, cannot be read from a hole.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

from remote.packets.messages import LINE_END, Reply, Request, Unreadable, parse_request

LARGEST_LINE_BYTES = 1 << 20
_END = b"END\r\n"
_GOES_ON = (b"STAT", b"ITEM", b"PREFIX")

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

        Unreadable: a line, or where a message begins, was not captured, or is of another protocol.

        Parameters
        ----------
        hidden_bytes : how many bytes behind `data` belong to the piece, but were not captured.
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
        request.began_ns, request.at_ns = self._began_ns, at_ns
        return request


class ReplyReader(_Reader[Reply]):
    """Replies from what a server sends; `asked` has the number of keys of each awaited reply.

    Where it is known how many values are asked for, the last one is followed by nothing but the
    reply's end, which may then be in a hole.
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
            block_bytes = int(words[3]) + len(LINE_END)
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
