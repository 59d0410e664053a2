"""What has been written under each key by whom, and what a read may therefore return.

A key has one writer, which numbers its values. Only the last acknowledged version may be read, or
one that was written without being acknowledged: whether such a one is there, nobody can know.
"""

from __future__ import annotations

import hashlib
import random
import zlib
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

KIB = 1024
LARGEST_VALUE_BYTES = 8 * KIB
LARGE_VALUE_BYTES = 100 * KIB
KEYS_PER_WRITER = 4
PADDED_KEY_BYTES = 200
PLACES_PER_SERVER = 200


class Snapshot(NamedTuple):
    """What was acknowledged when a read was sent."""

    version: int
    written_s: float


@dataclass
class History:
    """The versions of one key; `written_s` is when the last acknowledged one was sent."""

    issued: int = 0
    acknowledged: int = 0
    written_s: float = 0.0
    unacknowledged: set[int] = field(default_factory=set)


class Ledger:
    """All keys of an episode; confined to one thread.

    Parameters
    ----------
    writers : int
        Clients that write, each to keys of its own.
    seed : int
        Of the values' bytes.
    holders : callable
        The indices of the servers that a key is written to.
    """

    def __init__(self, writers: int, seed: int, holders: Callable[[str], Sequence[int]]):
        self._block = random.Random(seed).randbytes(4 * LARGE_VALUE_BYTES)
        self._holders = {key: holders(key) for w in range(writers) for key in keys_of(w)}
        self._histories = {key: History() for key in self._holders}
        self.empty_until_s: dict[int, float] = {}
        """When a server that has lost its data served again, on the clock of the writes."""
        self.may_drop_old = False
        """A server that has no room for a new value removes the old one."""

    @property
    def keys(self) -> list[str]:
        """All keys of all writers."""
        return list(self._histories)

    def holders(self, key: str) -> Sequence[int]:
        """Return the indices of the servers that `key` is written to."""
        return self._holders[key]

    def next_version(self, key: str, num_bytes: int) -> tuple[int, bytes]:
        """Begin a write: returns the version and the value, which has `num_bytes` or few more."""
        history = self._histories[key]
        history.issued += 1
        history.unacknowledged.add(history.issued)
        return history.issued, self._value(key, history.issued, num_bytes)

    def acknowledge(self, key: str, version: int, sent_s: float) -> None:
        """Note that all servers of the key have stored the version."""
        history = self._histories[key]
        history.unacknowledged.discard(version)
        history.acknowledged = version
        history.written_s = sent_s

    def snapshot(self, key: str) -> Snapshot:
        """Return what a read that is sent now must find."""
        history = self._histories[key]
        return Snapshot(history.acknowledged, history.written_s)

    def objection_to_value(self, key: str, since: Snapshot, flags: int, value: bytes) -> str | None:
        """Say why a read of `key` must not return this; None if it may."""
        header, newline, _ = value.partition(b"\n")
        words = header.split()
        if not newline or len(words) != 4 or not words[1].isdigit() or not words[2].isdigit():
            return f"{key}: no value of ours: {value[:60]!r}"
        version, num_bytes = int(words[1]), int(words[2])
        if words[0] != key.encode():
            return f"{key}: the value of {words[0].decode()}"
        if value != self._value(key, version, num_bytes) or flags != flags_of(version):
            return f"{key}: version {version} is damaged ({len(value)} bytes, flags {flags})"
        history = self._histories[key]
        if version > history.issued:
            return f"{key}: version {version} was never written, the last is {history.issued}"
        if version < since.version and version not in history.unacknowledged:
            return f"{key}: version {version}, but {since.version} was acknowledged before"
        return None

    def objection_to_miss(self, key: str, since: Snapshot, server: int | None = None) -> str | None:
        """Say why a read of `key`, of `server` or of any, must not miss; None if it may."""
        history = self._histories[key]
        asked = self._holders[key] if server is None else (server,)
        if since.version == 0 or any(
            since.written_s < self.empty_until_s.get(index, 0.0) for index in asked
        ):
            return None
        if self.may_drop_old and any(v > since.version for v in history.unacknowledged):
            return None
        return f"{key}: missing, but version {since.version} was acknowledged"

    def settle(self) -> None:
        """Note that nothing is under way: each key now has its last acknowledged version."""
        for history in self._histories.values():
            history.unacknowledged.clear()
        self.empty_until_s.clear()
        self.may_drop_old = False

    def is_settled(self, key: str) -> bool:
        """Whether the last write of `key` was acknowledged."""
        history = self._histories[key]
        return history.acknowledged == history.issued

    def _value(self, key: str, version: int, num_bytes: int) -> bytes:
        start = (version * 7919 + len(key) * 104_729) % (len(self._block) - num_bytes)
        data = self._block[start : start + num_bytes]
        head = f"{key} {version} {num_bytes}"
        return f"{head} {zlib.crc32(data, zlib.crc32(head.encode())):08x}\n".encode() + data


def keys_of(writer: int) -> list[str]:
    """Return the keys that only `writer` writes; the last one is long."""
    keys = [f"w{writer}-{number}" for number in range(KEYS_PER_WRITER)]
    return [*keys[:-1], keys[-1].ljust(PADDED_KEY_BYTES, "k")]


def flags_of(version: int) -> int:
    """Return the flags that a version is stored with."""
    return version * 2_654_435_761 % 2**32


def ring_owners(key: str, servers: Sequence[str], replicas: int) -> list[int]:
    """Return the first `replicas` servers on the ring of MD5 places, as the middleware has it."""
    places = sorted(
        (_place(f"{server}-{number}"), index)
        for index, server in enumerate(servers)
        for number in range(PLACES_PER_SERVER)
    )
    start = bisect_left(places, (_place(key), -1))
    turn = [places[(start + step) % len(places)][1] for step in range(len(places))]
    return list(dict.fromkeys(turn))[:replicas]


def _place(text: str) -> int:
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:4], "big")
