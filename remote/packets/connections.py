"""Follow all connections to some addresses: every request with its reply, in their order."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

from remote.packets.messages import Reply, Request, Unreadable, begins_request
from remote.packets.readers import ReplyReader, RequestReader
from remote.packets.records import ACK, FIN, RST, SYN, Segment

_NUMBERS = 1 << 32  # of bytes, after which they begin again
LONGEST_HOLE_NS = 5_000_000_000  # beyond several retransmissions
LARGEST_WAITING = 4096  # segments behind a hole
_MASK = _NUMBERS - 1
_HALF = _NUMBERS >> 1
Deliver = Callable[[int, bytes, int], None]


class Watcher(Protocol):
    """Who is told of the requests to an address."""

    def requested(self, request: Request) -> None:
        """Take note of a request that has come."""

    def replied(self, request: Request, reply: Reply) -> None:
        """Take note of a request that has its reply."""

    def dropped(self, request: Request, at_ns: int) -> None:
        """Take note of a request that gets no reply, or none that can be read."""


class Lost(Exception):
    """The capture lacks a segment; tells which."""


class Stream:
    """One direction of a connection: puts its segments in order, each byte once, none left out.

    Retransmitted and doubled segments are dropped, those that came early wait for those before
    them. What the receiver has acknowledged but the capture does not hold was lost by the capture:
    from there on the direction cannot be read.

    Parameters
    ----------
    deliver : gets each piece in order: when its last byte had come, its bytes, and how many more
        behind these were not captured.

    Attributes
    ----------
    expected : the number of the next byte; None as long as it is not known where to begin.
    """

    __slots__ = ("_deliver", "_hole_since_ns", "_waiting", "expected")

    def __init__(self, deliver: Deliver) -> None:
        self.expected: int | None = None
        self._deliver = deliver
        self._waiting: dict[int, tuple[bytes, int]] = {}
        self._hole_since_ns = 0

    @property
    def has_hole(self) -> bool:
        """Whether segments wait for one that has not come."""
        return bool(self._waiting)

    def take(self, at_ns: int, sequence: int, data: bytes, hidden_bytes: int) -> bool:
        """Take a segment; return whether it is new. Lost: one before it does not come."""
        expected = self.expected
        if sequence != expected:
            assert expected is not None, "begin the stream first"
            ahead = (sequence - expected) & _MASK
            if ahead < _HALF:
                return self._keep(at_ns, sequence, data, hidden_bytes)
            known = _NUMBERS - ahead
            if known >= len(data) + hidden_bytes:
                return False
            hidden_bytes -= max(0, known - len(data))
            data = data[known:]
            sequence = expected
        self.expected = (sequence + len(data) + hidden_bytes) & _MASK
        self._deliver(at_ns, data, hidden_bytes)
        if self._waiting:
            self._catch_up(at_ns)
        return True

    def has_lost(self, acknowledged: int) -> bool:
        """Whether the receiver acknowledges what the capture has not seen."""
        if self.expected is None:
            return False
        return 0 < (acknowledged - self.expected) & _MASK < _HALF

    def _keep(self, at_ns: int, sequence: int, data: bytes, hidden_bytes: int) -> bool:
        if not self._waiting:
            self._hole_since_ns = at_ns
        known = self._waiting.get(sequence)
        if known and len(known[0]) + known[1] >= len(data) + hidden_bytes:
            return False
        self._waiting[sequence] = (data, hidden_bytes)
        hole_ns = at_ns - self._hole_since_ns
        if hole_ns > LONGEST_HOLE_NS or len(self._waiting) > LARGEST_WAITING:
            raise Lost(f"a segment did not come for {hole_ns / 1e9:.1f} s")
        return True

    def _catch_up(self, at_ns: int) -> None:
        """Take what waited for the segment that has come."""
        waiting, self._waiting = self._waiting, {}
        self._hole_since_ns = at_ns
        first = self.expected
        assert first is not None
        for sequence in sorted(waiting, key=lambda number: (number - first + _HALF) & _MASK):
            self.take(at_ns, sequence, *waiting[sequence])


class Connection:
    """One connection: what is read of it, and which requests wait for their replies.

    A connection whose beginning was not captured is read from a request on before which all was
    quiet. That can be told only where a client waits for each reply: it is held to that.

    Parameters
    ----------
    client : address and port of its other end, as they stand in packets.
    """

    def __init__(self, watcher: Watcher, client: bytes) -> None:
        self.watcher = watcher
        self.client = client
        self.number = 0  # of the next request
        self.is_whole = False
        self.is_used = False
        self.replied_up_to: int | None = None
        self.outstanding: deque[Request] = deque()
        self._requests = RequestReader()
        self._replies = ReplyReader()
        self.up = Stream(self._take_requests)
        self.down = Stream(self._take_replies)

    def begin(self, segment: Segment, *, is_up: bool) -> bool:
        """Find where to begin without a SYN; return whether it is at this segment."""
        self.is_used = True
        end = segment.sequence + len(segment.data) + segment.hidden_bytes
        if not is_up:
            self.replied_up_to = end % _NUMBERS
            return False
        if self.up.expected is None:
            if self.replied_up_to not in (None, segment.acknowledged):
                return False  # a reply is on its way
            if not begins_request(segment.data):
                return False
            self.up.expected = segment.sequence
        if self.down.expected is None:
            self.down.expected = segment.acknowledged
        return True

    def drop(self, at_ns: int) -> None:
        """Give up the requests that wait for replies."""
        while self.outstanding:
            self.watcher.dropped(self.outstanding.popleft(), at_ns)

    def _take_requests(self, at_ns: int, data: bytes, hidden_bytes: int) -> None:
        for request in self._requests.feed(at_ns, data, hidden_bytes):
            if self.is_whole:
                request.client, request.number = self.client, self.number
                self.number += 1
            if request.has_reply:
                if self.outstanding and not self.is_whole:
                    raise Unreadable("requests are sent ahead, and its beginning was not captured")
                self.outstanding.append(request)
                self._replies.asked.append(len(request.keys))
            self.watcher.requested(request)

    def _take_replies(self, at_ns: int, data: bytes, hidden_bytes: int) -> None:
        for reply in self._replies.feed(at_ns, data, hidden_bytes):
            if not self.outstanding:
                raise Unreadable("a reply has no request")
            if not reply.fits(self.outstanding[0]):
                raise Unreadable("a reply is not that to its request")
            self.watcher.replied(self.outstanding.popleft(), reply)


class _Way(NamedTuple):
    """One direction of a connection, by which its segments are known."""

    connection: Connection
    stream: Stream
    other: Stream
    is_up: bool


class Connections:
    """All connections to the addresses of `watchers`, which are informed of requests and replies.

    Attributes
    ----------
    number : of all connections.
    abandoned : number of connections that could not be read to their end, by reason.
    lost_segments : number of segments, at least, that the capture lacks.
    """

    def __init__(self, watchers: Mapping[bytes, Watcher]) -> None:
        self.number = 0
        self.abandoned: Counter[str] = Counter()
        self.lost_segments = 0
        self.repeated_segments = 0
        self._watchers = watchers
        self._ways: dict[bytes, _Way | None] = {}  # None: nothing more is read of it

    def take(self, segment: Segment) -> None:
        """Take the next segment of the capture."""
        at_ns, flow, sequence, acknowledged, flags, data, hidden_bytes = segment
        way = self._ways.get(flow)
        if flags & SYN:
            self._open(segment, way)
            return
        if way is None and flow not in self._ways:
            way = self._new(flow)
        if way is None:
            return
        connection, stream, other, is_up = way
        try:
            if acknowledged != other.expected and flags & ACK and other.has_lost(acknowledged):
                raise Lost("a segment was acknowledged that was not captured")
            if data or hidden_bytes:
                if (
                    stream.expected is None or (is_up and other.expected is None)
                ) and not connection.begin(segment, is_up=is_up):
                    return
                if not stream.take(at_ns, sequence, data, hidden_bytes):
                    self.repeated_segments += 1
        except Lost as exc:
            self.lost_segments += 1
            self._abandon(way, flow, at_ns, str(exc))
        except Unreadable as exc:
            self._abandon(way, flow, at_ns, str(exc))
        else:
            if flags & (FIN | RST):
                self._end(way, segment)

    def close(self, at_ns: int) -> None:
        """Abandon what waits: the capture ends here."""
        for way in self._ways.values():
            if way is None or not way.is_up:
                continue
            connection = way.connection
            if connection.up.has_hole or connection.down.has_hole:
                self.lost_segments += 1
                self.abandoned["a segment had not come when the capture ended"] += 1
            elif connection.is_used and connection.up.expected is None:
                self.abandoned["it was never seen where a request begins"] += 1
            connection.drop(at_ns)
        self._ways.clear()

    def _new(self, flow: bytes) -> _Way | None:
        """Know a flow from now on, and the one the other way; None if nobody watches it."""
        length = (len(flow) - 4) // 2
        ports = 2 * length
        source, target = flow[:length], flow[length:ports]
        source_port, target_port = flow[ports : ports + 2], flow[ports + 2 :]
        sender, receiver = source + source_port, target + target_port
        to_target = self._watchers.get(receiver)
        watcher = to_target or self._watchers.get(sender)
        if watcher is None:
            self._ways[flow] = None
            return None
        self.number += 1
        connection = Connection(watcher, sender if to_target else receiver)
        up = _Way(connection, connection.up, connection.down, True)
        down = _Way(connection, connection.down, connection.up, False)
        own, back = (up, down) if to_target else (down, up)
        self._ways[flow] = own
        self._ways[_back(flow)] = back
        return own

    def _open(self, segment: Segment, way: _Way | None) -> None:
        first = (segment.sequence + 1) % _NUMBERS
        answers = bool(segment.flags & ACK)
        if way is not None:
            expected = way.stream.expected
            if expected == first or (answers and expected is not None):
                self.repeated_segments += 1
                return
            if not answers:  # the same ports, used again
                self._forget(way, segment.flow, segment.at_ns)
                way = None
        way = way or self._new(segment.flow)
        if way is None:
            return
        way.connection.is_whole = True
        way.stream.expected = first
        if answers and way.other.expected is None:
            way.other.expected = segment.acknowledged

    def _end(self, way: _Way, segment: Segment) -> None:
        stream = way.stream
        if segment.flags & RST:
            self._forget(way, segment.flow, segment.at_ns)
            return
        end = (segment.sequence + len(segment.data) + segment.hidden_bytes) % _NUMBERS
        if stream.expected == end:
            stream.expected = (end + 1) % _NUMBERS
            if not way.is_up:  # no reply will come
                self._forget(way, segment.flow, segment.at_ns)

    def _abandon(self, way: _Way, flow: bytes, at_ns: int, reason: str) -> None:
        self.abandoned[reason] += 1
        self._forget(way, flow, at_ns)

    def _forget(self, way: _Way, flow: bytes, at_ns: int) -> None:
        self._ways[flow] = self._ways[_back(flow)] = None
        way.connection.drop(at_ns)


def _back(flow: bytes) -> bytes:
    length = (len(flow) - 4) // 2
    ports = 2 * length
    return flow[length:ports] + flow[:length] + flow[ports + 2 :] + flow[ports : ports + 2]
