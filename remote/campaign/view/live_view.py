"""The running experiment as a figure that draws itself on in a notebook."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from remote.campaign.view.live import Poller, Sample
from remote.experiment.run import Run
from remote.hosts.group import Fleet

MAX_POINTS = 600


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

    Parameters
    ----------
    note : takes a few words about the run.
    enabled : otherwise nothing is asked and nothing shown.
    """

    def __init__(self, fleet: Fleet, note: Callable[[str], None], *, enabled: bool) -> None:
        self.fleet = fleet
        self._note = note
        self._enabled = enabled
        self._poller: Poller | None = None
        self._figure: LiveFigure | None = None

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        if self._figure is not None:
            self._figure.close()

    def begin(self, run: Run) -> None:
        """Turn to `run`, which is about to be started; what cannot be shown is left out."""
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
        self._poller = Poller(self.fleet, hosts, self._show)
        self._poller.start()

    def _show(self, sample: Sample) -> None:
        undilated = sample.undilated(self.fleet.inventory.time_dilation)
        self._note(undilated.text())
        if self._figure is not None:
            self._figure.add(undilated)

    def _end(self) -> None:
        self._note("")
        if self._poller is not None:
            self._poller.stop()
            self._poller = None
