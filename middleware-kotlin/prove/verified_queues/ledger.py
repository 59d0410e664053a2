"""What was sent, what was acknowledged and what was taken, and what of it must not be.

A message tells its queue, receiver, sender and number. Times are those of one clock, in seconds.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

SIZES = (0, 200, 2000, 20_000)
EXCUSED_FOR_S = 5.0
"""For how long a take that was given up may hold its message, which others pass by meanwhile."""


class Lane(NamedTuple):
    """Messages of a queue to a receiver, or to nobody; they come out in order."""

    queue: str
    receiver: str

    @property
    def key(self) -> str:
        """The key of the protocol, without a sender."""
        return f"{self.queue}/to/{self.receiver}" if self.receiver else self.queue


class Take(NamedTuple):
    """When a message was asked for and when it, or something else, came."""

    began_s: float
    ended_s: float


@dataclass
class Message:
    """One message; it is acknowledged if the sender has seen that it is stored."""

    lane: Lane
    sender: str
    number: int
    sent_s: float
    body: bytes
    acknowledged_s: float | None = None
    takes: list[Take] = field(default_factory=list)

    def __str__(self) -> str:
        """Name it in a complaint."""
        return f"{self.lane.key} number {self.number} from {self.sender}"


def _later(one: Message, other: Message) -> Message:
    return one if one.sent_s >= other.sent_s else other


class Ledger:
    """All messages of one repetition."""

    def __init__(self, seed: int):
        self._rng = random.Random(seed)
        self._messages: list[Message] = []
        self._unknown: dict[Lane, list[Take]] = defaultdict(list)
        self.wrong: list[str] = []
        """What was wrong with replies when they came, in words."""

    @property
    def num_sent(self) -> int:
        """How many messages were sent, acknowledged or not."""
        return len(self._messages)

    @property
    def num_acknowledged(self) -> int:
        """How many of them were acknowledged."""
        return sum(message.acknowledged_s is not None for message in self._messages)

    @property
    def num_unknown(self) -> int:
        """How many takes were given up: each may have cost a message."""
        return sum(len(takes) for takes in self._unknown.values())

    def new_message(self, lane: Lane, sender: str, sent_s: float) -> Message:
        """Return a message that is about to be sent; its number is also its flags."""
        number = len(self._messages)
        told = f"{lane.queue} {lane.receiver or '-'} {sender} {number} ".encode()
        message = Message(lane, sender, number, sent_s, told + b"x" * self._rng.choice(SIZES))
        self._messages.append(message)
        return message

    def taken(self, lane: Lane, flags: int, body: bytes, take: Take) -> None:
        """Note that this came out of a lane."""
        if not 0 <= flags < len(self._messages):
            self.wrong.append(f"{lane.key}: flags {flags} of no message")
            return
        message = self._messages[flags]
        if message.body != body:
            self.wrong.append(f"{lane.key}: {body[:80]!r} is not what was sent as {message}")
        if message.lane != lane:
            self.wrong.append(f"{lane.key}: has got {message}")
        message.takes.append(take)

    def gave_up(self, lane: Lane, take: Take) -> None:
        """Note that nobody knows whether a message was taken, and which."""
        self._unknown[lane].append(take)

    def objections(self) -> list[str]:
        """Return what must not be, now that all lanes are empty."""
        return [*self.wrong, *self._twice(), *self._lost(), *self._disordered()]

    def _twice(self) -> Iterator[str]:
        for message in self._messages:
            if len(message.takes) > 1:
                yield f"{message}: delivered {len(message.takes)} times"

    def _lost(self) -> Iterator[str]:
        """Acknowledged messages that nobody has got, beyond what takes of unknown end explain."""
        lost = defaultdict(list)
        for message in self._messages:
            if message.acknowledged_s is not None and not message.takes:
                lost[message.lane].append(message)
        for lane, messages in lost.items():
            explained = len(self._unknown[lane])
            if len(messages) > explained:
                yield (
                    f"{lane.key}: {len(messages)} acknowledged messages never came, "
                    f"{explained} takes were given up; the first: {messages[0]}"
                )

    def _disordered(self) -> Iterator[str]:
        """Messages that were taken before others which were acknowledged before they were sent."""
        lanes = defaultdict(list)
        for message in self._messages:
            if message.takes:
                lanes[message.lane].append(message)
        for lane, messages in lanes.items():
            messages.sort(key=lambda message: message.takes[0].ended_s)
            ended = [message.takes[0].ended_s for message in messages]
            latest = list(accumulate(messages, _later))
            for message in messages:
                place = bisect_left(ended, message.takes[0].began_s)
                if message.acknowledged_s is None or place == 0:
                    continue
                earlier = latest[place - 1]
                if earlier.sent_s > message.acknowledged_s and not self._is_excused(lane, earlier):
                    yield f"{earlier} was sent after {message} was acknowledged, and came before it"

    def _is_excused(self, lane: Lane, message: Message) -> bool:
        """Whether somebody may have held another message when this one was taken."""
        take = message.takes[0]
        return any(
            other.began_s <= take.ended_s and take.began_s <= other.ended_s + EXCUSED_FOR_S
            for other in self._unknown[lane]
        )
