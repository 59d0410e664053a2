"""A claim: a statement, the number that it is about, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd

from analysis.claims.rules import Rule, Verdict
from analysis.statistics.estimates import Estimate
from analysis.text.numbers import digits, fixed

MOST_DECIMALS = 4
FALSE_DISCOVERIES = 0.05  # the share of decided findings that may be wrong


class Kind(StrEnum):
    """Kind of a claim: a finding or a validity check.

    The outcome of a finding was open. A validity check holds by construction if the experiment was
    made as described. It is about a law, an emulated link, a processor with time left, the
    arithmetic of printed numbers, or cells to which a model was fitted.
    """

    FINDING = "finding"
    VALIDITY = "validity check"


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement that does not change with the data, held against the data.

    Attributes
    ----------
    section : str
        Of which it is said.
    statement : str
        A sentence.
    quantity : str
        What was measured, with its unit if it has one.
    rule : Rule
        When the statement holds.
    estimate : Estimate
        Of the quantity.
    see : str
        Name of the figure or table that shows it.
    instead : str
        Of a refuted claim about a limit what limits instead; of an undecided claim why; of a share
        the cells that miss.
    kind : Kind
        Findings and validity checks are counted apart.
    """

    section: str
    statement: str
    quantity: str
    rule: Rule
    estimate: Estimate
    see: str
    instead: str = ""
    kind: Kind = Kind.FINDING

    @property
    def verdict(self) -> Verdict:
        """What the numbers say."""
        return self.rule.verdict(self.estimate)

    @property
    def told(self) -> str:
        """The verdict and `instead`."""
        return f"{self.verdict}: {self.instead}" if self.instead else str(self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON has it; numbers that are not known are null."""
        low, high = self.estimate.interval()
        numbers = {"value": self.estimate.value, "ci_low": low, "ci_high": high}
        return {
            "section": self.section,
            "kind": str(self.kind),
            "statement": self.statement,
            "quantity": self.quantity,
            "rule": self.rule.text,
            **{name: None if math.isnan(x) else x for name, x in numbers.items()},
            "verdict": str(self.verdict),
            "instead": self.instead,
            "see": self.see,
        }


def claims_table(claims: Iterable[Claim]) -> pd.DataFrame:
    """Lay claims out as a table.

    Returns
    -------
    pandas.DataFrame
        Findings first, then validity checks: `section`, `kind`, `claim`, `verdict` (as
        `Claim.told`), `measured` (with its 95 % confidence interval, if known), `supported_if`,
        `quantity`.
    """
    columns = ["section", "kind", "claim", "verdict", "measured", "supported_if", "quantity"]
    return pd.DataFrame(
        [
            {
                "section": claim.section,
                "kind": str(claim.kind),
                "claim": claim.statement,
                "verdict": claim.told,
                "measured": _measured(claim.estimate),
                "supported_if": claim.rule.text,
                "quantity": claim.quantity,
            }
            for claim in sorted(claims, key=lambda claim: claim.kind != Kind.FINDING)
        ],
        columns=columns,
    )


def doubtful_findings(claims: Iterable[Claim]) -> tuple[list[Claim], int]:
    r"""Return the decided findings that chance alone could explain, for there are many findings.

    The procedure of Benjamini and Hochberg over all m findings whose error is known: with their p
    values (`analysis.claims.rules.Rule.p_value`) in rising order, those up to the largest i with
    :math:`p_{(i)} \le 0.05\, i / m` stay, of which 5 % at most are expected to be wrong.

    Returns
    -------
    tuple
        Supported or refuted findings that do not stay, and how many do.

    References
    ----------
    Benjamini & Hochberg 1995, doi:10.1111/j.2517-6161.1995.tb02031.x.
    """
    findings = [claim for claim in claims if claim.kind == Kind.FINDING]
    p_values = np.array([claim.rule.p_value(claim.estimate) for claim in findings])
    known = np.sort(p_values[~np.isnan(p_values)])
    ranks = np.arange(1, len(known) + 1)
    staying = known[known <= FALSE_DISCOVERIES * ranks / max(len(known), 1)]
    limit = staying.max() if len(staying) else -1.0
    decided = [
        (claim, p)
        for claim, p in zip(findings, p_values, strict=True)
        if claim.verdict != Verdict.UNDECIDED and not np.isnan(p)
    ]
    doubtful = [claim for claim, p in decided if p > limit]
    return doubtful, len(decided) - len(doubtful)


def differences(claims: Iterable[Claim], others: Iterable[Claim]) -> list[tuple[Claim, Claim]]:
    """Pair the claims, which are the same for all campaigns, whose verdicts differ in two."""
    pairs = zip(claims, others, strict=True)
    return [(one, other) for one, other in pairs if one.verdict != other.verdict]


def _measured(estimate: Estimate) -> str:
    """Write a number and its interval with the digits that the interval leaves, at most three."""
    if math.isnan(estimate.value):
        return "not measured"
    low, high = estimate.interval()
    if math.isnan(low) or low == high:
        return digits(estimate.value)
    of_half_width = 1 - math.floor(math.log10((high - low) / 2))
    of_value = 2 - math.floor(math.log10(abs(estimate.value) or 1))
    decimals = max(0, min(of_half_width, of_value, MOST_DECIMALS))
    value, low_text, high_text = (fixed(number, decimals) for number in (estimate.value, low, high))
    return f"{value} ({low_text} to {high_text})"
