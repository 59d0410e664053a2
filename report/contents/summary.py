"""The report's first page: what a campaign has found, as claims held against its numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from analysis.claims.claim import Claim, claims_table
from analysis.claims.rules import Verdict
from analysis.figures import present
from analysis.text.formatting import MISSING
from report.contents.notebook import Prose, Section, Table

PATH = Path("index.ipynb")
LETTER = "S"
NAME = "98-claims"
COLUMNS = ["\N{SECTION SIGN}", "claim", "measured", "Held to", "verdict", "evidence"]


def summary(claims: Sequence[Claim], chapters: Sequence[Section]) -> Section:
    """Write the summary of a campaign: how many claims hold, and each with its number.

    Parameters
    ----------
    chapters : sequence of Section
        Those that hold the claims' evidence; what is not in them is not linked.
    """
    holds, fails, unknown = (
        sum(claim.verdict == verdict for claim in claims) for verdict in Verdict
    )
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        groups.setdefault(claim.statement, []).append(claim)
    measured = {claim.section for claim in claims if not math.isnan(claim.estimate.value)}
    told = {
        statement: alike
        for statement, alike in groups.items()
        if not measured.isdisjoint(claim.section for claim in alike)
    }
    lacking = [claim for claim in claims if claim.statement not in told]
    text = (
        f"# {LETTER} What was found\n\n"
        f"{len(claims)} claims, the same whatever a campaign measures: {holds} hold, of {fails} "
        f"the contrary was found, {unknown} cannot be told. Each is judged by the 95 % confidence "
        "interval of its number; where this is too wide, or where nothing was measured, it cannot "
        f"be told. {_left_out(lacking)}The chapters say what each number is."
    )
    kinds = {
        part.name: type(part).__name__
        for chapter in chapters
        for part in chapter.parts
        if not isinstance(part, Prose)
    }
    rows = pd.DataFrame([_row(alike, kinds) for alike in told.values()], columns=COLUMNS)
    shown = present.table(
        rows,
        NAME,
        "Claims, what was measured with 95 % confidence intervals, and what they are held to.",
    )
    return Section(PATH, LETTER, (Prose(1, text), Table(1, NAME, shown.caption, shown.markdown())))


def _row(alike: Sequence[Claim], kinds: Mapping[str, str]) -> dict[str, str]:
    """Return one line for a claim; of one that several chapters make, how often it holds."""
    row = claims_table(alike).iloc[0]
    first = alike[0]
    evidence = f"[{kinds[first.see]}](#{first.see})" if first.see in kinds else MISSING
    if len(alike) == 1:
        section, measured, verdict = first.section, row["measured"], first.told
    else:
        held = sum(claim.verdict == Verdict.HOLDS for claim in alike)
        section, measured, evidence = "each", "see chapters", MISSING
        verdict = f"{held} of {len(alike)} hold"
    values = section, first.statement, measured, first.rule.text, verdict, evidence
    return dict(zip(COLUMNS, values, strict=True))


def _left_out(claims: Sequence[Claim]) -> str:
    """Say which sections the table has no rows of; nothing if there are none."""
    if not claims:
        return ""
    sections = ", ".join(dict.fromkeys(claim.section for claim in claims))
    return f"{len(claims)} are left out: nothing was measured of sections {sections}. "
