"""How long the next run of a configuration lasts."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from records.objective import RESULTS
from remote.campaign.planning.cell import Cell, Measured
from remote.experiment.checks.duration import (
    RESPONSE_TIMES,
    RESPONSE_TIMES_OF_WARM_UP,
    response_time_s,
)
from remote.experiment.lengths import Lengths, whole_seconds
from remote.experiment.precision import Precision

SHORTEST = Lengths(stable_s=3, warm_up_s=2)  # a JVM compiles most in two seconds
MARGIN = 1.05  # so that a run is long enough although its responses take a little longer
OF_GOAL = 1 / 3  # of a half width, that one of the fewest repetitions may leave open by itself
TRIALS = 8  # of a time dilation, that leave as much of the budget as they take


@dataclass(frozen=True, kw_only=True)
class RunLength:
    """How long a run lasts.

    Parameters
    ----------
    lengths : its phases.
    is_cut : the budget does not let it last as long as it should.
    """

    lengths: Lengths
    is_cut: bool = False


def next_length(cell: Cell, precision: Precision, time_dilation: float) -> RunLength:
    """Return how long the next repetition of a configuration lasts.

    That is 100 response times of its slowest request type after a warm-up of 10, or of what the
    runs so far show to be their transient; longer, where a single run would leave more of the goal
    open than the fewest repetitions can close; never longer than their share of the budget.
    """
    fewest = precision.repetitions[0]
    shares = max(1, fewest - len(cell.repetitions))
    most_s = (precision.budget_s - cell.spent_s) / shares
    wanted = _wanted(cell, precision, time_dilation, expected_s=cell.least_response_time_s)
    goal_s = stable_s_of_goals(cell, precision) * time_dilation
    stable_s = max(wanted.stable_s, whole_seconds(goal_s))
    longest_s = math.floor(most_s) - wanted.warm_up_s
    return _cut(wanted, stable_s, longest_s)


def trial_length(cell: Cell, precision: Precision, time_dilation: float) -> RunLength:
    """Return how long a trial of a time dilation lasts."""
    most_s = precision.budget_s / 2 / TRIALS
    wanted = _wanted(cell, precision, time_dilation)
    longest_s = math.floor(most_s) - wanted.warm_up_s
    return _cut(wanted, wanted.stable_s, longest_s)


def longest_dilation(cell: Cell, precision: Precision) -> float:
    """Return the largest whole k, at least 1, at which the fewest repetitions take half the budget.

    Trials have the other half. Without one nothing is known, and any k may do.
    """
    if not cell.trials:
        return math.inf
    response_s = response_time_s(cell.trials[-1].results)
    times = MARGIN * (RESPONSE_TIMES + RESPONSE_TIMES_OF_WARM_UP)
    needed_s = times * response_s * precision.repetitions[0]
    return max(1.0, math.floor(precision.budget_s / 2 / needed_s)) if needed_s else math.inf


def _cut(wanted: Lengths, stable_s: int, longest_s: int) -> RunLength:
    stable_s = max(SHORTEST.stable_s, min(stable_s, longest_s))
    lengths = Lengths(stable_s=stable_s, warm_up_s=wanted.warm_up_s)
    return RunLength(lengths=lengths, is_cut=stable_s < wanted.stable_s)


def _wanted(
    cell: Cell, precision: Precision, time_dilation: float, expected_s: float = 0.0
) -> Lengths:
    """Return the least that makes a run long enough for its response times.

    Before any was measured they are taken to be as expected.

    A transient of another time dilation tells nothing: part of it is the programs' own, of which
    the clock knows. None is waited for longer than is measured: those of short runs are overrated.
    """
    known = _latest(cell)
    measured_s = (response_time_s(one.results) for one in known)
    response_s = max(measured_s, default=expected_s) * time_dilation
    transients_ms = [
        one.results.get("client_transient_ms", 0.0) * time_dilation
        for one in known
        if one.time_dilation == time_dilation
    ]
    transient_s = statistics.median(transients_ms) / 1000 if transients_ms else 0.0
    transient_s = max(transient_s - precision.heat_s, 0.0)
    stable_s = max(SHORTEST.stable_s, whole_seconds(MARGIN * RESPONSE_TIMES * response_s))
    warm_up_s = MARGIN * RESPONSE_TIMES_OF_WARM_UP * response_s
    warm_up_s = max(warm_up_s, min(transient_s, stable_s))
    return Lengths(
        stable_s=stable_s,
        warm_up_s=precision.heat_s + max(SHORTEST.warm_up_s, whole_seconds(warm_up_s)),
    )


def stable_s_of_goals(cell: Cell, precision: Precision) -> float:
    """Return the seconds of the system in which a run comes close to the goals by itself."""
    fewest = precision.repetitions[0]
    return max(
        (
            one.lengths.stable_s / one.time_dilation * (error / (OF_GOAL * goal * fewest**0.5)) ** 2
            for name, goal in precision.goals.items()
            for one in cell.repetitions or cell.measured
            if (error := _relative_error(one, RESULTS[name]))
        ),
        default=0.0,
    )


def _relative_error(run: Measured, result: str) -> float:
    mean = run.results.get(result, 0.0)
    return run.results.get(f"{result}_error", 0.0) / mean if mean else 0.0


def _latest(cell: Cell) -> tuple[Measured, ...]:
    """Return the repetitions, and the pilots that showed that the next one has to be longer."""
    counted = {one.repetition for one in cell.repetitions}
    pilots = (one for one in cell.measured if not (one.is_trial or one.repetition in counted))
    return (*cell.repetitions, *pilots) or cell.measured
