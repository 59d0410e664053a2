"""A claim: a statement, the number that it is about, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from analysis.claims.rules import Rule, Verdict
from analysis.statistics.estimates import Estimate
from analysis.text.numbers import digits, fixed

MOST_DECIMALS = 4


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
        Where a claim of a limit does not hold: what limits instead; where it cannot be told: why.
    """

    section: str
    statement: str
    quantity: str
    rule: Rule
    estimate: Estimate
    see: str
    instead: str = ""

    @property
    def verdict(self) -> Verdict:
        """What the numbers say."""
        return self.rule.verdict(self.estimate)

    @property
    def told(self) -> str:
        """The verdict, and what limits instead, or why it cannot be told, where that is known."""
        return f"{self.verdict}: {self.instead}" if self.instead else str(self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim as JSON has it; numbers that are not known are null."""
        low, high = self.estimate.interval()
        numbers = {"value": self.estimate.value, "ci_low": low, "ci_high": high}
        return {
            "section": self.section,
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
        `section`, `claim`, `verdict` (as `Claim.told`), `measured` (with its 95 % confidence
        interval, if known), `holds_if`, `quantity`.
    """
    columns = ["section", "claim", "verdict", "measured", "holds_if", "quantity"]
    return pd.DataFrame(
        [
            {
                "section": claim.section,
                "claim": claim.statement,
                "verdict": claim.told,
                "measured": _measured(claim.estimate),
                "holds_if": claim.rule.text,
                "quantity": claim.quantity,
            }
            for claim in claims
        ],
        columns=columns,
    )


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
