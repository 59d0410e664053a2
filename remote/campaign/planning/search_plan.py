"""The runs of searches: with which time dilation, and how long they last."""

from __future__ import annotations

from dataclasses import replace

from remote.campaign.planning.bracket import Found
from remote.campaign.planning.cell import Cell
from remote.campaign.planning.chosen_dilation import Choice, choice
from remote.campaign.planning.run_lengths import (
    MARGIN,
    SHORTEST,
    stable_s_of_goals,
    trial_length,
)
from remote.campaign.planning.search import Search, limit_of, with_rate
from remote.experiment.checks.duration import RESPONSE_TIMES, RESPONSE_TIMES_OF_WARM_UP
from remote.experiment.lengths import Lengths, whole_seconds
from remote.experiment.precision import Precision
from remote.experiment.section import Config, Section

NEAR = 2.0  # times the limit: so much of a response time still tells how long a run must be
RATES = 12  # that share the budget of a search


def dilation_of(search: Search, asked: float | None) -> float | None:
    """Return the k of a search; None while trials at its first rate are to choose it.

    Parameters
    ----------
    asked : k of all configurations, None to choose one for each.
    """
    if asked is not None:
        return asked
    chosen = choice(_trial_cell(search))
    return chosen.time_dilation if isinstance(chosen, Choice) else None


def trial_of(search: Search, precision: Precision) -> tuple[Config, float, Lengths]:
    """Return the trial that comes next: its configuration, its k and how long it lasts."""
    cell = _trial_cell(search)
    tried = choice(cell)
    assert not isinstance(tried, Choice)
    return cell.config, tried, trial_length(cell, precision, tried).lengths


def lengths_of(section: Section, search: Search, time_dilation: float) -> Lengths:
    """Return how long the next run of a search lasts.

    That is 100 response times as long as the limit, whatever those of the rate are: near the limit
    they are no longer, and beyond it they need not be known. It is longer where the runs near the
    limit do not tell as much as the section's goals ask for.
    """
    assert section.precision is not None and section.find is not None
    share = replace(section.precision, budget_s=section.precision.budget_s / RATES)
    limit_s = limit_of(section).limit_ms / 1000
    goal_s = max(
        (
            stable_s_of_goals(cell, share)
            for cell in search.cells
            for run in cell.repetitions[-1:]
            if run.results.get(section.find.result, 0.0) < NEAR * 1000 * limit_s
        ),
        default=0.0,
    )
    wanted_s = MARGIN * RESPONSE_TIMES * limit_s
    longest_s = int(share.budget_s / share.repetitions[0])
    stable_s = whole_seconds(max(wanted_s, goal_s) * time_dilation)
    warm_up_s = whole_seconds(MARGIN * RESPONSE_TIMES_OF_WARM_UP * limit_s * time_dilation)
    return Lengths(
        stable_s=max(SHORTEST.stable_s, min(stable_s, longest_s)),
        warm_up_s=section.precision.heat_s + max(SHORTEST.warm_up_s, warm_up_s),
    )


def runs_left(section: Section, search: Search) -> int:
    """Return how many runs a search still takes, about."""
    if isinstance(search.step, Found):
        return 0
    left = search.rates_left
    fewest = section.repetitions[0]
    return left * fewest + 2 * (fewest + 1)


def _trial_cell(search: Search) -> Cell:
    """Return the cell of the trials: of the first rate, of which there may be none yet."""
    tried = [cell for cell in search.cells if cell.trials]
    if tried:
        return tried[0]
    return Cell(config=with_rate(search.config, search.start_per_s))
