"""How far a campaign is, in a terminal or a notebook, and what it lacks in the end."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import timedelta
from typing import NoReturn

from tqdm.auto import tqdm

from records.text.markdown import escape_all
from records.text.words import counted
from remote.campaign.planning.plan import Plan, left_s
from remote.campaign.states import RunState
from remote.campaign.view.live import in_notebook
from remote.experiment.run import Run
from remote.experiment.section import slug

BAR = "{{desc}}{{percentage:3.0f}}%|{{bar}}| {{elapsed}} < {}{{postfix}}"
OVERHEAD_S = 3.5  # start, stop and fetch of one run; only for the first estimate of the duration


class Progress:
    """A bar over the time that is expected, so that long runs weigh more than short ones.

    Parameters
    ----------
    plans : of all sections of which runs are missing.
    links : the measurements of links that are missing.
    """

    def __init__(
        self,
        plans: Iterable[Plan],
        links: Iterable[Run],
        enabled: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._plans = {plan.section.name: plan for plan in plans}
        self._settled: dict[str, list[Run]] = {}
        self._links = list(links)
        self._overheads_s: list[float] = []
        self._settled_at_s = self._began_at_s = clock()
        self._spent_s = 0.0
        self._run: Run | None = None
        left_s = self.left_s()
        if enabled:
            about = timedelta(seconds=round(left_s))
            tqdm.write(f"{self.cells - self.known} configurations to measure, about {about}")
        self._bar: tqdm[NoReturn] = tqdm(
            total=round(left_s),
            disable=not enabled,
            dynamic_ncols=True,
            bar_format=BAR.format("?"),
        )

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.close()

    @property
    def overhead_s(self) -> float:
        """Seconds that a run under load takes besides: the median so far, for few take far more."""
        return statistics.median(self._overheads_s) if self._overheads_s else OVERHEAD_S

    @property
    def known(self) -> int:
        """How many configurations need no more runs."""
        return sum(plan.known for plan in self._plans.values())

    @property
    def cells(self) -> int:
        """How many configurations there are."""
        return sum(plan.configurations for plan in self._plans.values())

    def left_s(self) -> float:
        """Return the seconds until all is measured: what plans expect, and runs seem to cost."""
        expected_s = sum(left_s(plan, self.overhead_s) for plan in self._plans.values())
        settled_s = sum(map(self._of_runs_s, self._settled.values()))
        left = expected_s + self._of_runs_s(self._links) - settled_s
        return max(0.0, left - self._in_run_s())

    def show(self, text: str) -> None:
        """Say what is being done."""
        self._bar.set_description(text)

    def waits(self, reason: str) -> None:
        """Say why nothing is measured at the moment."""
        self.show(f"waiting: {reason}")

    def note(self, text: str) -> None:
        """Say how the run goes that is being measured; with that its time moves on."""
        self._move()
        self._bar.set_postfix_str(text)

    def planned(self, plan: Plan) -> None:
        """Take what is planned of a section now in place of what was planned before."""
        self._plans[plan.section.name] = plan
        self._settled[plan.section.name] = []
        self._move()

    def started(self, run: Run) -> None:
        """Say that an attempt at `run` begins."""
        self._run = run
        self._began_at_s = self._clock()
        self._move()
        what = f", trial of k = {run.time_dilation:g}" if run.is_trial else ""
        self.show(f"{run.label}{what} ({self.known} of {self.cells} known)")

    def settled(self, run: Run, reason: str) -> None:
        """Count a run that is done or given up after some attempts; in the latter case say why."""
        self._spent_s += self._in_run_s()
        self._run = None
        now_s = self._clock()
        if run.section.kind == "load":  # networks are measured once for each pair of hosts
            self._overheads_s.append(max(0.0, now_s - self._settled_at_s - run.lengths.total_s))
        self._settled_at_s = now_s
        if run.section.kind == "links":
            self._links = [link for link in self._links if link.label != run.label]
        else:
            self._settled.setdefault(run.section.name, []).append(run)
        self._move()
        self._bar.refresh()
        if reason and not self._bar.disable:
            tqdm.write(f"given up: {run.label}: {reason}")

    def _in_run_s(self) -> float:
        """Return how much of the time of the run that is being measured has passed."""
        if self._run is None:
            return 0.0
        return min(self._clock() - self._began_at_s, self._of_runs_s([self._run]))

    def _of_runs_s(self, runs: Iterable[Run]) -> float:
        return sum(run.lengths.total_s + self.overhead_s for run in runs)

    def _move(self) -> None:
        """Set the bar to where the work is; what shows it is up to the caller."""
        if self._bar.disable:
            return
        left_s, spent_s = self.left_s(), self._spent_s + self._in_run_s()
        self._bar.n = round(spent_s)
        self._bar.total = max(1, round(spent_s + left_s))
        self._bar.bar_format = BAR.format(timedelta(seconds=round(left_s)))


def show_left(left: Sequence[RunState]) -> None:
    """Name the runs that are not done, and count the configurations that lack precision alone.

    In a notebook they become part of it.
    """
    missing = [state for state in left if not _would_only_be_more_precise(state)]
    imprecise = {
        (state.run.section.name, slug(state.run.config))
        for state in left
        if _would_only_be_more_precise(state)
    }
    if missing:
        lines = [
            f"{state.run.label}: {state.state}" + (f", {state.reason}" if state.reason else "")
            for state in missing
        ]
        _show("Not measured, and missing below", counted(len(lines), "run"), lines)
    if imprecise:
        what = counted(len(imprecise), "configuration")
        _show("Less precise than asked", f"{what}, which more repetitions would narrow", [])


def _would_only_be_more_precise(state: RunState) -> bool:
    """Tell whether the configuration has as many repetitions as its section asks for at least."""
    section = state.run.section
    return section.precision is not None and state.run.repetition > section.repetitions[0]


def _show(title: str, what: str, lines: Sequence[str]) -> None:
    if not in_notebook():
        tqdm.write("\n".join([f"{title}: {what}", *(f"  {line}" for line in lines)]))
        return
    from IPython.display import Markdown, display

    items = "".join(f"\n- {escape_all(line)}" for line in lines)
    text = f"**{title}:** {what}" + (f"\n{items}" if items else ".")
    display(Markdown(text))  # type: ignore[no-untyped-call]
