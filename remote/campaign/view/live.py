"""Throughput and queue length of the running experiment, in a progress bar or a notebook's figure.

They come from the middlewares' admin endpoints: the reply of ``/stats`` is the run so far; what
happens now is the difference of two of them.
"""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from remote.errors import RemoteError
from remote.experiment.run import Run
from remote.hosts.group import Fleet, in_parallel
from remote.hosts.inventory import Host
from remote.services.middleware import ADMIN_PORT

REQUEST = b"GET /stats HTTP/1.0\r\nHost: middleware\r\n\r\n"
REPLY_END = b"}\n"
INTERVAL_S = 1.0
REPLY_TIMEOUT_S = 3.0
MAX_POINTS = 600


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
    """Read the HTTP reply of ``/stats``; ValueError if it is none.

    Of it this much matters::

        HTTP/1.1 200 OK

        {"started_epoch_ms":1795266865000,"stopped_epoch_ms":1795266866000,
         "requests":{"set":{"requests":1021,"keys":1021}},"queue":{"mean":3.2,"max":9}}
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


def in_notebook() -> bool:
    """Tell whether this runs in a notebook's kernel, where a figure can be shown."""
    try:
        from IPython.core.getipython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class LiveFigure:
    """Throughput and queue length against time; does nothing where no figure can be shown."""

    def __init__(self) -> None:
        self._first_s: float | None = None
        self.figure = _figure() if in_notebook() else None
        if self.figure is not None:
            from IPython.display import display

            display(self.figure)  # type: ignore[no-untyped-call]

    def begin(self, title: str) -> None:
        """Begin a new run."""
        self._first_s = None
        if self.figure is not None:
            with self.figure.batch_update():
                self.figure.layout.title.text = title
                for trace in self.figure.data:
                    trace.x, trace.y = (), ()

    def add(self, sample: Sample) -> None:
        """Draw one more point of each line."""
        if self.figure is None:
            return
        self._first_s = self._first_s or sample.epoch_s
        at_s = sample.epoch_s - self._first_s
        values = (sample.throughput_ops_per_s, sample.queue_length)
        with self.figure.batch_update():
            for trace, value in zip(self.figure.data, values, strict=True):
                trace.x = (*trace.x, at_s)[-MAX_POINTS:]
                trace.y = (*trace.y, value)[-MAX_POINTS:]

    def close(self) -> None:
        """Take the figure away: what it showed is in the campaign now."""
        if self.figure is not None:
            with contextlib.suppress(AttributeError):
                self.figure.close()


def _figure() -> Any:
    """Return an empty figure widget, None where widgets are not possible."""
    try:
        import plotly.graph_objects as go

        figure = go.FigureWidget()
    except ImportError:  # plotly needs anywidget for it
        return None
    figure.add_scatter(x=(), y=(), name="Throughput (op/s)", mode="lines+markers")
    figure.add_scatter(x=(), y=(), name="Queue length", mode="lines+markers", yaxis="y2")
    figure.update_layout(
        height=320,
        xaxis_title="Time since the middleware was first heard of (s of the clock)",
        yaxis={"title": "Throughput (op/s)", "rangemode": "tozero"},
        yaxis2={
            "title": "Queue length",
            "overlaying": "y",
            "side": "right",
            "rangemode": "tozero",
            "showgrid": False,
        },
        legend={"orientation": "h", "y": 1.1},
    )
    return figure


class Watch:
    """Shows the run that is being measured: in the progress bar, and in a notebook as a figure.

    The middlewares are asked once a second, in a thread. What cannot be read is left out: the view
    of a run must not be able to spoil it.

    Parameters
    ----------
    note : takes a few words about the run.
    enabled : otherwise nothing is asked and nothing shown.
    """

    def __init__(self, fleet: Fleet, note: Callable[[str], None], *, enabled: bool) -> None:
        self.fleet = fleet
        self._note = note
        self._enabled = enabled
        self._stop = threading.Event()
        self._figure: LiveFigure | None = None

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        if self._figure is not None:
            self._figure.close()

    def begin(self, run: Run) -> None:
        """Turn to `run`, which is about to be started."""
        self._end()
        if not self._enabled or run.section.kind != "load":
            return
        count = run.section.settings(run.config).num_middlewares
        hosts = self.fleet.inventory.take("middlewares", count)
        if not hosts or not run.section.middleware(run.config).has_admin_port:
            return
        if self._figure is None:
            self._figure = LiveFigure()
        self._figure.begin(run.label)
        self._stop = threading.Event()
        poll = partial(self._poll, hosts, self._stop)
        threading.Thread(target=poll, name="live", daemon=True).start()

    def _poll(self, hosts: Sequence[Host], stop: threading.Event) -> None:
        before: list[Reading] = []
        while not stop.wait(INTERVAL_S):
            try:
                now = list(in_parallel({h.name: partial(self._ask, h) for h in hosts}).values())
            except (RemoteError, ValueError):
                now = []
            sample = between(before, now)
            before = now
            if sample is not None and not stop.is_set():
                self._show(sample)

    def _ask(self, host: Host) -> Reading:
        connection = self.fleet[host]
        return parse_stats(
            connection.ask(ADMIN_PORT, REQUEST, REPLY_END, timeout_s=REPLY_TIMEOUT_S)
        )

    def _show(self, sample: Sample) -> None:
        undilated = sample.undilated(self.fleet.inventory.time_dilation)
        self._note(undilated.text())
        if self._figure is not None:
            self._figure.add(undilated)

    def _end(self) -> None:
        self._stop.set()
        self._note("")
