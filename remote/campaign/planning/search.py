"""The searches of a section: what they have found, which runs come next, and how these last."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from remote.campaign.planning.bounds import FIRST_RATE_PER_S
from remote.campaign.planning.bracket import (
    Found,
    Next,
    bracket_of,
    next_step,
    rates_left,
    rounded,
    unknown,
)
from remote.campaign.planning.cell import Cell, Measured
from remote.campaign.planning.dilation import Choice, choice
from remote.campaign.planning.probe import Limit, Probe
from remote.campaign.planning.run_lengths import (
    MARGIN,
    SHORTEST,
    stable_s_of_goals,
    trial_length,
)
from remote.experiment.checks.duration import RESPONSE_TIMES, RESPONSE_TIMES_OF_WARM_UP
from remote.experiment.lengths import Lengths, whole_seconds
from remote.experiment.precision import Precision
from remote.experiment.section import Config, Section, slug

RATE = "arrival_rate_per_s"
USUAL_RATES = 8  # of a search of which nothing is known
GOAL = 0.05  # of a section that asks for no precision of the throughput
THROUGHPUT = "client_throughput_ops_per_s"
NEAR = 2.0  # times the limit: so much of a response time still tells how long a run must be
RATES = 12  # that share the budget of a search


@dataclass(frozen=True, kw_only=True)
class Search:
    """The search of one configuration, as far as it is.

    Parameters
    ----------
    config : without a rate.
    start_per_s : its first rate.
    cells : what was measured of it, a cell for each rate, the lowest first.
    step : what comes next, or what was found.
    rates_left : how many rates are still to be tried, about.
    """

    config: Config
    start_per_s: float
    cells: tuple[Cell, ...]
    step: Next | Found
    rates_left: int

    @property
    def found(self) -> Found | None:
        """The answer; None while something is still to be measured."""
        return self.step if isinstance(self.step, Found) else None

    @property
    def limited_by_machine(self) -> int:
        """Of how many repetitions at the rates of the answer the machine was the limit."""
        if self.found is None:
            return 0
        bracket = self.found.bracket
        return sum(
            run.machine_is_limit
            for cell in self.cells
            for run in cell.repetitions
            if bracket.low <= float(cell.config[RATE]) <= bracket.high
        )

    @property
    def runs(self) -> int:
        """How many repetitions count so far."""
        return sum(len(cell.repetitions) for cell in self.cells)

    @property
    def spent_s(self) -> int:
        """Seconds of the clock that they took, pilots included."""
        return sum(cell.spent_s for cell in self.cells)


def searches(
    section: Section,
    cells: Sequence[Cell],
    start_per_s: Callable[[Config], float] = lambda _: FIRST_RATE_PER_S,
) -> list[Search]:
    """Return the search of each configuration, in the order of the section.

    Parameters
    ----------
    section : one that has `find`; its factors have no arrival rate.
    cells : all that were measured of it: their configurations have one.
    start_per_s : returns the first rate of a configuration.
    """
    by_config: dict[str, list[Cell]] = {}
    for cell in cells:
        config = {name: level for name, level in cell.config.items() if name != RATE}
        by_config.setdefault(slug(config), []).append(cell)
    return [
        _search(section, config, by_config.get(slug(config), []), start_per_s(config))
        for config in section.configs()
    ]


def with_rate(config: Config, rate_per_s: float) -> Config:
    """Return a configuration at an arrival rate."""
    return {**config, RATE: rate_per_s}


def limit_of(section: Section) -> Limit:
    """Return what is asked of a section's searches; ValueError if it has no objective."""
    if section.find is None:
        raise ValueError(f"section {section.name} searches for nothing")
    goals = section.precision.goals if section.precision else {}
    return Limit(
        limit_ms=section.find.limit_ms,
        goal=goals.get("throughput", GOAL),
        repetitions=section.repetitions,
    )


def probe_of(cell: Cell, result: str) -> Probe:
    """Return what a cell tells of its rate; `result` names what is limited."""
    runs = [run for run in cell.repetitions if result in run.results]
    return Probe(
        rate_per_s=float(cell.config[RATE]),
        values_ms=tuple(run.results[result] for run in runs),
        errors_ms=tuple(run.results.get(f"{result}_error", math.nan) for run in runs),
        throughputs_per_s=tuple(run.results[THROUGHPUT] for run in runs),
        throughput_errors=tuple(map(_throughput_error, runs)),
        next_repetition=cell.next_repetition,
        given_up=bool(cell.given_up),
    )


def _search(section: Section, config: Config, cells: Sequence[Cell], start_per_s: float) -> Search:
    assert section.find is not None
    limit, result = limit_of(section), section.find.result
    cells = sorted(cells, key=lambda cell: float(cell.config[RATE]))
    probes = [probe_of(cell, result) for cell in cells if cell.repetitions or cell.given_up]
    bracket = bracket_of(probes, limit)
    left = rates_left(bracket, limit.goal)
    search = Search(
        config=config,
        start_per_s=rounded(start_per_s),
        cells=tuple(cells),
        step=next_step(probes, limit, start_per_s),
        rates_left=USUAL_RATES if left is None else left,
    )
    if any(result not in run.results for cell in cells for run in cell.repetitions):
        limited = section.find.quantity.replace("_", " ")
        return replace(search, step=unknown(bracket, f"its runs do not tell the {limited}"))
    budget_s = section.precision.budget_s if section.precision else math.inf
    if isinstance(search.step, Found) or search.spent_s < budget_s:
        return search
    needed = ""
    if left is not None:  # rates, and both ends once more
        runs = left * limit.repetitions[0] + 2
        seconds = runs * search.spent_s / max(1, search.runs)
        needed = f"about {timedelta(seconds=round(seconds))} more"
    return replace(search, step=unknown(bracket, "not within its budget", needed))


def _throughput_error(run: Measured) -> float:
    """Return the standard error of a throughput: at least that of a count of arrivals."""
    window_s = run.lengths.stable_s / run.time_dilation
    of_count = math.sqrt(run.results[THROUGHPUT] / window_s)
    return max(of_count, run.results.get(f"{THROUGHPUT}_error", 0.0))


def dilation_of(search: Search, asked: float | None) -> float | None:
    """Return the k of a search: the one `asked` for, or chosen by trials at its first rate.

    None while these are still to be made.
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
