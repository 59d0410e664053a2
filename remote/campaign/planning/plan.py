"""Which runs of a section are measured next, and what it still takes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from remote.campaign.planning.bounds import first_rate, least_response_time_s
from remote.campaign.planning.bracket import Found
from remote.campaign.planning.cell import Cell
from remote.campaign.planning.dilation import Choice, choice_within
from remote.campaign.planning.run_lengths import trial_length
from remote.campaign.planning.search import (
    Search,
    dilation_of,
    lengths_of,
    runs_left,
    searches,
    trial_of,
    with_rate,
)
from remote.campaign.planning.standing import CellStanding, Verdict, standing_of
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.hosts.inventory import Inventory

TRIED = 1  # the repetition whose pilots choose the time dilation


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is known of a section and what is measured next.

    Parameters
    ----------
    standings : of each configuration, in the order of the section; none in one of searches.
    searches : of each configuration, where a rate is searched for.
    runs : the next ones in their order, none when all is done; what follows depends on them.
    """

    section: Section
    standings: tuple[CellStanding, ...]
    runs: tuple[Run, ...]
    searches: tuple[Search, ...] = ()

    @property
    def configurations(self) -> int:
        """How many configurations there are."""
        return len(self.standings) + len(self.searches)

    @property
    def known(self) -> int:
        """How many configurations need no more runs, whether they are known or out of budget."""
        ended = sum(search.found is not None for search in self.searches)
        return ended + sum(one.verdict != Verdict.OPEN for one in self.standings)

    @property
    def cells(self) -> list[Cell]:
        """What has been measured of each configuration, of a search that of each rate."""
        of_searches = [cell for search in self.searches for cell in search.cells]
        return [one.cell for one in self.standings] + of_searches


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What a plan is made for.

    Parameters
    ----------
    time_dilation : k of all configurations; None to choose that of each.
    seed : of the order of the runs.
    inventory : the hosts, if they are known; where searches begin, and how long a first run lasts,
        follows from their links.
    """

    campaign_dir: Path
    seed: int
    time_dilation: float | None
    inventory: Inventory | None = None

    def shuffled(self, block: Iterable[Run]) -> list[Run]:
        """Return runs in an order that is the same whichever of them are left."""
        return sorted(block, key=lambda run: random.Random(f"{self.seed}/{run.label}").random())


def plan_section(section: Section, cells: Sequence[Cell], conditions: Conditions) -> Plan:
    """Plan what is measured next of a section.

    Its runs are shuffled in blocks of one repetition. Where precision is asked for, a plan holds
    one block: the trials of configurations whose time dilation is to be chosen, else the first
    missing repetition of each configuration that is not yet precise enough.
    """
    if section.precision is None:
        return _fixed(section, cells, conditions)
    if section.find is not None:
        return _searching(section, cells, conditions)
    least_s = partial(least_response_time_s, section, inventory=conditions.inventory)
    cells = [replace(cell, least_response_time_s=least_s(cell.config)) for cell in cells]
    trials, standings = [], []
    for cell in cells:
        if conditions.time_dilation is not None:
            standings.append(standing_of(cell, section.precision, conditions.time_dilation))
            continue
        k = choice_within(cell, section.precision)
        if TRIED in cell.given_up and not cell.trials:
            standings.append(CellStanding(cell=cell, verdict=Verdict.UNKNOWN))
        elif isinstance(k, Choice):
            standings.append(standing_of(cell, section.precision, k.time_dilation))
        else:
            left, length = (
                section.precision.repetitions[0],
                trial_length(cell, section.precision, k),
            )
            standings.append(
                CellStanding(
                    cell=cell, verdict=Verdict.OPEN, next_run=length, repetitions_left=left
                )
            )
            trial = Run(
                section=section,
                config=cell.config,
                repetition=TRIED,
                campaign_dir=conditions.campaign_dir,
                time_dilation=k,
                planned=length.lengths,
                is_trial=True,
            )
            trials.append((len(cell.trials), trial))
    runs = _in_rounds(trials, conditions) or _next_block(section, standings, conditions)
    return Plan(section=section, standings=tuple(standings), runs=tuple(runs))


def _in_rounds(runs: Iterable[tuple[int, Run]], conditions: Conditions) -> list[Run]:
    """Return shuffled runs, those first of whose kind the fewest were made."""
    made = {run.label: number for number, run in runs}
    shuffled = conditions.shuffled(run for _, run in runs)
    return sorted(shuffled, key=lambda run: made[run.label])


def _searching(section: Section, cells: Sequence[Cell], conditions: Conditions) -> Plan:
    """Plan the next run of each search that goes on; runs of all are shuffled."""
    assert section.precision is not None
    found = searches(section, cells, partial(first_rate, section, inventory=conditions.inventory))
    block = []
    for search in found:
        if isinstance(search.step, Found):
            continue
        if k := dilation_of(search, conditions.time_dilation):
            config = with_rate(search.config, search.step.rate_per_s)
            lengths = lengths_of(section, search, k)
            repetition, is_trial = search.step.repetition, False
        else:
            config, k, lengths = trial_of(search, section.precision)
            repetition, is_trial = TRIED, True
        block.append(
            Run(
                section=section,
                config=config,
                repetition=repetition,
                campaign_dir=conditions.campaign_dir,
                time_dilation=k,
                planned=lengths,
                is_trial=is_trial,
                may_be_short=not is_trial,
            )
        )
    runs = conditions.shuffled(block)
    return Plan(section=section, standings=(), runs=tuple(runs), searches=tuple(found))


def _next_block(
    section: Section, standings: Iterable[CellStanding], conditions: Conditions
) -> list[Run]:
    open_ones = [one for one in standings if one.verdict == Verdict.OPEN]
    repetition = min((one.cell.next_repetition for one in open_ones), default=0)
    block = []
    for one in open_ones:
        cell, k, length = one.cell, one.time_dilation, one.next_run
        if cell.next_repetition == repetition and length is not None and k is not None:
            run = Run(
                section=section,
                config=cell.config,
                repetition=repetition,
                campaign_dir=conditions.campaign_dir,
                time_dilation=k,
                planned=length.lengths,
                may_be_short=length.is_cut,
            )
            block.append((cell.pilots(repetition), run))
    return _in_rounds(block, conditions)


def _fixed(section: Section, cells: Sequence[Cell], conditions: Conditions) -> Plan:
    repetitions = section.fixed.repetitions
    k = conditions.time_dilation or 1.0
    runs: list[Run] = []
    for repetition in range(1, repetitions + 1):
        block = [
            Run(
                section=section,
                config=cell.config,
                repetition=repetition,
                campaign_dir=conditions.campaign_dir,
                time_dilation=k,
            )
            for cell in cells
            if repetition not in cell.taken
        ]
        runs += conditions.shuffled(block)
    standings = []
    for cell in cells:
        left = repetitions - len(cell.repetitions) - len(cell.given_up)
        verdict = Verdict.OPEN if left > 0 else Verdict.KNOWN
        standings.append(
            CellStanding(cell=cell, verdict=verdict, time_dilation=k, repetitions_left=left)
        )
    return Plan(section=section, standings=tuple(standings), runs=tuple(runs))


def left_s(plan: Plan, overhead_s: float) -> float:
    """Return about how long what is left of a plan takes, in seconds of the clock.

    Each run costs `overhead_s` beside its own time.
    """
    if plan.section.precision is None:
        return sum(run.lengths.total_s + overhead_s for run in plan.runs)
    if plan.searches:
        lengths_s = [run.lengths.total_s + overhead_s for run in plan.runs]
        runs = sum(runs_left(plan.section, search) for search in plan.searches)
        return runs * sum(lengths_s) / len(lengths_s) if lengths_s else 0.0
    seen = [
        one.next_run.lengths.total_s
        for one in plan.standings
        if one.next_run and one.cell.tells_length
    ]
    usual_s = sum(seen) / len(seen) if seen else 0.0
    total_s = 0.0
    for one in plan.standings:
        if one.verdict != Verdict.OPEN or one.next_run is None:
            continue
        own_s = one.next_run.lengths.total_s  # at least: heating and the shortest window are in it
        length_s = own_s if one.cell.tells_length else max(own_s, usual_s)
        runs = one.repetitions_left + (one.time_dilation is None)
        total_s += runs * (length_s + overhead_s)
    return total_s
