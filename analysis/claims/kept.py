"""Outcomes of a chapter's claims, kept in a file with the fingerprint that they belong to."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from analysis.claims.claim import Claim, Outcome
from analysis.claims.fingerprint import Fingerprint
from analysis.statistics.estimates import Estimate
from records.documents import Recorded
from records.files.atomic import write_json

FORMAT = 1


class _Number(Recorded):
    """An `Estimate`."""

    value: int | float
    error: int | float
    freedom: int | float
    is_ratio: bool


class _Decided(Recorded):
    """An `Outcome`; `id` is that of its claim."""

    id: str
    estimate: _Number
    instead: str


class _Kept(Recorded):
    """The file: outcomes in the order of the chapter's claims."""

    format: int
    sources: str
    tables: str
    outcomes: list[_Decided]


def read_kept(path: Path, found: Fingerprint, claims: Sequence[Claim]) -> list[Outcome] | None:
    """Return the outcomes of a chapter's claims; None where no file holds those of a fingerprint.

    A file that is damaged or of another form counts as none.
    """
    try:
        kept = _Kept.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None
    if kept.format != FORMAT or Fingerprint(kept.sources, kept.tables) != found:
        return None
    if [one.id for one in kept.outcomes] != [claim.id for claim in claims]:
        return None
    return [
        Outcome(claim, Estimate(**one.estimate.model_dump()), one.instead)
        for claim, one in zip(claims, kept.outcomes, strict=True)
    ]


def keep(path: Path, found: Fingerprint, outcomes: Sequence[Outcome]) -> None:
    """Keep the outcomes of a chapter's claims, unless the file cannot be written."""
    kept = _Kept(
        format=FORMAT,
        sources=found.sources,
        tables=found.tables,
        outcomes=[
            _Decided(
                id=one.claim.id,
                estimate=_Number(**vars(one.estimate)),
                instead=one.instead,
            )
            for one in outcomes
        ],
    )
    with contextlib.suppress(OSError):
        write_json(path, kept.model_dump())
