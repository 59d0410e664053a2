"""`python -m analysis.claims.counterparts.page > docs/studies.md`: all counterparts, on a page."""

from __future__ import annotations

import sys
from collections.abc import Hashable
from typing import Any

import pandas as pd

from analysis.claims.counterparts.judged import Counterpart, judged_counterparts
from analysis.claims.counterparts.listed import notebook_of
from analysis.claims.counterparts.numbers import comparable_numbers, counts
from analysis.paths import REFERENCE
from analysis.published.printed import study_name
from analysis.text.formatting import MISSING
from analysis.text.markdown import escape_cell, table

_HEAD = """# The five studies, table by table

{numbers}

Every table and figure of the studies that this repository follows: where its counterpart is, and
whether the [reference campaign](../data/reference) came out so. `make studies` writes this page
from [data/published/counterparts.csv](../data/published/counterparts.csv), the printed numbers
beside it, and the campaign; notebook [10](../notebooks/10-published-results.ipynb) has the same
for any campaign.

A table or figure is *reproduced* if all of its throughputs, bandwidths and demands that can be
compared are within 10 % of ours; ratios are ours over the study's. Response times are not judged,
because they were printed at other loads than ours. Effects and models that a study derives from
numbers that it prints are reproduced if they follow from them. Where numbers *differ*, the
difference counts as explained only if a claim predicts its direction and size: with the study's
processors the lab reaches the study's numbers. Otherwise the limit of ours stands beside them.
Yenicelik's figures are those of his report's source; the other studies' are known from their
tables and texts, with their numbers where these are printed.
"""
_HEADINGS = ("place", "shows", "counterpart", "near", "ours / theirs", "verdict")


_NO_RESULTS = ("it is a diagram", "it holds conditions and no results")


def page(judged: pd.DataFrame, numbers: pd.DataFrame) -> str:
    """Write `judged_counterparts` as Markdown, a table for each study.

    Parameters
    ----------
    numbers
        From `analysis.claims.counterparts.numbers.comparable_numbers`.
    """
    parts = [_HEAD.format(numbers=_numbers(numbers)), _counts(judged)]
    for study, rows in judged.groupby("study", sort=False):
        cells = [_cells(row) for row in rows.to_dict("records")]
        parts.append(f"\n## {study_name(str(study))}\n\n{table(_HEADINGS, cells)}\n")
    return "".join(parts)


def _numbers(numbers: pd.DataFrame) -> str:
    every, near, free, near_and_free = counts(numbers)
    return (
        f"- **{every}** printed measurements can be compared with a measurement of this repository,"
        " each printed number counted once.\n"
        f"- **{near}** of them agree within 10 %.\n"
        f"- **{near_and_free}** of these were never used to set up or fit the lab; {free} of the "
        f"{every} were not."
    )


def _counts(judged: pd.DataFrame) -> str:
    results = judged[~judged["reason"].isin(_NO_RESULTS)]
    found = results["verdict"].value_counts()
    words = dict(
        zip(
            Counterpart,
            (
                "reproduced",
                "differ for an explained reason",
                "differ, unexplained",
                "cannot be compared",
            ),
            strict=True,
        )
    )
    told = [f"{found.get(kind, 0)} {word}" for kind, word in words.items()]
    return (
        f"\nOf {len(results)} tables and figures with results: {'; '.join(told)}. The other "
        f"{len(judged) - len(results)} are diagrams and configurations.\n"
    )


def _cells(row: dict[Hashable, Any]) -> list[str]:
    see = str(row["see"])
    return [
        escape_cell(str(row["place"])),
        escape_cell(str(row["shows"])),
        _link(see),
        MISSING if pd.isna(row["numbers"]) else f"{row['near']} of {row['numbers']}",
        _range(row["ratio_from"], row["ratio_to"]),
        escape_cell(f"{row['verdict']} {row['reason']}".strip()),
    ]


def _link(see: str) -> str:
    return f"[{see}](../notebooks/{notebook_of(see)})"


def _range(low: float, high: float) -> str:
    if pd.isna(low):
        return MISSING
    ends = f"{low:.2f}", f"{high:.2f}"
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


if __name__ == "__main__":
    sys.stdout.write(page(judged_counterparts(REFERENCE), comparable_numbers(REFERENCE)))
