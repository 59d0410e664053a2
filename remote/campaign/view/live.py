"""Throughput and queue length of the running experiment, from the middlewares' admin endpoints.

The reply of ``/stats`` is the run so far; what happens now is the difference of two of them.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from remote.errors import RemoteError
from remote.hosts.group import Fleet, in_parallel
from remote.hosts.inventory import Host
from remote.services.middleware import ADMIN_PORT

REQUEST = b"GET /stats HTTP/1.0\r\nHost: middleware\r\n\r\n"
REPLY_END = b"}\n"
INTERVAL_S = 1.0
REPLY_TIMEOUT_S = 3.0


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one middleware has counted since it was started.

    Parameters
    ----------
    epoch_s : when.
    measured_s : for how long it has been counting.
    requests : requests answered.
    waiting_job_s : jobs waiting in the queue, integrated over time.
    """

    epoch_s: float
    measured_s: float
    requests: int
    waiting_job_s: float


@dataclass(frozen=True, kw_only=True)
class Sample:
    """All middlewares of a run between two readings, as the clock has it."""

    epoch_s: float
    throughput_ops_per_s: float
    queue_length: float

    def undilated(self, time_dilation: float) -> Sample:
        """Return the sample as a system without time dilation would have given it."""
        return replace(self, throughput_ops_per_s=self.throughput_ops_per_s * time_dilation)

    def text(self) -> str:
        """Return the sample in a few words."""
        return f"{self.throughput_ops_per_s:,.0f} op/s, queue {self.queue_length:.1f}"


def parse_stats(reply: bytes) -> Reading:
    """Read the HTTP reply of ``/stats``.

    Of it this much matters::

        HTTP/1.1 200 OK

        {"started_epoch_ms":1795266865000,"stopped_epoch_ms":1795266866000,
         "requests":{"set":{"requests":1021,"keys":1021}},"queue":{"mean":3.2,"max":9}}

    Raises
    ------
    ValueError
        It is not such a reply.
    """
    head, _, body = reply.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0]:
        raise ValueError(f"not a reply of /stats: {head[:80]!r}")
    try:
        stats = json.loads(body)
        measured_s = (stats["stopped_epoch_ms"] - stats["started_epoch_ms"]) / 1000
        return Reading(
            epoch_s=stats["stopped_epoch_ms"] / 1000,
            measured_s=measured_s,
            requests=sum(kind["requests"] for kind in stats["requests"].values()),
            waiting_job_s=(stats["queue"]["mean"] or 0.0) * measured_s,
        )
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
        raise ValueError(f"not a reply of /stats: {exc}: {body[:80]!r}") from exc


def between(before: Sequence[Reading], now: Sequence[Reading]) -> Sample | None:
    """Return what all middlewares did between two readings of each, None if no time has passed."""
    if not now or len(before) != len(now):
        return None
    throughput = queue_length = 0.0
    for earlier, later in zip(before, now, strict=True):
        elapsed_s = later.measured_s - earlier.measured_s
        if elapsed_s <= 0:  # it has been started anew
            return None
        throughput += (later.requests - earlier.requests) / elapsed_s
        queue_length += max(0.0, later.waiting_job_s - earlier.waiting_job_s) / elapsed_s
    return Sample(
        epoch_s=max(reading.epoch_s for reading in now),
        throughput_ops_per_s=throughput,
        queue_length=queue_length,
    )


class Poller:
    """Asks the middlewares once a second, in a thread of its own, until it is stopped.

    What cannot be read is left out: the view of a run must not be able to spoil it.
    """

    def __init__(
        self, fleet: Fleet, hosts: Sequence[Host], on_sample: Callable[[Sample], None]
    ) -> None:
        self.fleet = fleet
        self.hosts = hosts
        self._on_sample = on_sample
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._poll, name="live", daemon=True)

    def start(self) -> None:
        """Begin to ask; harmless where there is no middleware to be asked."""
        if self.hosts:
            self._thread.start()

    def stop(self) -> None:
        """Ask no more; returns at once."""
        self._stopping.set()

    def _poll(self) -> None:
        before: list[Reading] = []
        while not self._stopping.wait(INTERVAL_S):
            try:
                asked = in_parallel({h.name: partial(self._ask, h) for h in self.hosts})
            except (RemoteError, ValueError):
                before = []
                continue
            now = list(asked.values())
            sample = between(before, now)
            before = now
            if sample is not None and not self._stopping.is_set():
                self._on_sample(sample)

    def _ask(self, host: Host) -> Reading:
        connection = self.fleet[host]
        reply = connection.ask(ADMIN_PORT, REQUEST, REPLY_END, timeout_s=REPLY_TIMEOUT_S)
        return parse_stats(reply)
