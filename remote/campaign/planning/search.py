"""The searches of a section: which runs come next, and what they have found."""

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
from remote.campaign.planning.probe import Limit, Probe
from remote.experiment.section import Config, Section, slug

RATE = "arrival_rate_per_s"
USUAL_RATES = 8  # of a search of which nothing is known
GOAL = 0.05  # of a section that asks for no precision of the throughput
THROUGHPUT = "client_throughput_ops_per_s"


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


def next_runs(
    section: Section,
    cells: Sequence[Cell],
    start_per_s: Callable[[Config], float] = lambda _: FIRST_RATE_PER_S,
) -> list[tuple[Config, int]]:
    """Return the next repetition of each configuration whose search goes on.

    Parameters
    ----------
    section : one that has `find`; its factors have no arrival rate.
    cells : all that were measured of it: their configurations have one.
    start_per_s : gives the first rate of a configuration.

    Returns
    -------
    Configurations with their arrival rates, and the number of the repetition; empty when all
    searches have ended.
    """
    return [
        (with_rate(search.config, search.step.rate_per_s), search.step.repetition)
        for search in searches(section, cells, start_per_s)
        if isinstance(search.step, Next)
    ]


def searches(
    section: Section,
    cells: Sequence[Cell],
    start_per_s: Callable[[Config], float] = lambda _: FIRST_RATE_PER_S,
) -> list[Search]:
    """Return the search of each configuration, in the order of the section; as `next_runs`."""
    by_config: dict[str, list[Cell]] = {}
    for cell in cells:
        by_config.setdefault(slug(without_rate(cell.config)), []).append(cell)
    return [
        _search(section, config, by_config.get(slug(config), []), start_per_s(config))
        for config in section.configs()
    ]


def with_rate(config: Config, rate_per_s: float) -> Config:
    """Return a configuration at an arrival rate."""
    return {**config, RATE: rate_per_s}


def without_rate(config: Config) -> Config:
    """Return a configuration as the section has it."""
    return {name: level for name, level in config.items() if name != RATE}


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
    """Return what a cell tells of its rate.

    Parameters
    ----------
    result : the name of what is limited among the results of a run.
    """
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
    needed = "" if left is None else _time_for(left, search, limit)
    return replace(search, step=unknown(bracket, "not within its budget", needed))


def _time_for(rates: int, search: Search, limit: Limit) -> str:
    """Tell what is left of a search takes: the rates, and both ends once more."""
    runs = rates * limit.repetitions[0] + 2
    seconds = runs * search.spent_s / max(1, search.runs)
    return f"about {timedelta(seconds=round(seconds))} more"


def _throughput_error(run: Measured) -> float:
    """Return the standard error of a throughput: at least that of a count of arrivals."""
    window_s = run.lengths.stable_s / run.time_dilation
    of_count = math.sqrt(run.results[THROUGHPUT] / window_s)
    return max(of_count, run.results.get(f"{THROUGHPUT}_error", 0.0))
