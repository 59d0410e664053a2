"""Whether a configuration is known as precisely as was asked for, and what it would take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

import numpy as np

from analysis.statistics.precision.stopping import Standing, standing
from analysis.statistics.spread import Usual, usual_spread
from remote.campaign.planning.cell import Cell
from remote.campaign.planning.run_lengths import RunLength, next_length
from remote.experiment.precision import RESULTS, Precision


class Verdict(StrEnum):
    """Whether a configuration is known."""

    OPEN = "to be measured"
    KNOWN = "known"
    UNKNOWN = "not known within its budget"


@dataclass(frozen=True, kw_only=True)
class CellStanding:
    """Where a configuration stands.

    Parameters
    ----------
    time_dilation : k that it is measured with; None while that is not chosen.
    goals : name of `remote.experiment.precision.RESULTS` to how well it is known.
    next_run : how long the next repetition would last.
    repetitions_left : how many more are expected; 0 unless it is open.
    needed : repetitions that would be enough, None where that cannot be told.
    """

    cell: Cell
    verdict: Verdict
    time_dilation: float | None = None
    goals: Mapping[str, Standing] = field(default_factory=dict)
    next_run: RunLength | None = None
    repetitions_left: int = 0
    needed: int | None = None


def usual_spreads(cells: Iterable[Cell], precision: Precision) -> dict[str, Usual]:
    """Return by goal what repetitions of a section differ by, where its cells tell it."""
    counted = [cell.repetitions for cell in cells]
    found = {}
    for name in precision.goals:
        values = [
            np.array([one.results.get(RESULTS[name], np.nan) for one in repetitions])
            for repetitions in counted
            if len(repetitions) > 1
        ]
        told = [each for each in values if np.isfinite(each).all() and each.mean()]
        relative = [each.var(ddof=1) / each.mean() ** 2 for each in told]
        usual = usual_spread(relative, [len(each) - 1 for each in told])
        if usual is not None:
            found[name] = usual
    return found


def standing_of(
    cell: Cell,
    precision: Precision,
    time_dilation: float,
    usual: Mapping[str, Usual] = MappingProxyType({}),
) -> CellStanding:
    """Hold what is known of a configuration to the precision that is asked for.

    Parameters
    ----------
    usual : from `usual_spreads` of the section.
    """
    counted = cell.repetitions
    fewest, most = precision.repetitions
    goals = {
        name: standing(
            [one.results[RESULTS[name]] for one in counted],
            goal=goal,
            repetitions=precision.repetitions,
            errors=_errors(cell, RESULTS[name]),
            usual=usual.get(name),
        )
        for name, goal in precision.goals.items()
        if counted and all(RESULTS[name] in one.results for one in counted)
    }
    done = len(counted)
    next_run = next_length(cell, precision, time_dilation)
    affordable = int((precision.budget_s - cell.spent_s) / next_run.lengths.total_s)
    may_follow = min(most - done - len(cell.given_up), max(affordable, fewest - done))
    is_known = done >= fewest and len(goals) == len(precision.goals)
    is_known = is_known and all(one.known for one in goals.values())
    wanted = [one.needed for one in goals.values() if not one.known]
    needed = None if None in wanted or not goals else max([fewest, *map(int, filter(None, wanted))])
    if is_known:
        verdict, left = Verdict.KNOWN, 0
    elif may_follow <= 0:
        verdict, left = Verdict.UNKNOWN, 0
    else:
        verdict = Verdict.OPEN
        left = min(may_follow, max(1, (needed or fewest) - done))
    return CellStanding(
        cell=cell,
        verdict=verdict,
        time_dilation=time_dilation,
        goals=goals,
        next_run=next_run,
        repetitions_left=left,
        needed=needed,
    )


def _errors(cell: Cell, result: str) -> list[float] | None:
    """Return the standard error of each repetition, None unless all have one."""
    errors = [one.results.get(f"{result}_error") for one in cell.repetitions]
    return [error for error in errors if error is not None] if None not in errors else None
