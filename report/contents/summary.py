"""The report's first page: what a campaign has found, as claims held against its numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from analysis.claims.claim import Claim, claims_table
from analysis.claims.rules import Verdict
from analysis.figures import present
from report.contents.notebook import Prose, Section, Table

PATH = Path("summary.ipynb")
LETTER = "S"
NAME = "98-claims"


def summary(claims: Sequence[Claim], chapters: Mapping[str, str]) -> Section:
    """Write the summary of a campaign: how many claims hold, and each with its number.

    Parameters
    ----------
    chapters : mapping
        Section that was measured to the file name of the notebook that shows it.
    """

    def linked(line: str) -> str:
        return re.sub(r"^\| *(\S+) *\|", lambda match: f"| {_link(match[1], chapters)} |", line)

    holds, fails, unknown = (
        sum(claim.verdict == verdict for claim in claims) for verdict in Verdict
    )
    text = (
        f"# {LETTER} What was found\n\n"
        f"{len(claims)} claims, the same whatever a campaign measures: {holds} hold, of {fails} "
        f"the contrary was found, and {unknown} cannot be told. A claim is judged by the 95 % "
        "confidence interval of its number, over the repetitions at the largest load: it cannot be "
        "told where these are too few or too different, or where its section was not measured. "
        "That two numbers are equal is claimed within a margin, and tested as such."
    )
    caption = "Claims, what they are held to and what was measured, with 95 % confidence intervals."
    table = present.table(claims_table(claims), NAME, caption)
    rows = "\n".join(map(linked, table.markdown().split("\n")))
    return Section(PATH, LETTER, (Prose(1, text), Table(1, NAME, caption, rows)))


def _link(section: str, chapters: Mapping[str, str]) -> str:
    return f"[{section}]({chapters[section]})" if section in chapters else section
