"""Verdicts on every table and figure of the studies, computed from campaigns and claims."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.chapters.claims import CHAPTERS, claims_of
from analysis.chapters.published_results.claims import NOT_FITTED
from analysis.chapters.published_results.counterparts.counterpart_list import read_counterparts
from analysis.chapters.published_results.counterparts.numbers import comparable_numbers, is_near
from analysis.chapters.published_results.counterparts.printed_numbers import Quantity
from analysis.chapters.published_results.rederived import rederive_all
from analysis.claims.claim import Kind, Outcome
from analysis.claims.rules import Verdict
from analysis.laws.summary import NEAR_PUBLISHED
from analysis.studies.machines.printed_sets import STUDIES
from analysis.studies.printed import study_name
from analysis.studies.rows import ROUNDING
from records.paths import REFERENCE
from records.text.words import MISSING

NOT_MEASURED = "no campaign holds runs of it"
_GROUP = ["quantity", "workload", "campaign", "fitted"]
_NOTHING: dict[str, Any] = {
    **dict.fromkeys(_GROUP, ""),
    **dict.fromkeys(["numbers", "near", "in_digits", "ratio_from", "ratio_to"], pd.NA),
}


class Counterpart(StrEnum):
    """Verdict on the numbers of a table or figure of a study."""

    REPRODUCED = f"reproduced within {100 * NEAR_PUBLISHED:g}\N{NO-BREAK SPACE}%"
    FITTED = (
        f"within {100 * NEAR_PUBLISHED:g}\N{NO-BREAK SPACE}%, but the lab was fitted to these cells"
    )
    EXPLAINED = "differs, explained:"
    UNEXPLAINED = "differs, unexplained"
    MISSED_FIT = "differs, although the lab was fitted to these cells"
    FOLLOWS = "follows from the study's own numbers"
    DOES_NOT_FOLLOW = "does not follow from the study's own numbers:"
    ELSEWHERE = "counted elsewhere: its numbers are those of"
    NOT_COMPARED = "not compared:"


MEASURED = (
    Counterpart.REPRODUCED,
    Counterpart.FITTED,
    Counterpart.EXPLAINED,
    Counterpart.UNEXPLAINED,
    Counterpart.MISSED_FIT,
)
"""Verdicts on numbers that were measured here."""
DERIVED = (Counterpart.FOLLOWS, Counterpart.DOES_NOT_FOLLOW)
"""Verdicts on numbers that a study derives from others that it prints."""


def judge_counterparts(campaign_dir: Path) -> pd.DataFrame:
    """Judge every table and figure that `read_counterparts` has.

    Numbers that were measured here (`numbers.comparable_numbers`) are
    reproduced if all are within `NEAR_PUBLISHED` of ours, and if the lab was not fitted to them. A
    difference is explained only if a finding about the studies' machines predicts it and is
    supported (`explains`): a fit to the same cells explains nothing, and what limits our lab does
    not tell why a study measured something else. What a study derives follows if each number is
    within `NEAR_PUBLISHED`, or within the rounding of the printed digits, of what the printed
    inputs give; numbers whose input is read from themselves are left out.

    Parameters
    ----------
    campaign_dir
        ``data/<campaign>``.

    Returns
    -------
    pandas.DataFrame
        One row for each place, and if it has several, for each kind of its numbers. `study`,
        `place`, `shows`, `see`; `quantity`, `workload`, `campaign` and `fitted` of measured numbers
        (else empty); `numbers` that were compared, those `near`, and those of derived numbers that
        are `in_digits`; `ratio_from` and `ratio_to`, the smallest and the largest of ours over the
        study's (missing where nothing was measured); `verdict` (`Counterpart`) and `reason`.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    """
    numbers, derived = comparable_numbers(campaign_dir), rederive_all()
    outcomes = _outcomes(campaign_dir)
    rows = [
        judged
        for row in read_counterparts().to_dict("records")
        for judged in _judge(row, _of(numbers, row), _of(derived, row), outcomes)
    ]
    counts = dict.fromkeys(["numbers", "near", "in_digits"], "Int64")
    return pd.DataFrame(rows).astype(counts)


def explains(outcome: Outcome | None) -> bool:
    """Tell whether the outcome of a claim explains why a study measured something else.

    Only `NOT_FITTED` can, which predicts the size of what a study measured and could come out
    otherwise, and only if it is supported. A fit to the same cells explains nothing.
    """
    return (
        outcome is not None
        and outcome.claim.id == NOT_FITTED
        and outcome.claim.kind is Kind.FINDING
        and outcome.verdict is Verdict.SUPPORTED
    )


def prediction_verdict() -> Verdict:
    """Return the verdict of the claim `NOT_FITTED`, which is the same for every campaign."""
    (outcome,) = (one for one in claims_of(REFERENCE, chapter=10) if one.claim.id == NOT_FITTED)
    return outcome.verdict


def together(judged: pd.DataFrame) -> pd.DataFrame:
    """Put the tables and figures of a study that share verdict and reason into one row.

    Parameters
    ----------
    judged
        From `judge_counterparts`.

    Returns
    -------
    pandas.DataFrame
        `study` (in words), `places`, `counterparts` (names of figures and tables), `near`, a text
        such as ``3 of 4`` (missing where nothing was compared), and `verdict` with its reason.
    """
    rows = []
    for (study, verdict, reason), group in judged.groupby(
        ["study", "verdict", "reason"], sort=False
    ):
        numbers, near = group["numbers"].sum(), group["near"].sum()
        rows.append(
            {
                "study": study_name(str(study)),
                "places": "; ".join(dict.fromkeys(group["place"])),
                "counterparts": ", ".join(dict.fromkeys(group["see"])),
                "near": f"{near} of {numbers}" if numbers else MISSING,
                "verdict": verdict_words(str(verdict), str(reason)),
            }
        )
    return pd.DataFrame(rows)


def verdict_words(verdict: str, reason: str) -> str:
    """Write a verdict and its reason, if it has one, as one text."""
    joint = " " if not reason or verdict.endswith((":", " of")) else "; "
    return f"{verdict}{joint}{reason}".strip()


def judge_measured(
    numbers: pd.DataFrame, because: str, outcomes: Mapping[str, Outcome]
) -> tuple[Counterpart, str]:
    """Return verdict and reason of numbers of one quantity, campaign and kind.

    Parameters
    ----------
    numbers
        Columns `near`, `quantity`, `fitted` and `campaign`, as of `comparable_numbers`.
    because
        Id of the claim about what limits the reference campaign, or nothing.
    outcomes
        By the ids of their claims.
    """
    fitted = bool(numbers["fitted"].iloc[0])
    if numbers["near"].all():
        return (Counterpart.FITTED if fitted else Counterpart.REPRODUCED), ""
    if fitted:
        return Counterpart.MISSED_FIT, ""
    if numbers["campaign"].iloc[0] in STUDIES:
        because = NOT_FITTED
    elif numbers["quantity"].iloc[0] == Quantity.QUEUEING_TIME:  # the claims are about throughput
        because = ""
    explained = explains(outcomes.get(because))
    verdict = Counterpart.EXPLAINED if explained else Counterpart.UNEXPLAINED
    return verdict, _with_verdict(because, outcomes)


def judge_derived(numbers: pd.DataFrame) -> tuple[Counterpart, str]:
    """Return verdict and reason of numbers that a study derives.

    Parameters
    ----------
    numbers
        Columns `near`, `in_digits` and `agrees` (within a tolerance that may be wider than both).
    """
    misses = numbers[~(numbers["near"] | numbers["in_digits"])]
    if misses.empty:
        return Counterpart.FOLLOWS, ""
    within = int(misses["agrees"].sum())
    reasons = []
    if within:
        reasons.append(f"{within} only within a wider tolerance, named in table 10-agreement")
    if within < len(misses):
        reasons.append(f"table 10-disagreements has {len(misses) - within} of them with the reason")
    return Counterpart.DOES_NOT_FOLLOW, "; ".join(reasons)


def _judge(
    row: Mapping[Hashable, Any],
    numbers: pd.DataFrame,
    derived: pd.DataFrame,
    outcomes: Mapping[str, Outcome],
) -> Iterator[dict[str, Any]]:
    about: dict[str, Any] = {name: row[name] for name in ("study", "place", "shows", "see")}
    about |= _NOTHING
    if row["same_as"]:
        yield about | {"verdict": Counterpart.ELSEWHERE, "reason": row["same_as"]}
        return
    for key, own in numbers.groupby(_GROUP, sort=False):
        verdict, reason = judge_measured(own, row["because"], outcomes)
        yield (
            about
            | dict(zip(_GROUP, key, strict=True))
            | {
                "numbers": len(own),
                "near": int(own["near"].sum()),
                "ratio_from": own["ratio"].min(),
                "ratio_to": own["ratio"].max(),
                "verdict": verdict,
                "reason": "; ".join(filter(None, (reason, row["note"]))),
            }
        )
    if len(derived):
        verdict, reason = judge_derived(derived)
        yield about | {
            "numbers": len(derived),
            "near": int(derived["near"].sum()),
            "in_digits": int(derived["in_digits"].sum()),
            "verdict": verdict,
            "reason": reason,
        }
    if numbers.empty and derived.empty:
        is_reason = row["because"] and row["because"] not in outcomes
        reason = row["because"] if is_reason else NOT_MEASURED
        yield about | {"verdict": Counterpart.NOT_COMPARED, "reason": reason}


def _of(frame: pd.DataFrame, row: Mapping[Hashable, Any]) -> pd.DataFrame:
    """Keep the numbers of a table; of derived ones those that are not read from themselves."""
    if not row["table"]:
        return frame.iloc[:0]
    is_own = (frame["study"] == row["study"]) & (frame["table"] == row["table"])
    own: pd.DataFrame = frame[is_own]
    if "inferred" not in frame:
        return own
    own = own[~own["inferred"].astype(bool)]
    agrees = own["agrees"].astype(bool)
    return own.assign(
        agrees=agrees,
        near=is_near(own["rederived"], own["published"]),
        in_digits=agrees & (own["within"] == ROUNDING),
    )


def _with_verdict(because: str, outcomes: Mapping[str, Outcome]) -> str:
    """Write a claim with its verdict, and say what it is about."""
    outcome = outcomes.get(because)
    if outcome is None:
        return because
    about = "claim of chapter" if because == NOT_FITTED else "what limits our lab:"
    claim = outcome.claim
    return f"{about} {claim.section}: {claim.statement.rstrip('.')} ({outcome.verdict})"


def _outcomes(campaign_dir: Path) -> dict[str, Outcome]:
    """Return the outcomes of chapters that the list names a claim of, by the ids of claims."""
    named = {*read_counterparts()["because"], NOT_FITTED}
    chapters = [
        number
        for number, chapter in CHAPTERS.items()
        if not named.isdisjoint(claim.id for claim in chapter.claims)
    ]
    return {
        outcome.claim.id: outcome
        for number in chapters
        for outcome in claims_of(campaign_dir, number)
    }
