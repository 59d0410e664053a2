"""Whether the emulated system was the limit of each run of a campaign, or the machine under it."""

from pathlib import Path
from typing import Any

import pandas as pd

from analysis.provenance import ACCEPTED, read_manifests

OUTCOMES = ("lab_was_limit", "machine_was_busy", "machine_added_latency", "not_judged")


def outcome_table(campaign_dir: Path) -> pd.DataFrame:
    """Count, by section, whether the emulated system was the limit of a run or the machine.

    Returns
    -------
    pandas.DataFrame
        `section`, `time_dilation`, `runs` (accepted, under load) and into what these fall:
        `lab_was_limit` (links, delays and workers alone would let through at most 5 % more, and the
        machine was not busy all the time), `machine_was_busy`, `machine_added_latency` (not busy,
        but more than 5 % below), `not_judged` (open arrivals, servers that stood still).
    """
    rows = [
        {
            "section": str(manifest["section"]),
            "time_dilation": float(manifest["topology"]["time_dilation"]),
            "outcome": _limit_of(manifest),
        }
        for manifest in read_manifests(campaign_dir)
        if manifest.get("generator") and manifest["status"] == ACCEPTED
    ]
    keys = ["section", "time_dilation"]
    if not rows:
        return pd.DataFrame(columns=[*keys, "runs", *OUTCOMES])
    counts = pd.DataFrame(rows).pivot_table(
        index=keys, columns="outcome", aggfunc="size", fill_value=0
    )
    counts = counts.reindex(columns=list(OUTCOMES), fill_value=0)
    counts.insert(0, "runs", counts.sum(axis="columns"))
    return counts.reset_index().rename_axis(columns=None)


def _limit_of(manifest: dict[str, Any]) -> str:
    passed = {str(check["name"]): bool(check["passed"]) for check in manifest["checks"]}
    if not passed.get("machine_not_the_limit", True):
        return "machine_was_busy"
    if "machine_latency_small" not in passed:
        return "not_judged"
    return "lab_was_limit" if passed["machine_latency_small"] else "machine_added_latency"


def outcome_sentences(table: pd.DataFrame) -> str:
    """Say how often the machine was the limit, and where.

    Parameters
    ----------
    table
        From `outcome_table`.
    """
    judged = table["runs"].sum() - table["not_judged"].sum()
    if not judged:
        return "Of no run it can be told whether the machine was its limit."
    words = [
        f"In {table['lab_was_limit'].sum()} of {judged} runs that can be judged the emulated "
        "system was the limit: links, delays and workers alone, on a machine that takes no time, "
        "would have let through at most 5\N{NO-BREAK SPACE}% more than was measured."
    ]
    if table["machine_added_latency"].any():
        words.append(
            f"In {table['machine_added_latency'].sum()} the machine's own time at every hop took "
            f"more than that ({_where(table, 'machine_added_latency')})."
        )
    if table["machine_was_busy"].any():
        words.append(
            f"In {table['machine_was_busy'].sum()} its processors were busy all the time "
            f"({_where(table, 'machine_was_busy')})."
        )
    if judged > table["lab_was_limit"].sum():
        words.append("What these show holds for this machine; a larger k would tell.")
    return " ".join(words)


def _where(table: pd.DataFrame, outcome: str) -> str:
    """Name the sections of an outcome, most runs first."""
    rows = table[table[outcome] > 0].sort_values(outcome, ascending=False, kind="stable")
    told = [
        f"{n} in section {name}" for name, n in zip(rows["section"], rows[outcome], strict=True)
    ]
    return ", ".join(told)
