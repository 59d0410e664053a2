"""What is still to be measured and how long that takes, told without touching any host."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from tabulate import tabulate

from analysis.tables.run import MANIFEST
from remote.campaign.states import RunState, State
from remote.campaign.view.progress import OVERHEAD_S
from remote.experiment.manifest import read_manifest
from remote.experiment.section import slug
from remote.phases import MEASURING

HEADERS = ("section", "configuration", "to do", "done", "rejected", "failed", "time")


@dataclass(kw_only=True)
class Tally:
    """The runs of one configuration, or of many.

    Attributes
    ----------
    rejected, failed : attempts so far that do not count.
    seconds : what is to do takes, about.
    """

    todo: int = 0
    given_up: int = 0
    done: int = 0
    rejected: int = 0
    failed: int = 0
    seconds: float = 0.0

    def add(self, state: RunState, overhead_s: float) -> None:
        """Count one run."""
        statuses = [status for status, _ in state.reasons]
        self.rejected += statuses.count(State.REJECTED)
        self.failed += statuses.count(State.FAILED)
        if state.state == State.DONE:
            self.done += 1
        elif state.is_given_up:
            self.given_up += 1
        else:
            self.todo += 1
            self.seconds += state.run.section.durations.total_s + overhead_s

    def cells(self) -> tuple[object, ...]:
        """Return what stands in a row of the table."""
        time = str(timedelta(seconds=round(self.seconds)))
        return (self.todo, self.done, self.rejected, self.failed, time)


def missing_table(states: Iterable[RunState], campaign_dir: Path) -> str:
    """Return a table of what is missing by section and configuration, and what it takes.

    Parameters
    ----------
    states : of all runs of the sections that are asked for.
    """
    states = list(states)
    overhead_s, measured = overhead(campaign_dir)
    rows: list[tuple[object, ...]] = []
    total = Tally()
    for section in dict.fromkeys(state.run.section.name for state in states):
        of_section = [state for state in states if state.run.section.name == section]
        rows += _section_rows(section, of_section, overhead_s)
        for state in of_section:
            total.add(state, overhead_s)
    rows.append(("total", "", *total.cells()))
    source = "as measured so far" if measured else "assumed"
    lines = [
        tabulate(rows, headers=HEADERS, disable_numparse=True),
        "",
        f"{total.todo} runs to measure, about {timedelta(seconds=round(total.seconds))}; "
        f"{overhead_s:.1f} s between two runs, {source}.",
    ]
    if total.given_up:
        lines.append(f"{total.given_up} runs were given up after too many attempts (not counted).")
    return "\n".join(lines)


def _section_rows(
    section: str, states: Sequence[RunState], overhead_s: float
) -> list[tuple[object, ...]]:
    """Return a row for each configuration that lacks runs, and one for the whole section."""
    whole = Tally()
    plans = {state.run.section.kind: state.run.section for state in states}
    in_order = [slug(config) for plan in plans.values() for config in plan.configs()]
    by_config = {name: Tally() for name in in_order}  # runs are shuffled
    for state in states:
        whole.add(state, overhead_s)
        by_config[slug(state.run.config)].add(state, overhead_s)
    lacking = [(name, tally) for name, tally in by_config.items() if tally.todo or tally.given_up]
    rows: list[tuple[object, ...]] = [(section, name, *tally.cells()) for name, tally in lacking]
    configurations = f"all {len(by_config)} configurations"
    return [*rows, (section, configurations, *whole.cells())]


def overhead(campaign_dir: Path) -> tuple[float, bool]:
    """Return the seconds between two runs under load, and whether the campaign has shown them."""
    shown = []
    for path in campaign_dir.glob(f"*/*/rep-*/{MANIFEST}"):
        manifest = read_manifest(path.parent)
        phases_s = manifest.get("phases_s", {})
        if "num_clients" in manifest and phases_s.get(MEASURING):
            shown.append(sum(phases_s.values()) - phases_s[MEASURING])
    return (statistics.mean(shown), True) if shown else (OVERHEAD_S, False)
