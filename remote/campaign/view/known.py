"""How well each configuration of a section is known, as a table for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from tabulate import tabulate

from analysis.text.formatting import MISSING
from remote.campaign.planning.plan import Plan
from remote.campaign.planning.standing import CellStanding, Verdict
from remote.campaign.view.found_table import found_text
from remote.experiment.precision import TEXTS, Precision
from remote.experiment.section import slug


def known_text(plans: Sequence[Plan]) -> str:
    """Return a table for each section that asks for precision, nothing where none does."""
    return "\n\n".join(
        found_text(plan) if plan.searches else _table(plan, plan.section.precision)
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
