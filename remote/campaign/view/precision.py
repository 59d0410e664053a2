"""How well each configuration of a section is known, as a table for a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import timedelta

from tabulate import tabulate

from records.text.words import MISSING
from remote.campaign.planning.plan import Plan
from remote.campaign.planning.search import Search, limit_of
from remote.campaign.planning.standing import CellStanding, Verdict
from remote.experiment.precision import TEXTS, Precision
from remote.experiment.section import slug


def known_text(plans: Sequence[Plan]) -> str:
    """Return a table for each section that asks for precision, nothing where none does."""
    return "\n\n".join(
        _found_text(plan) if plan.searches else _table(plan, plan.section.precision)
        for plan in plans
        if plan.section.precision
    )


def _table(plan: Plan, precision: Precision) -> str:
    goals = [f"{TEXTS.get(name, name)} ±" for name in precision.goals]
    headers = ["configuration", "k", "repetitions", "stable s", *goals, "verdict"]
    rows = [
        (
            slug(one.cell.config),
            MISSING if one.time_dilation is None else f"{one.time_dilation:g}",
            len(one.cell.repetitions),
            _lengths(one),
            *(_reached(one, name) for name in precision.goals),
            _verdict(one),
        )
        for one in plan.standings
    ]
    known = sum(one.verdict == Verdict.KNOWN for one in plan.standings)
    title = (
        f"Section {plan.section.name}: {known} of {len(rows)} configurations known, "
        f"{precision.text()} asked for"
    )
    return f"{title}\n{tabulate(rows, headers=headers, disable_numparse=True)}"


def _lengths(one: CellStanding) -> str:
    lengths = sorted({run.lengths.stable_s for run in one.cell.repetitions})
    return "-".join(dict.fromkeys(str(s) for s in (*lengths[:1], *lengths[-1:]))) or MISSING


def _reached(one: CellStanding, name: str) -> str:
    goal = one.goals.get(name)
    if goal is None or goal.relative != goal.relative:
        return MISSING
    return f"{100 * goal.relative:.1f} %"


def _verdict(one: CellStanding) -> str:
    if one.verdict != Verdict.UNKNOWN:
        return str(one.verdict)
    text = str(one.verdict)
    if one.cell.given_up:
        text += f", {len(one.cell.given_up)} given up"
    if one.next_run is not None and one.next_run.is_cut:
        text += ", its runs too short for their response times"
    if one.needed is not None:
        text += f": takes about {one.needed} repetitions"
    return text


def _found_text(plan: Plan) -> str:
    """Return a table of a section's searches: rate, its interval, what was measured, what lacks."""
    find = plan.section.find
    assert find is not None
    limited = TEXTS.get(find.quantity, find.quantity)
    headers = ["configuration", "op/s", "95 % interval", f"{limited} ms where it passed", "k"]
    headers += ["rates", "runs", "time", "verdict"]
    rows = [_row(search) for search in plan.searches]
    known = sum(search.found is not None and search.found.is_known for search in plan.searches)
    goal = limit_of(plan.section).goal
    title = (
        f"Section {plan.section.name}: {find.text()}, interval of {100 * goal:g} % asked for: "
        f"{known} of {len(rows)} configurations known"
    )
    return f"{title}\n{tabulate(rows, headers=headers, disable_numparse=True)}"


def _row(search: Search) -> tuple[object, ...]:
    found, interval = search.found, MISSING
    passes = found.bracket.passes if found else None
    if found:
        is_closed = math.isfinite(found.high)
        low = f"{found.low:.4g}"
        interval = f"{low} to {found.high:.4g}" if is_closed else f"at least {low}"
    dilations = sorted({run.time_dilation for cell in search.cells for run in cell.repetitions})
    return (
        slug(search.config),
        f"{found.low:.4g}" if found and found.low else MISSING,
        interval,
        f"{passes.mean_ms:.3g}" if passes else MISSING,
        ", ".join(f"{k:g}" for k in dilations) or MISSING,
        sum(bool(cell.repetitions) for cell in search.cells),
        search.runs,
        str(timedelta(seconds=search.spent_s)),
        _search_verdict(search),
    )


def _search_verdict(search: Search) -> str:
    found = search.found
    if found is None:
        return "to be measured"
    verdict = "known" if found.is_known else found.why_not
    if found.needed:
        verdict = f"{verdict}: takes {found.needed}"
    if search.limited_by_machine:
        verdict += f"; the machine was the limit of {search.limited_by_machine} runs there"
    return verdict
