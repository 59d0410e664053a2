"""Claims: statements, the numbers that they are about, and the verdict of a campaign."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd

from analysis.claims.measurements import Measurements, NotMeasured
from analysis.claims.rules import Rule, Verdict
from analysis.statistics.estimates import Estimate, exact, mean_of
from analysis.text.numbers import digits, fixed

MOST_DECIMALS = 4
_LISTED = 3  # cells that miss, by name
FALSE_DISCOVERIES = 0.05  # the share of decided findings that may be wrong


class Kind(StrEnum):
    """Kind of a claim: a finding or a validity check.

    The outcome of a finding was open. A validity check holds by construction if the experiment was
    made as described. It is about a law, an emulated link, a processor with time left, the
    arithmetic of printed numbers, or cells to which a model was fitted.
    """

    FINDING = "finding"
    VALIDITY = "validity check"


Compute = Callable[[Measurements], Estimate | pd.Series]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement that does not change with the data, and how a campaign decides it.

    Attributes
    ----------
    id : str
        The chapter's folder, a dot, and what the claim is about: ``writes.sets-hardly-wait``. It
        stays when the statement is reworded.
    section : str
        Section that the statement is about.
    statement : str
        A sentence.
    quantity : str
        What was measured, with its unit if it has one.
    rule : Rule
        When the statement holds.
    see : str
        Name of the figure or table that shows it.
    compute : callable
        Computes the quantity from a campaign: an estimate, or for each of a fixed set of cells, by
        its name, whether it passes. The quantity is then the share that does; it has no interval,
        because such a set is no random sample.
    kind : Kind
        Findings and validity checks are counted apart.
    instead : callable, optional
        Names, where a campaign refutes a claim about a limit, what limits instead.
    missing : str
        What a campaign lacks that leaves the quantity unknown, such as ``no runs of q3``; the text
        of `NotMeasured` has precedence.
    """

    id: str
    section: str
    statement: str
    quantity: str
    rule: Rule
    see: str
    compute: Compute
    kind: Kind = Kind.FINDING
    instead: Callable[[Measurements], str] | None = None
    missing: str = ""

    def judge(self, measured: Measurements) -> Outcome:
        """Decide the claim by what a campaign has measured."""
        try:
            computed = self.compute(measured)
        except NotMeasured as exc:
            return Outcome(self, mean_of([]), str(exc) or self.missing)
        if isinstance(computed, pd.Series):
            if computed.empty:
                return Outcome(self, mean_of([]), self.missing)
            return Outcome(self, exact(float(computed.mean())), _misses(computed))
        match self.rule.verdict(computed):
            case Verdict.REFUTED:
                return Outcome(self, computed, self.instead(measured) if self.instead else "")
            case Verdict.UNDECIDED:
                return Outcome(self, computed, self._why_undecided(computed))
        return Outcome(self, computed)

    def _why_undecided(self, estimate: Estimate) -> str:
        if math.isnan(estimate.value):
            return self.missing
        return "no repetitions" if math.isnan(estimate.error) else "the interval is too wide"


@dataclass(frozen=True)
class Outcome:
    """The verdict of a campaign on a claim.

    Attributes
    ----------
    instead : str
        Of a refuted claim about a limit what limits instead; of an undecided claim why; of a share
        the cells that miss.
    """

    claim: Claim
    estimate: Estimate
    instead: str = ""

    @property
    def verdict(self) -> Verdict:
        """What the numbers say."""
        return self.claim.rule.verdict(self.estimate)

    @property
    def told(self) -> str:
        """The verdict and `instead`."""
        return f"{self.verdict}: {self.instead}" if self.instead else str(self.verdict)

    def to_dict(self) -> dict[str, Any]:
        """Return the claim and its outcome as JSON has them; unknown numbers are null."""
        low, high = self.estimate.interval()
        numbers = {"value": self.estimate.value, "ci_low": low, "ci_high": high}
        return {
            "id": self.claim.id,
            "section": self.claim.section,
            "kind": str(self.claim.kind),
            "statement": self.claim.statement,
            "quantity": self.claim.quantity,
            "rule": self.claim.rule.text,
            **{name: None if math.isnan(x) else x for name, x in numbers.items()},
            "verdict": str(self.verdict),
            "instead": self.instead,
            "see": self.claim.see,
        }


class Chapter:
    """The claims of a chapter, in their order.

    Attributes
    ----------
    name : str
        The chapter's folder with hyphens, such as ``with-middleware``.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.claims: list[Claim] = []

    def claim(
        self,
        section: str,
        see: str,
        quantity: str,
        rule: Rule,
        *,
        name: str = "",
        statement: str = "",
        **others: Any,
    ) -> Callable[[Compute], Compute]:
        """Decorate the function that computes the quantity of a claim.

        Parameters
        ----------
        name
            Last part of the id, by default the name of the function.
        statement
            By default the docstring of the function.
        others
            Further attributes of `Claim`: `kind`, `instead`, `missing`.
        """

        def add(compute: Compute) -> Compute:
            words = statement or " ".join(map(str.strip, (compute.__doc__ or "").splitlines()))
            self.claims.append(
                Claim(
                    id=f"{self.name}.{name or compute.__name__.replace('_', '-')}",
                    section=section,
                    statement=words.strip().replace(" %", "\N{NO-BREAK SPACE}%"),
                    quantity=quantity,
                    rule=rule,
                    see=see,
                    compute=compute,
                    **others,
                )
            )
            return compute

        return add

    def judge(self, measured: Measurements) -> list[Outcome]:
        """Decide each claim by what a campaign has measured."""
        return [claim.judge(measured) for claim in self.claims]


def claims_table(outcomes: Iterable[Outcome]) -> pd.DataFrame:
    """Lay outcomes of claims out as a table.

    Returns
    -------
    pandas.DataFrame
        Findings first, then validity checks: `id`, `section`, `kind`, `claim`, `verdict` (as
        `Outcome.told`), `measured` (with its 95 % confidence interval, if known), `supported_if`,
        `quantity`.
    """
    columns = ["id", "section", "kind", "claim", "verdict", "measured", "supported_if", "quantity"]
    return pd.DataFrame(
        [
            {
                "id": outcome.claim.id,
                "section": outcome.claim.section,
                "kind": str(outcome.claim.kind),
                "claim": outcome.claim.statement,
                "verdict": outcome.told,
                "measured": _measured(outcome.estimate),
                "supported_if": outcome.claim.rule.text,
                "quantity": outcome.claim.quantity,
            }
            for outcome in sorted(outcomes, key=lambda outcome: outcome.claim.kind != Kind.FINDING)
        ],
        columns=columns,
    )


def doubtful_findings(outcomes: Iterable[Outcome]) -> tuple[list[Outcome], int]:
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
    findings = [outcome for outcome in outcomes if outcome.claim.kind == Kind.FINDING]
    p_values = np.array([one.claim.rule.p_value(one.estimate) for one in findings])
    known = np.sort(p_values[~np.isnan(p_values)])
    ranks = np.arange(1, len(known) + 1)
    staying = known[known <= FALSE_DISCOVERIES * ranks / max(len(known), 1)]
    limit = staying.max() if len(staying) else -1.0
    decided = [
        (finding, p)
        for finding, p in zip(findings, p_values, strict=True)
        if finding.verdict != Verdict.UNDECIDED and not np.isnan(p)
    ]
    doubtful = [finding for finding, p in decided if p > limit]
    return doubtful, len(decided) - len(doubtful)


def pair(
    outcomes: Iterable[Outcome], others: Iterable[Outcome]
) -> list[tuple[Claim, Outcome | None, Outcome | None]]:
    """Pair the outcomes of two campaigns by the ids of claims; None where one has no such claim."""
    ours, theirs = ({one.claim.id: one for one in side} for side in (outcomes, others))
    return [(one.claim, ours.get(id), theirs.get(id)) for id, one in (theirs | ours).items()]


def _misses(passes: pd.Series) -> str:
    """Name three cells that miss, and count the others."""
    names = list(map(str, passes.index[~passes.astype(bool)]))
    if not names:
        return ""
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{len(names)} of {len(passes)} miss: {', '.join(names[:_LISTED])}{more}"


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
