"""How far a campaign is, in a terminal or a notebook, and what it lacks in the end."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import NoReturn

from tqdm.auto import tqdm

from remote.campaign.states import RunState
from remote.campaign.view.live_view import in_notebook
from remote.experiment.run import Run

BAR = "{{desc}}{{percentage:3.0f}}%|{{bar}}| {{elapsed}} < {}{{postfix}}"
OVERHEAD_S = 3.5  # start, stop and fetch of one run; only for the first estimate of the duration


class TimeLeft:
    """The seconds until all runs are settled: their lengths are known, the rest has been seen.

    Parameters
    ----------
    runs : those that are to be measured.

    Attributes
    ----------
    runs_left : how many are not settled.
    """

    def __init__(self, runs: Sequence[Run], clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self.runs_left = len(runs)
        self._under_load_s = sum(run.section.durations.total_s for run in runs)
        self._overheads_s: list[float] = []
        self._settled_at_s = self._began_at_s = clock()

    @property
    def overhead_s(self) -> float:
        """Seconds that a run takes besides its own: the median so far, for few take far more."""
        return statistics.median(self._overheads_s) if self._overheads_s else OVERHEAD_S

    def started(self) -> None:
        """Say that an attempt begins."""
        self._began_at_s = self._clock()

    def settled(self, run: Run) -> None:
        """Count a run that is done or given up, after one or more attempts."""
        now_s, own_s = self._clock(), run.section.durations.total_s
        self._overheads_s.append(max(0.0, now_s - self._settled_at_s - own_s))
        self._settled_at_s = self._began_at_s = now_s
        self.runs_left -= 1
        self._under_load_s -= own_s

    def in_run_s(self, run: Run) -> float:
        """Return how much of the time of `run`, which is being measured, has passed."""
        return min(self._clock() - self._began_at_s, planned_s(run))

    def left_s(self, run: Run | None = None) -> float:
        """Return the seconds until all runs are settled, while `run` is being measured."""
        all_of_them = self._under_load_s + self.runs_left * self.overhead_s
        return max(0.0, all_of_them - (self.in_run_s(run) if run else 0.0))


class Progress:
    """A bar over the seconds that are planned, so that long runs weigh more than short ones."""

    def __init__(self, runs: Sequence[Run], enabled: bool) -> None:
        total_s = sum(map(planned_s, runs))
        if enabled:
            tqdm.write(f"{len(runs)} runs to measure, about {timedelta(seconds=round(total_s))}")
        self._time = TimeLeft(runs)
        self._settled_s = 0.0
        self._run: Run | None = None
        self._bar: tqdm[NoReturn] = tqdm(
            total=round(total_s),
            disable=not enabled,
            dynamic_ncols=True,
            bar_format=BAR.format("?"),
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, text: str) -> None:
        """Say what is being done."""
        self._bar.set_description(text)

    def note(self, text: str) -> None:
        """Say how the run goes that is being measured; with that its time moves on."""
        self._move()
        self._bar.set_postfix_str(text)

    def started(self, run: Run) -> None:
        """Say that an attempt at `run` begins."""
        self._run = run
        self._time.started()
        self._move()
        self.show(f"{run.label} ({self._time.runs_left} left)")

    def settled(self, run: Run, reason: str) -> None:
        """Count a run that is done or given up; in the latter case say why."""
        self._run = None
        self._time.settled(run)
        self._settled_s += planned_s(run)
        self._move()
        self._bar.refresh()
        if reason and not self._bar.disable:
            tqdm.write(f"given up: {run.label}: {reason}")

    def _move(self) -> None:
        """Set the bar to where the work is; what shows it is up to the caller."""
        if self._bar.disable:
            return
        in_run_s = self._time.in_run_s(self._run) if self._run else 0.0
        self._bar.n = round(self._settled_s + in_run_s)
        left_s = self._time.left_s(self._run)
        self._bar.bar_format = BAR.format(timedelta(seconds=round(left_s)))


def planned_s(run: Run) -> float:
    """Return the time that a run takes with what lies between it and the next, about."""
    return run.section.durations.total_s + OVERHEAD_S


def left_lines(left: Iterable[RunState]) -> list[str]:
    """Return a line for each run that is not done: which, its state, why."""
    return [
        f"{state.run.label}: {state.state}" + (f", {state.reason}" if state.reason else "")
        for state in left
    ]


def show_left(left: Sequence[RunState]) -> None:
    """Name the runs that are not done: in a notebook as part of it, else on standard error."""
    if not left:
        return
    lines = left_lines(left)
    if not _display(lines):
        tqdm.write("\n".join([f"{len(lines)} runs are not done:", *(f"  {x}" for x in lines)]))


def _display(lines: Sequence[str]) -> bool:
    """Show the lines in the notebook that this runs in, and tell whether it runs in one."""
    if not in_notebook():
        return False
    from IPython.display import Markdown, display

    items = "\n".join(f"- {line.replace('_', chr(92) + '_')}" for line in lines)
    title = f"**Not measured, and missing below:** {len(lines)} runs"
    display(Markdown(f"{title}\n\n{items}"))  # type: ignore[no-untyped-call]
    return True
