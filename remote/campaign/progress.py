"""How far a campaign is, in a terminal or a notebook, and what it lacks in the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import NoReturn

from tqdm.auto import tqdm

from remote.campaign.live_view import in_notebook
from remote.campaign.states import RunState
from remote.run import Run

OVERHEAD_S = 3.5  # start, stop and fetch of one run; only for the first estimate of the duration


class Progress:
    """A bar over the seconds that are planned, so that long runs weigh more than short ones."""

    def __init__(self, runs: Sequence[Run], enabled: bool) -> None:
        total_s = sum(map(planned_s, runs))
        if enabled:
            tqdm.write(f"{len(runs)} runs to measure, about {timedelta(seconds=round(total_s))}")
        self._left = len(runs)
        self._bar: tqdm[NoReturn] = tqdm(
            total=round(total_s),
            disable=not enabled,
            dynamic_ncols=True,
            bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed} < {remaining}{postfix}",
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    def show(self, text: str) -> None:
        """Say what is being done."""
        self._bar.set_description(text)

    def note(self, text: str) -> None:
        """Say how the run goes that is being measured."""
        self._bar.set_postfix_str(text)

    def started(self, run: Run) -> None:
        """Say that an attempt at `run` begins."""
        self.show(f"{run.label} ({self._left} left)")

    def settled(self, run: Run, reason: str) -> None:
        """Count a run that is done or given up; in the latter case say why."""
        self._left -= 1
        self._bar.update(planned_s(run))
        if reason and not self._bar.disable:
            tqdm.write(f"given up: {run.label}: {reason}")


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
