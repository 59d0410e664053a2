"""The register of claims: findings and validity checks of a campaign, each with its number."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from analysis.claims.claim import Kind, Outcome, claims_table, doubtful_findings
from analysis.claims.rules import Verdict
from analysis.figures import present
from records.text.words import MISSING
from report.contents.notebook import Prose, Section, Table
from report.contents.numbering import kinds_of_parts

PATH = Path("claims.ipynb")
LETTER = "B"
NAMES = {Kind.FINDING: "98-claims", Kind.VALIDITY: "98-checks"}
CAPTIONS = {
    Kind.FINDING: "Findings: the measured number with its 95 % confidence interval, the range that "
    "supports the statement, and the verdict.",
    Kind.VALIDITY: "Validity checks: the measured number with its 95 % confidence interval, the "
    "range that is expected, and the verdict.",
}
COLUMNS = ["\N{SECTION SIGN}", "claim", "measured", "Supported if", "verdict", "evidence"]


def register(outcomes: Sequence[Outcome], chapters: Sequence[Section]) -> Section:
    """Write the register of a campaign: first its findings, then the validity checks.

    Parameters
    ----------
    chapters : sequence of Section
        Those that hold the claims' evidence; what is not in them is not linked.
    """
    kinds = kinds_of_parts(chapters)
    parts: list[Prose | Table] = []
    for number, kind in enumerate(Kind, start=1):
        own = [outcome for outcome in outcomes if outcome.claim.kind == kind]
        told, lacking = _measured(own)
        rows = pd.DataFrame([_row(alike, kinds) for alike in told.values()], columns=COLUMNS)
        shown = present.table(rows, NAMES[kind], CAPTIONS[kind])
        parts.append(Prose(len(parts) + 1, _TEXTS[kind](own) + _left_out(lacking)))
        parts.append(Table(number, NAMES[kind], shown.caption, shown.markdown()))
    return Section(PATH, LETTER, tuple(parts))


def _findings_text(outcomes: Sequence[Outcome]) -> str:
    doubtful, staying = doubtful_findings(outcomes)
    text = (
        f"# {LETTER} All claims\n\n## {LETTER}.1 Findings\n\n"
        "A finding is a statement whose outcome was open before the campaign. "
        f"{_counted(outcomes)} "
        "A finding is supported if the whole 95 % confidence interval of its number lies in the "
        "range that the statement allows, refuted if the whole interval lies outside, and "
        "undecided otherwise or if nothing was measured. "
        "Among many findings some are decided by chance. The procedure of Benjamini and Hochberg, "
        f"which limits the share of wrong ones to 5 %, confirms {staying} of "
        f"{staying + len(doubtful)} decided findings that have an interval"
    )
    if doubtful:
        listed = "; ".join(f"{one.claim.section}: {one.claim.statement}" for one in doubtful)
        return f"{text}. Not confirmed: {listed} "
    return f"{text}. "


def _checks_text(outcomes: Sequence[Outcome]) -> str:
    return (
        f"## {LETTER}.2 Validity checks\n\n"
        "A validity check holds by construction if the experiment was made as described: laws, "
        "emulated links, processors with time left, arithmetic of printed numbers, cells to which "
        f"a model was fitted. {_counted(outcomes)} "
    )


_TEXTS = {Kind.FINDING: _findings_text, Kind.VALIDITY: _checks_text}


def _counted(outcomes: Sequence[Outcome]) -> str:
    counts = [sum(outcome.verdict == verdict for outcome in outcomes) for verdict in Verdict]
    supported, refuted, undecided = counts
    return (
        f"Of {len(outcomes)}, {supported} are supported, {refuted} refuted and {undecided} "
        "undecided."
    )


def _measured(outcomes: Sequence[Outcome]) -> tuple[dict[str, list[Outcome]], list[Outcome]]:
    """Return by statement the claims about measured sections, and the other claims."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        groups.setdefault(outcome.claim.statement, []).append(outcome)
    measured = {one.claim.section for one in outcomes if not math.isnan(one.estimate.value)}
    told = {
        statement: alike
        for statement, alike in groups.items()
        if not measured.isdisjoint(one.claim.section for one in alike)
    }
    return told, [one for one in outcomes if one.claim.statement not in told]


def _row(alike: Sequence[Outcome], kinds: Mapping[str, str]) -> dict[str, str]:
    """Return one line for a claim; for one of several chapters, how often it is supported."""
    row = claims_table(alike).iloc[0]
    claim = alike[0].claim
    evidence = f"[{kinds[claim.see]}](#{claim.see})" if claim.see in kinds else MISSING
    if len(alike) == 1:
        section, measured, verdict = claim.section, row["measured"], row["verdict"]
    else:
        held = sum(outcome.verdict == Verdict.SUPPORTED for outcome in alike)
        section, measured, evidence = "each", "see chapters", MISSING
        verdict = f"{held} of {len(alike)} supported"
    values = section, claim.statement, measured, claim.rule.text, verdict, evidence
    return dict(zip(COLUMNS, values, strict=True))


def _left_out(outcomes: Sequence[Outcome]) -> str:
    """Say which sections the table has no rows of; nothing if there are none."""
    if not outcomes:
        return ""
    sections = ", ".join(dict.fromkeys(outcome.claim.section for outcome in outcomes))
    return f"{len(outcomes)} are left out: nothing was measured of sections {sections}. "
