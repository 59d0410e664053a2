"""The smallest time dilation at which the machine takes little of what a configuration shows.

A ladder of trials is climbed no further than it must be. A trial that comes close to what links,
delays and workers alone let through needs no other one: such cells run at k = 1. Otherwise two k
tell the machine's time of a request (`remote.campaign.planning.machine_time`), and with it the k
that suffices. That is tried, too, if it is larger than what was tried.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from remote.campaign.planning.cell import Cell, Measured
from remote.campaign.planning.machine_time import Line, machine_line, odds_from, share_at
from remote.campaign.planning.run_lengths import longest_dilation
from remote.experiment.checks.latency import SHARE
from remote.experiment.precision import Precision

LADDER = (1.0, 4.0, 16.0, 64.0)
MOST_TRIALS, MOST_OF_ONE = 8, 3
AT_LIMIT, ESTIMATED = "near its limit", "by the trials"
NONE_SUFFICES, UNTOLD, NOT_MEASURED = "no k suffices", "trials too noisy", "trial given up"
OVER_BUDGET = "more takes too long"
_LEAST_STEP = 1.5
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The time dilation that a configuration is measured with.

    Parameters
    ----------
    machine_share : what the machine takes of a response time at most, 0 to 1; None if not known.
    suffices : whether that is at most `SHARE`.
    why : `AT_LIMIT`, `ESTIMATED`, `NONE_SUFFICES`, `UNTOLD`, `OVER_BUDGET` or `NOT_MEASURED`.
    """

    time_dilation: float
    machine_share: float | None
    suffices: bool
    why: str


def choice(cell: Cell, *, largest: float = LADDER[-1]) -> Choice | float:
    """Choose k by the trials of a configuration, or return the k that must be tried next.

    None is tried once a run was given up: at a k that cannot be measured, the trials would go on.
    `largest` is the largest k that can be tried here, at least 1.
    """
    trials = cell.trials
    if not trials and not cell.given_up:
        return LADDER[0]
    if not trials:
        return Choice(time_dilation=LADDER[0], machine_share=None, suffices=False, why=NOT_MEASURED)
    reached = trials[-1].time_dilation
    line = machine_line(trials)
    by_limit = min(
        (_sufficing(odds, least) for least, odds in _odds_below_limit(trials)), default=math.inf
    )
    by_line = _sufficing(line.odds_interval()[1], line.tried[0]) if line else math.inf
    needed = min(by_limit, by_line)
    if by_limit > reached and len(trials) < MOST_TRIALS and not cell.given_up:
        again = _repeated(trials, line, largest) if line else None
        if again:
            return again
        if needed > reached and reached < largest:
            return _next(needed, reached, largest)
    suffices = needed <= reached
    chosen = needed if suffices else reached
    return Choice(
        time_dilation=chosen,
        machine_share=share_at_most(trials, line, chosen),
        suffices=suffices,
        why=(AT_LIMIT if by_limit <= by_line else ESTIMATED)
        if suffices
        else _why_not(cell, line, largest),
    )


def choice_within(cell: Cell, precision: Precision) -> Choice | float:
    """Choose k as `choice` does, none at which the repetitions would pass the budget."""
    return choice(cell, largest=min(LADDER[-1], longest_dilation(cell, precision)))


def _why_not(cell: Cell, line: Line | None, largest: float) -> str:
    """Return why no k is known to suffice."""
    if cell.given_up:
        return NOT_MEASURED
    if largest < LADDER[-1]:
        return OVER_BUDGET
    sure = line is not None and share_at(line.odds_interval()[0], line.tried[-1]) > SHARE
    return NONE_SUFFICES if sure else UNTOLD


def share_at_most(trials: Sequence[Measured], line: Line | None, k: float) -> float | None:
    """Return what the machine's share at k is at most; None where nothing tells."""
    shares = [share_at(odds, k) for least, odds in _odds_below_limit(trials) if least <= k]
    if line and line.tried[0] <= k:
        shares.append(share_at(line.odds_interval()[1], k))
    return min(shares, default=None)


def _odds_below_limit(trials: Sequence[Measured]) -> list[tuple[float, float]]:
    """Return of each trial k, and the odds of the machine if all is its that the limit lacks."""
    return [
        (trial.time_dilation, odds_from(trial.machine_share, trial.time_dilation))
        for trial in trials
        if trial.machine_share is not None
    ]


def _sufficing(odds: float, least: float) -> float:
    """Return the smallest whole k, not below `least`, at which the share is small enough."""
    k = odds * (1 - SHARE) / SHARE
    return k if math.isinf(k) else float(math.ceil(max(k - _ROUNDING, least)))


def _repeated(trials: Sequence[Measured], line: Line, largest: float) -> float | None:
    """Return the k of a trial to be repeated, as the k that suffices is not known well enough.

    That is where the share's interval is wider than what the share may be. As long as the estimate
    lies beyond what was tried a larger k tells more.
    """
    reached = line.tried[-1]
    likely = _sufficing(line.odds, line.tried[0])
    if likely > reached and reached < largest:
        return None
    low, high = (share_at(odds, min(likely, reached)) for odds in line.odds_interval())
    if high <= SHARE or low > SHARE or high - low <= SHARE:
        return None
    times = Counter(trial.time_dilation for trial in trials)
    ends = [k for k in (line.tried[0], reached) if times[k] < MOST_OF_ONE]
    return min(ends, key=lambda k: (times[k], k), default=None)


def _next(needed: float, reached: float, largest: float) -> float:
    """Return the k to go on with: what is needed, in steps that are neither small nor large."""
    rung = next((rung for rung in LADDER if rung > reached), math.inf)
    least = math.ceil(_LEAST_STEP * reached)
    return min(max(needed, least), rung, largest)
