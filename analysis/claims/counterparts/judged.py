"""Verdicts on every table and figure of the studies, computed from a campaign and its claims."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.claims.claim import Claim
from analysis.claims.counterparts.compared import AGAIN, compared
from analysis.claims.counterparts.listed import listed_counterparts
from analysis.claims.of_campaign import claims_of
from analysis.published.printed import study_name
from analysis.sections.summary import NEAR_PUBLISHED
from analysis.text.formatting import MISSING

_PREDICTS = "10: "  # chapter whose claims predict the size of differences
NOT_MEASURED = "this campaign holds no runs of it"
_OWN = "from the study's own numbers"
_DISAGREEMENTS = "of what table 10-disagreements names"


class Counterpart(StrEnum):
    """What became of a table or figure of a study."""

    REPRODUCED = f"reproduced within {100 * NEAR_PUBLISHED:g}\N{NO-BREAK SPACE}%"
    DIFFERS = "differs, explained:"
    UNEXPLAINED = "differs, unexplained; of ours:"
    CANNOT = "cannot be compared because"


def judged_counterparts(campaign_dir: Path) -> pd.DataFrame:
    """Judge every table and figure that `listed_counterparts` has.

    It is reproduced if all its numbers that can be compared are within `NEAR_PUBLISHED` of ours.
    What a study derives from its own printed numbers is reproduced if it follows from them. A
    difference is explained if a claim predicts its direction and size, which only claims of chapter
    10 do: with the study's processors the lab reaches its numbers. Claims about the limit of ours
    do not explain why a study measured something else.

    Parameters
    ----------
    campaign_dir
        ``data/<campaign>``.

    Returns
    -------
    pandas.DataFrame
        `study`, `place`, `shows`, `see`; `numbers` that were compared and those `near`;
        `ratio_from` and `ratio_to`, the smallest and the largest of ours over the study's (missing
        where nothing was compared); `verdict` (`Counterpart`) and `reason`.

    Raises
    ------
    ParseError
        A file of an accepted run is missing or damaged; names its path.
    """
    listed = listed_counterparts()
    frames = {name: compared(name, campaign_dir) for name in listed["compare"].unique() if name}
    rows = [_judge(row, frames) for row in listed.to_dict("records")]
    table = pd.DataFrame(rows).astype({"numbers": "Int64", "near": "Int64"})
    differs = table["verdict"].isin([Counterpart.DIFFERS, Counterpart.UNEXPLAINED])
    claims = _claims(campaign_dir, table.loc[differs, "reason"])
    reasons = table["reason"].where(~differs, table["reason"].map(lambda text: told(text, claims)))
    return table.assign(reason=reasons)


def told(because: str, claims: Mapping[str, Claim]) -> str:
    """Write a claim as a reason, with its verdict; what is no claim stays as it is."""
    claim = claims.get(because)
    return because if claim is None else f"{because.rstrip('.')} ({claim.verdict})"


def together(judged: pd.DataFrame) -> pd.DataFrame:
    """Put the tables and figures of a study that share verdict and reason into one row.

    Parameters
    ----------
    judged
        From `judged_counterparts`.

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
                "verdict": f"{verdict} {reason}".strip(),
            }
        )
    return pd.DataFrame(rows)


def _judge(row: Mapping[Hashable, Any], frames: Mapping[str, pd.DataFrame]) -> dict[str, Any]:
    told_of: dict[str, Any] = {name: row[name] for name in ("study", "place", "shows", "see")}
    nothing = {"numbers": pd.NA, "near": pd.NA, "ratio_from": pd.NA, "ratio_to": pd.NA}
    if not row["compare"]:
        return told_of | nothing | {"verdict": Counterpart.CANNOT, "reason": row["because"]}
    own = _selected(frames[row["compare"]], row)
    if own.empty:
        return told_of | nothing | {"verdict": Counterpart.CANNOT, "reason": NOT_MEASURED}
    near = (own["ratio"] - 1).abs() <= NEAR_PUBLISHED
    reproduced = bool(near.all())
    good, bad = ("", row["because"]) if row["compare"] != AGAIN else (_OWN, _DISAGREEMENTS)
    return told_of | {
        "numbers": len(own),
        "near": int(near.sum()),
        "ratio_from": own["ratio"].min(),
        "ratio_to": own["ratio"].max(),
        "verdict": Counterpart.REPRODUCED if reproduced else _difference(row),
        "reason": good if reproduced else bad,
    }


def _difference(row: Mapping[Hashable, Any]) -> Counterpart:
    explained = row["compare"] == AGAIN or str(row["because"]).startswith(_PREDICTS)
    return Counterpart.DIFFERS if explained else Counterpart.UNEXPLAINED


def _selected(frame: pd.DataFrame, row: Mapping[Hashable, Any]) -> pd.DataFrame:
    """Keep what is of the study and as `where` says; of what it derives, of the table itself."""
    wanted = {"study": row["study"]}
    if row["compare"] == AGAIN:
        wanted["table"] = row["table"]
    wanted |= dict(pair.split("=", 1) for pair in row["where"].split())
    if frame.empty:
        return frame
    for name, level in wanted.items():
        frame = frame[frame[name].astype(str) == level]
    return frame


def _claims(campaign_dir: Path, reasons: pd.Series) -> dict[str, Claim]:
    """Make the claims of the chapters that the reasons are from, by section and statement."""
    chapters = {int(text.split(".")[0].split(":")[0]) for text in reasons if text[:1].isdigit()}
    return {
        f"{claim.section}: {claim.statement}": claim
        for chapter in sorted(chapters)
        for claim in claims_of(campaign_dir, chapter=chapter)
    }
