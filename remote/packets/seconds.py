"""Requests, calls and jobs in the system by second, written as tables while time goes on.

A request counts in the second in which its reply had left. The last two seconds are kept, all
before are written: what is kept does not grow with the length of a capture.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from remote.packets.matching import Call
from remote.packets.messages import Reply, Request

SECOND_NS = 1_000_000_000
RESPONSE, SERVICE, REST, LONGEST = (
    "response_time",
    "service_time",
    "queueing_and_processing_time",
    "servers_net_time",
)
TIMES = (RESPONSE, SERVICE, REST, LONGEST)
IN_HISTOGRAMS = (RESPONSE, SERVICE, REST)
_STATISTICS = ("mean_ms", "min_ms", "max_ms")
_COUNTS = ("requests", "keys", "errors", "hits", "misses", "bytes_in", "bytes_out")
_OF_TIMES = [f"{time}_{name}" for time in TIMES for name in (*_STATISTICS, "count")]
HEADS = {
    "windows.csv": ["epoch_s", "request_type", *_COUNTS, *_OF_TIMES],
    "queue.csv": ["epoch_s", "arrivals", "jobs_mean", "jobs_found_mean"],
    "servers.csv": [
        *("epoch_s", "server", *_COUNTS),
        *(f"response_time_{name}" for name in _STATISTICS),
    ],
    "histograms.csv": ["epoch_s", "time", "server", "request_type", "upper_edge_us", "count"],
}
_EXACT_BITS = 9  # a bucket is one microsecond wide up to 512, then at most 1/256 of its values
_KEPT_SECONDS = 2


@dataclass(slots=True)
class _Tally:
    """What the requests of one type, or those of one server, add up to in one second."""

    requests: int = 0
    keys: int = 0
    errors: int = 0
    hits: int = 0
    misses: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    times_ns: dict[str, list[int]] = field(default_factory=lambda: {time: [] for time in TIMES})

    def add(self, request: Request, reply: Reply, *, bytes_in: int, bytes_out: int) -> None:
        number = len(request.keys)
        self.requests += 1
        self.keys += number
        self.bytes_in += bytes_in
        self.bytes_out += bytes_out
        if reply.is_error:
            self.errors += 1
        elif request.is_retrieval:
            hits = len(reply.keys)
            self.hits += hits
            self.misses += max(0, number - hits)

    def cells(self) -> list[int]:
        return [int(getattr(self, name)) for name in _COUNTS]


@dataclass(slots=True)
class _Second:
    epoch_s: int
    types: dict[str, _Tally] = field(default_factory=dict)
    servers: dict[tuple[str, str], _Tally] = field(default_factory=dict)  # and their types
    arrivals: int = 0
    found: int = 0
    jobs_ns: int = 0  # the sum of how long each job was in the system


class Seconds:
    """Writes the tables into a folder as a context manager; `jobs` are in the system."""

    def __init__(self, folder: Path) -> None:
        self.jobs = 0
        self._folder = folder
        self._files = ExitStack()
        self._texts: dict[str, io.TextIOWrapper] = {}
        self._open: dict[int, _Second] = {}
        self._newest: _Second | None = None
        self._until_ns = 0

    def __enter__(self) -> Seconds:
        self._folder.mkdir(parents=True, exist_ok=True)
        for name, head in HEADS.items():
            file = self._files.enter_context((self._folder / name).open("w", newline=""))
            self._texts[name] = file
            file.write(",".join(head) + "\n")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        with self._files:
            if kind is None:
                for epoch_s in sorted(self._open):
                    self._write(self._open.pop(epoch_s))

    def arrive(self, began_ns: int, at_ns: int) -> None:
        """Let a job come into the system."""
        second = self._advance(at_ns)
        second.arrivals += 1
        second.jobs_ns += at_ns - began_ns  # it is in the system since its first byte came
        second.found += self.jobs
        self.jobs += 1

    def leave(self, at_ns: int) -> None:
        """Let a job leave the system."""
        self._advance(at_ns)
        self.jobs -= 1

    def reply(self, request: Request, reply: Reply, calls: Sequence[Call] | None) -> None:
        """Count a client's request; its `calls` are None where they are not known."""
        kind = request.request_type
        types = self._second(reply.at_ns).types
        tally = types.get(kind)
        if tally is None:
            tally = types[kind] = _Tally()
        tally.add(request, reply, bytes_in=request.length_bytes, bytes_out=reply.length_bytes)
        response_ns = max(0, reply.at_ns - request.began_ns)
        times = tally.times_ns
        times[RESPONSE].append(response_ns)
        if not calls:
            return
        if len(calls) == 1:
            service_ns = longest_ns = calls[0].time_ns
        else:
            sent_ns = min(call.request.began_ns for call in calls)
            service_ns = max(0, max(call.reply.at_ns for call in calls) - sent_ns)
            longest_ns = max(call.time_ns for call in calls)
        times[SERVICE].append(service_ns)
        times[REST].append(max(0, response_ns - service_ns))
        times[LONGEST].append(longest_ns)

    def call(self, call: Call) -> None:
        """Count a request at a server."""
        request, reply = call.request, call.reply
        servers = self._second(reply.at_ns).servers
        key = call.server, request.request_type
        tally = servers.get(key)
        if tally is None:
            tally = servers[key] = _Tally()
        tally.add(request, reply, bytes_in=reply.length_bytes, bytes_out=request.length_bytes)
        tally.times_ns[RESPONSE].append(call.time_ns)

    def _advance(self, at_ns: int) -> _Second:
        """Let time go on for the jobs in the system."""
        second = self._second(at_ns)
        if at_ns > self._until_ns:
            second.jobs_ns += self.jobs * (at_ns - self._until_ns)
            self._until_ns = at_ns
        return second

    def _second(self, at_ns: int) -> _Second:
        """Return the second of a time; what is older than the last two counts in the newest."""
        newest = self._newest
        epoch_s = at_ns // SECOND_NS
        if newest is None:
            self._until_ns = at_ns
            return self._begin(epoch_s)
        while newest.epoch_s < epoch_s:
            border_ns = (newest.epoch_s + 1) * SECOND_NS
            newest.jobs_ns += self.jobs * max(0, border_ns - self._until_ns)
            self._until_ns = max(border_ns, self._until_ns)
            newest = self._begin(newest.epoch_s + 1)
        return newest if newest.epoch_s == epoch_s else self._open.get(epoch_s, newest)

    def _begin(self, epoch_s: int) -> _Second:
        self._newest = self._open[epoch_s] = _Second(epoch_s)
        if done := self._open.pop(epoch_s - _KEPT_SECONDS, None):
            self._write(done)
        return self._newest

    def _write(self, second: _Second) -> None:
        epoch_s = second.epoch_s
        for kind, tally in sorted(second.types.items()):
            times = [cell for time in TIMES for cell in _statistics(tally.times_ns[time])]
            self._row("windows.csv", [epoch_s, kind, *tally.cells(), *times])
            for time in IN_HISTOGRAMS:
                self._histogram(epoch_s, time, "", kind, tally.times_ns[time])
        for server in sorted({server for server, _ in second.servers}):
            own = [tally for (name, _), tally in second.servers.items() if name == server]
            counts = [sum(cells) for cells in zip(*(tally.cells() for tally in own), strict=True)]
            spent_ns = list(chain.from_iterable(tally.times_ns[RESPONSE] for tally in own))
            self._row("servers.csv", [epoch_s, server, *counts, *_statistics(spent_ns)[:-1]])
        for (server, kind), tally in sorted(second.servers.items()):
            self._histogram(epoch_s, "server_time", server, kind, tally.times_ns[RESPONSE])
        mean = f"{second.jobs_ns / SECOND_NS:.6f}"
        found = f"{second.found / second.arrivals:.6f}" if second.arrivals else ""
        self._row("queue.csv", [epoch_s, second.arrivals, mean, found])

    def _histogram(
        self, epoch_s: int, time: str, server: str, kind: str, times_ns: Iterable[int]
    ) -> None:
        for edge, count in histogram(times_ns).items():
            self._row("histograms.csv", [epoch_s, time, server, kind, edge, count])

    def _row(self, name: str, cells: Sequence[object]) -> None:
        csv.writer(self._texts[name], lineterminator="\n").writerow(cells)


def histogram(times_ns: Iterable[int]) -> dict[int, int]:
    """Count times in buckets, in rising order by the most whole microseconds that fall into one."""
    counts: Counter[int] = Counter()
    for us, count in Counter([ns // 1000 for ns in times_ns]).items():
        shift = max(0, us.bit_length() - _EXACT_BITS)
        counts[((us >> shift) + 1 << shift) - 1] += count
    return dict(sorted(counts.items()))


def _statistics(times_ns: Sequence[int]) -> list[object]:
    """Return mean, smallest and largest in ms, and the number; empty cells of none."""
    if not times_ns:
        return ["", "", "", 0]
    values = (sum(times_ns) / len(times_ns), min(times_ns), max(times_ns))
    return [*(f"{ns / 1e6:.6f}" for ns in values), len(times_ns)]
