"""What the searches of a section have found, as a table for a terminal."""

from __future__ import annotations

import math
from datetime import timedelta

from tabulate import tabulate

from analysis.text.formatting import MISSING
from remote.campaign.planning.plan import Plan
from remote.campaign.planning.search import Search, limit_of
from remote.experiment.precision import TEXTS
from remote.experiment.section import slug


def found_text(plan: Plan) -> str:
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
    found = search.found
    dilations = sorted({run.time_dilation for cell in search.cells for run in cell.repetitions})
    return (
        slug(search.config),
        f"{found.low:.4g}" if found and found.low else MISSING,
        _interval(found.low, found.high) if found else MISSING,
        _there(search),
        ", ".join(f"{k:g}" for k in dilations) or MISSING,
        sum(bool(cell.repetitions) for cell in search.cells),
        search.runs,
        str(timedelta(seconds=search.spent_s)),
        _verdict(search),
    )


def _interval(low: float, high: float) -> str:
    return f"{low:.4g} to {high:.4g}" if math.isfinite(high) else f"at least {low:.4g}"


def _there(search: Search) -> str:
    """Return what is limited at the highest rate that passed."""
    passes = search.found.bracket.passes if search.found else None
    return f"{passes.mean_ms:.3g}" if passes else MISSING


def _verdict(search: Search) -> str:
    found = search.found
    if found is None:
        return "to be measured"
    verdict = "known" if found.is_known else found.why_not
    if found.needed:
        verdict = f"{verdict}: takes {found.needed}"
    if search.limited_by_machine:
        verdict += f"; the machine was the limit of {search.limited_by_machine} runs there"
    return verdict
