"""Which requests at servers does a client's request lead to? Told by commands, keys and times.

A call, which is a request at a server with its reply, belongs to a client's request of the same
command if all its keys are among those of the request, and if it began after the request had come
and ended before the reply left. The parts of a multi-get are several calls, so are the copies of a
set. Where requests with a key in common are in the system at the same time, each is given the
oldest calls, as many of each key as requests that were alone had. What is left over is counted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, field

from remote.packets.messages import Reply, Request

_LIKE = {b"gets": b"get", b"gats": b"gat"}


@dataclass(slots=True, eq=False)
class Call:
    """A request at a server, and the reply to it.

    Attributes
    ----------
    is_settled : whether it belongs to a client's request, or is counted as belonging to none.
    is_certain : no other request with a key in common was in the system.
    """

    server: str
    request: Request
    reply: Reply
    is_settled: bool = False
    is_certain: bool = False

    @property
    def time_ns(self) -> int:
        """How long it took, from the first byte of the request to the last of the reply."""
        return max(0, self.reply.at_ns - self.request.began_ns)


@dataclass(slots=True, eq=False)
class _Place:
    """The requests in the system with one key, and the calls with it since the first came."""

    requests: int = 1
    is_shared: bool = False
    calls: list[Call] = field(default_factory=list)


class Matcher:
    """Gives calls to requests; told of everything in the order in which it happened.

    Attributes
    ----------
    unmatched_requests : requests with a reply, but without a call for each of their keys.
    unmatched_calls : calls that belong to no request.
    """

    def __init__(self) -> None:
        self.unmatched_requests = 0
        self.unmatched_calls = 0
        self._places: defaultdict[bytes, dict[bytes, _Place]] = defaultdict(dict)
        self._copies: dict[bytes, int] = {}  # by command: calls for each key

    def arrived(self, request: Request) -> None:
        """Take note of a client's request that has come."""
        places = self._places[_command(request)]
        for key in _different(request.keys):
            place = places.get(key)
            if place is None:
                places[key] = _Place()
            else:
                place.requests += 1
                place.is_shared = True

    def called(self, call: Call) -> None:
        """Take note of a call that has its reply."""
        places = self._places[_command(call.request)]
        wanted = False
        for key in _different(call.request.keys):
            if (place := places.get(key)) is not None:
                place.calls.append(call)
                wanted = True
        if not wanted and call.request.keys:
            self.unmatched_calls += 1

    def replied(self, request: Request) -> list[Call] | None:
        """Return the calls of a request that has its reply now; None if they are not known."""
        keys = _different(request.keys)
        if not keys:
            return None
        command = _command(request)
        places = self._places[command]
        is_shared = any(places[key].is_shared for key in keys)
        copies = self._copies.get(command, 0) if is_shared else None
        calls, counts = self._choose(request, keys, copies)
        self._leave(command, keys)
        if not all(counts.values()):
            self.unmatched_requests += 1
            return None
        if not is_shared:
            self._copies[command] = counts[request.keys[0]]
        return calls

    def dropped(self, request: Request) -> None:
        """Take note of a client's request that gets no reply which could be read."""
        self._leave(_command(request), _different(request.keys))

    def _choose(
        self, request: Request, keys: Collection[bytes], copies: int | None
    ) -> tuple[list[Call], dict[bytes, int]]:
        """Take at most `copies` calls of each key, or all; return them and how many of each."""
        places = self._places[_command(request)]
        chosen: list[Call] = []
        counts = dict.fromkeys(keys, 0)
        for key in keys:
            for call in places[key].calls:
                own = call.request.keys
                if (
                    call.is_settled
                    or call.request.at_ns < request.at_ns
                    or not (len(own) == 1 or counts.keys() >= set(own))
                ):
                    continue
                if copies is not None:
                    if counts[key] >= copies:
                        break
                    if any(c.server == call.server and key in c.request.keys for c in chosen):
                        continue
                call.is_settled = True
                call.is_certain = copies is None
                chosen.append(call)
                for one in _different(own):
                    counts[one] += 1
        return chosen, counts

    def _leave(self, command: bytes, keys: Collection[bytes]) -> None:
        """Forget a request, and the calls of a key that no request in the system has."""
        places = self._places[command]
        for key in keys:
            place = places[key]
            place.requests -= 1
            if not place.requests:
                for call in places.pop(key).calls:
                    if not call.is_settled:
                        call.is_settled = True
                        self.unmatched_calls += 1


def _command(request: Request) -> bytes:
    return _LIKE.get(request.verb, request.verb)


def _different(keys: list[bytes]) -> Collection[bytes]:
    return keys if len(keys) < 2 else dict.fromkeys(keys)
