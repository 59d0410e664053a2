"""Put the segments of one direction of a connection in order: each byte once, none left out.

Retransmitted and doubled segments are dropped, those that came early wait for those before them.
What the receiver has acknowledged but the capture does not hold was lost by the capture: from there
on the direction cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable

LONGEST_HOLE_NS = 5_000_000_000  # beyond several retransmissions
LARGEST_WAITING = 4096  # segments behind a hole
_NUMBERS = 1 << 32
_MASK = _NUMBERS - 1
_HALF = _NUMBERS >> 1
Deliver = Callable[[int, bytes, int], None]


class Lost(Exception):
    """The capture lacks a segment; tells which."""


class Stream:
    """One direction of a connection.

    Parameters
    ----------
    deliver : gets each piece in its order: when its last byte had come, its bytes, how many more
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
        """Take a segment; tell whether it brought anything new.

        Raises
        ------
        Lost
            A segment before it has not come for too long.
        """
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
        """Tell whether the receiver acknowledges what the capture has not seen."""
        if self.expected is None:
            return False
        return 0 < (acknowledged - self.expected) & _MASK < _HALF

    def _keep(self, at_ns: int, sequence: int, data: bytes, hidden_bytes: int) -> bool:
        """Let a segment wait for those before it."""
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
