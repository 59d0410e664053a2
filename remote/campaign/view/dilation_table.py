"""Which time dilation each configuration of a section has, and why, as a table for a terminal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from tabulate import tabulate

from analysis.statistics.precision.extrapolation import Limit, without_machine
from records.text.words import MISSING
from remote.campaign.planning.cell import Cell, Measured
from remote.campaign.planning.dilation import Choice, choice, choice_within, share_at_most
from remote.campaign.planning.machine_time import RESPONSE_TIME, machine_line
from remote.experiment.checks.latency import SHARE
from remote.experiment.section import Section, slug

HEADERS = ("configuration", "trials", "k", "machine at most", "suffices", "why")
EXTRAPOLATED = ("op/s at 1/k = 0", "ms at 1/k = 0")
THROUGHPUT = "client_throughput_ops_per_s"
LEAST_K = 3  # that a line is laid through
GIVEN, TO_TRY = "given", "to be tried"


def dilation_table(section: Section, cells: Sequence[Cell], *, extrapolate: bool = False) -> str:
    """Return a row for each configuration: its trials, what was chosen, whether that suffices.

    Trials tell k, response times and the machine's share of them, which is at most as large.

    Parameters
    ----------
    extrapolate : add throughput and response time where the machine takes no time, with their 95 %
        intervals, from all runs of a configuration that was measured at three k or more.
    """
    found = [(cell, _chosen(section, cell)) for cell in cells]
    rows = [
        (slug(cell.config), _trials(cell), *_shown(chosen), *(_limits(cell) if extrapolate else ()))
        for cell, chosen in found
    ]
    sufficing = sum(chosen is not None and chosen.suffices for _, chosen in found)
    title = (
        f"Section {section.name}: the machine's share is at most {100 * SHARE:g} % in {sufficing} "
        f"of {len(rows)} configurations"
    )
    headers = [*HEADERS, *(EXTRAPOLATED if extrapolate else ())]
    return f"{title}\n{tabulate(rows, headers=headers, disable_numparse=True)}"


def _chosen(section: Section, cell: Cell) -> Choice | None:
    """Return what was chosen, or was given to the repetitions; None if that is still to come."""
    if not cell.trials and cell.repetitions:
        return _given(cell.repetitions)
    within = None if section.find else section.precision
    found = choice_within(cell, within) if within else choice(cell)
    return found if isinstance(found, Choice) else None


def _given(repetitions: Sequence[Measured]) -> Choice:
    shares = [run.machine_share for run in repetitions if run.machine_share is not None]
    share = max(shares) if len(shares) == len(repetitions) else None
    return Choice(
        time_dilation=repetitions[-1].time_dilation,
        machine_share=share,
        suffices=share is not None and share <= SHARE,
        why=GIVEN,
    )


def _trials(cell: Cell) -> str:
    """Return a line for each k: the response times of its trials, and the machine's share."""
    line = machine_line(cell.trials)
    by_k: dict[float, list[float]] = {}
    for run in cell.trials:
        value = run.results.get(RESPONSE_TIME, math.nan)
        by_k.setdefault(run.time_dilation, []).append(value)
    lines = [
        f"{k:g}: {', '.join(f'{value:.3g}' for value in values)} ms, "
        f"{_percent(share_at_most(cell.trials, line, k))}"
        for k, values in by_k.items()
    ]
    return "\n".join(lines) or MISSING


def _shown(chosen: Choice | None) -> tuple[str, ...]:
    if chosen is None:
        return MISSING, MISSING, MISSING, TO_TRY
    known = chosen.machine_share is not None
    suffices = ("yes" if chosen.suffices else "NO") if known else MISSING
    return f"{chosen.time_dilation:g}", _percent(chosen.machine_share), suffices, chosen.why


def _percent(share: float | None) -> str:
    return MISSING if share is None else f"{100 * share:.1f} %"


def _limits(cell: Cell) -> tuple[str, str]:
    """Return throughput and response time at 1/k = 0, with intervals, where they can be told.

    Throughput by the interactive law: the cycle N / X has the machine's time in it, X itself does
    not lie on a line.
    """
    runs = [*cell.trials, *cell.repetitions]
    of_cycle = _limit(runs, THROUGHPUT, lambda value: 1 / value)
    of_response = _limit(runs, RESPONSE_TIME, lambda value: value)
    if of_cycle and of_cycle.fits:
        bounds = (of_cycle.low, of_cycle.value, of_cycle.high)
        low, value, high = (1 / bound if bound > 0 else math.inf for bound in reversed(bounds))
        of_cycle = replace(of_cycle, value=value, low=low, high=high)
    return _limit_text(of_cycle), _limit_text(of_response)


def _limit(runs: Sequence[Measured], result: str, of: Callable[[float], float]) -> Limit | None:
    """Extrapolate what is linear in 1/k; None of less than three k: two always lie on a line."""
    telling = [run for run in runs if run.results.get(result)]
    if len({run.time_dilation for run in telling}) < LEAST_K:
        return None
    values = [run.results[result] for run in telling]
    errors = [run.results.get(f"{result}_error", 0.0) for run in telling]
    linear = [of(value) for value in values]
    relative = [error / value for error, value in zip(errors, values, strict=True)]
    of_linear = [error * value for error, value in zip(relative, linear, strict=True)]
    dilations = [run.time_dilation for run in telling]
    try:
        return without_machine(linear, dilations, of_linear if all(errors) else None)
    except ValueError:
        return None


def _limit_text(limit: Limit | None) -> str:
    if limit is None:
        return MISSING
    return f"{limit.value:.4g} ({limit.low:.4g} to {limit.high:.4g})" if limit.fits else "no line"
