"""Followed requests in Chrome's Trace Event Format, which ui.perfetto.dev opens.

Each host is a process. A client's connection, a worker and its connection to a server are threads;
slices of a thread follow or contain each other, as the format wants it, so that what overlaps
stands on a further thread of that name. A flow leads from a request's sending to its servers. Where
packets were captured on a server's host, what lies between them is the server's.
Format: Chromium project, "Trace Event Format" (2016): complete events ``X``, flows ``s`` ``t``
``f``, metadata ``M``; `ts` and `dur` in whole microseconds, so that slices meet exactly.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.traces.on_the_wire import NO_WORKER
from analysis.units import US_PER_MS

Event = dict[str, Any]
_WAITS = ("first_byte", "enqueued", "dequeued")
_SERVED = ("dequeued", "servers_sent", "servers_answered", "replied")
_TOLD = ("number", "response_time_ms", "slowest_server", "blamed", "blamed_share")
_US_PER_S = 1_000_000


class _Threads:
    """Numbers of processes and threads, and until when each thread is taken."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._hosts: dict[str, int] = {}
        self._lanes: dict[tuple[str, str], list[tuple[int, int]]] = {}
        self._threads = 0

    def place(self, host: str, name: str, start_us: int, end_us: int) -> dict[str, int]:
        """Return `pid` and `tid` of a thread of that name which is free at that time."""
        if host not in self._hosts:
            self._hosts[host] = len(self._hosts) + 1
            self._name("process_name", host, pid=self._hosts[host], tid=0)
        pid = self._hosts[host]
        lanes = self._lanes.setdefault((host, name), [])
        free = next((n for n, (_, until_us) in enumerate(lanes) if until_us <= start_us), None)
        if free is None:
            free = len(lanes)
            self._threads += 1
            lanes.append((self._threads, end_us))
            self._name("thread_name", name, pid=pid, tid=self._threads)
        tid = lanes[free][0]
        lanes[free] = (tid, end_us)
        return {"pid": pid, "tid": tid}

    def _name(self, kind: str, name: str, **place: int) -> None:
        self.events.append({"ph": "M", "name": kind, "ts": 0, **place, "args": {"name": name}})


def to_chrome_trace(requests: pd.DataFrame, pauses: pd.DataFrame | None = None) -> dict[str, Any]:
    """Return followed requests as a trace; `json.dump` writes it for ui.perfetto.dev.

    Parameters
    ----------
    requests
        `analysis.traces.followed_requests.followed_requests` of one run, or some of its rows.
    pauses
        `analysis.traces.host_pauses.host_pauses` of that run: slices of a thread ``pauses`` of
        their hosts.
    """
    starts_s = [requests["sent_s"]] if pauses is None else [requests["sent_s"], pauses["start_s"]]
    origin_s = min((float(column.min()) for column in starts_s if len(column)), default=0.0)
    threads = _Threads()
    events: list[Event] = []
    ordered = requests.sort_values("sent_s").to_dict("records")
    for number, request in enumerate(ordered, 1):
        start_us = (request["sent_s"] - origin_s) * _US_PER_S
        slices = list(_slices(request, start_us, threads))
        events += [event for event, _ in slices]
        events += _flow([event for event, is_passed in slices if is_passed], number)
    for pause in [] if pauses is None else pauses.sort_values("start_s").to_dict("records"):
        start_us = round((pause["start_s"] - origin_s) * _US_PER_S)
        end_us = start_us + round(pause["length_s"] * _US_PER_S)
        place = threads.place(pause["host"], f"pauses of {pause['process']}", start_us, end_us)
        events.append(_slice(pause["cause"], start_us, end_us, place))
    return {"traceEvents": [*threads.events, *events], "displayTimeUnit": "ms"}


def _slices(
    request: Mapping[Hashable, Any], start_us: float, threads: _Threads
) -> Iterator[tuple[Event, bool]]:
    """Yield the slices of one request, and whether its flow passes them, in the flow's order."""

    def at(stamp_ms: float) -> int:
        return round(start_us + stamp_ms * US_PER_MS)

    def placed(host: str, thread: str, start_us: int, end_us: int) -> Event:
        end_us = max(start_us, end_us)
        place = threads.place(host, thread, start_us, end_us)
        return _slice(request["request_type"], start_us, end_us, place)

    def within(event: Event, names: Sequence[str], stamps_us: Sequence[int]) -> Iterator[Event]:
        place = {"pid": event["pid"], "tid": event["tid"]}
        for name, start_us, end_us in zip(names, stamps_us[:-1], stamps_us[1:], strict=True):
            yield _slice(name, start_us, end_us, place)

    middleware = request["middleware"]
    worker = "calls" if request["worker"] == NO_WORKER else f"worker {request['worker']}"
    stamps = {name: at(request[f"{name}_ms"]) for name in (*_WAITS, *_SERVED)}
    sent = placed(request["client_host"], request["client"], at(0), at(request["response_time_ms"]))
    sent["args"] = {name: request[name] for name in _TOLD if pd.notna(request.get(name))}
    yield sent, True
    waits = [stamps[name] for name in _WAITS]
    stay = placed(middleware, f"from {request['client']}", waits[0], waits[-1])
    yield stay, True
    yield from ((event, False) for event in within(stay, ("preprocessing", "queue"), waits))
    served = [stamps[name] for name in _SERVED]
    service = placed(middleware, worker, served[0], served[-1])
    yield service, True
    names = ("sending", "servers", "replying")
    yield from ((event, False) for event in within(service, names, served))
    unseen = (np.nan,) * len(request["servers"])
    asked = zip(
        request["server_sent_ms"],
        request["server_answered_ms"],
        request["servers"],
        *(request.get(f"server_host_{way}_ms", unseen) for way in ("in", "out")),
        strict=True,
    )
    for sent_ms, answered_ms, server, in_ms, out_ms in sorted(asked):
        call = placed(server, f"for {middleware} {worker}", at(sent_ms), at(answered_ms))
        yield call, True
        if in_ms < out_ms:
            spans_us = [at(min(max(ms, sent_ms), answered_ms)) for ms in (in_ms, out_ms)]
            yield from ((event, False) for event in within(call, ("in the server",), spans_us))


def _slice(name: str, start_us: int, end_us: int, place: dict[str, int]) -> Event:
    dur_us = end_us - start_us
    return {"ph": "X", "name": name, "cat": "request", "ts": start_us, "dur": dur_us, **place}


def _flow(slices: list[Event], number: int) -> Iterator[Event]:
    """Yield arrows from the start of each slice to that of the next."""
    for place, one in enumerate(slices):
        is_last = place == len(slices) - 1
        event = {"ph": "f" if is_last else "t" if place else "s", "id": number, "name": "request"}
        event |= {name: one[name] for name in ("cat", "ts", "pid", "tid")}
        yield event | {"bp": "e"} if is_last else event
