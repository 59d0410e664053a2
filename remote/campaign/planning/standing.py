"""Whether a configuration is known as precisely as was asked for, and what it would take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from analysis.statistics.precision.stopping import Standing, standing
from records.objective import RESULTS
from remote.campaign.planning.cell import Cell
from remote.campaign.planning.run_lengths import RunLength, next_length
from remote.experiment.precision import Precision


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
    goals : name of `records.objective.RESULTS` to how well it is known.
    next_run : how long the next repetition would last.
    repetitions_left : how many more are expected; 0 unless it is open.
    needed : repetitions that would be enough, None where that is not known.
    """

    cell: Cell
    verdict: Verdict
    time_dilation: float | None = None
    goals: Mapping[str, Standing] = field(default_factory=dict)
    next_run: RunLength | None = None
    repetitions_left: int = 0
    needed: int | None = None


def standing_of(cell: Cell, precision: Precision, time_dilation: float) -> CellStanding:
    """Compare what is known of a configuration with the precision that is asked for."""
    counted = cell.repetitions
    fewest, most = precision.repetitions
    goals = {
        name: standing(
            [one.results[RESULTS[name]] for one in counted],
            goal=goal,
            repetitions=precision.repetitions,
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
