"""Whether the emulated system was the limit of each run of a campaign, or the machine under it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from analysis.laws.bottlenecks import BUSY
from analysis.tables.provenance import read_manifests
from analysis.tables.run import ACCEPTED
from analysis.text.lists import counted, joined, merged
from analysis.text.numbers import percent

_runs = partial(counted, noun="run")
LATENCY = "machine_latency_small"  # the check of a run that compares it with what is emulated
OUTCOMES = ("lab_was_limit", "machine_was_busy", "machine_added_latency", "not_judged")


def outcome_table(campaign_dir: Path) -> pd.DataFrame:
    """Count, by section, whether the emulated system was the limit of a run or the machine.

    Returns
    -------
    pandas.DataFrame
        `section`, `time_dilation`, `runs` (accepted, under load) and into what these fall:
        `lab_was_limit` (links, delays and workers alone would let through at most 5 % more, and the
        machine was not busy all the time), `machine_was_busy` (less than 5 % idle, or more than 5 %
        stolen), `machine_added_latency` (not busy, but more than 5 % below), `not_judged` (open
        arrivals, servers that stood still).
    """
    rows = [
        {
            "section": str(manifest["section"]),
            "time_dilation": float(manifest["topology"]["time_dilation"]),
            "outcome": _limit_of(manifest),
        }
        for manifest in _accepted(campaign_dir)
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


def _accepted(campaign_dir: Path, sections: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Manifests of the runs under load that count."""
    return [
        manifest
        for manifest in read_manifests(campaign_dir, sections)
        if manifest.get("generator") and manifest["status"] == ACCEPTED
    ]


def _passed(manifest: dict[str, Any]) -> dict[str, bool]:
    return {str(check["name"]): bool(check["passed"]) for check in manifest["checks"]}


def _limit_of(manifest: dict[str, Any]) -> str:
    passed = _passed(manifest)
    if not passed.get("machine_not_the_limit", True):
        return "machine_was_busy"
    if LATENCY not in passed:
        return "not_judged"
    return "lab_was_limit" if passed[LATENCY] else "machine_added_latency"


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
            f"In {_runs(table['machine_added_latency'].sum())} the machine's own time at every "
            "hop, or requests that wait for each other at links and workers, cost more than "
            f"5\N{NO-BREAK SPACE}% ({_where(table, 'machine_added_latency')})."
        )
    if table["machine_was_busy"].any():
        words.append(
            f"In {_runs(table['machine_was_busy'].sum())} its processors were less than "
            f"5\N{NO-BREAK SPACE}% idle ({_where(table, 'machine_was_busy')}); sections name all "
            f"configurations with a run in which they were busy for {percent(BUSY)} or more, where "
            "they may have been the limit."
        )
    if judged > table["lab_was_limit"].sum():
        words.append("What these runs show holds for this machine; a larger k would tell.")
    return " ".join(words)


def latency_words(campaign_dir: Path, section: str, by: Sequence[str]) -> str:
    """Say in which configurations of a section the machine's own time at every hop counted.

    Parameters
    ----------
    by
        What makes a configuration, such as ``["workload", "workers", "num_clients"]``.

    Returns
    -------
    str
        Markdown: a few sentences; none where no run was judged, as on hosts of their own.
    """
    judged = [m for m in _accepted(campaign_dir, [section]) if LATENCY in _passed(m)]
    slow = [manifest for manifest in judged if not _passed(manifest)[LATENCY]]
    if not judged:
        return ""
    compared = (
        "what links, delays and workers alone would let through on a machine that takes no time"
    )
    if not slow:
        return (
            "Its own time at every hop did not count: throughput comes within "
            f"5\N{NO-BREAK SPACE}% of {compared} in each of the {_runs(len(judged))} that can be "
            "judged."
        )
    cases = pd.DataFrame([[_level(manifest, name) for name in by] for manifest in slow])
    told = [
        ", ".join(f"{_words(name)} {joined(levels)}" for name, levels in zip(by, case, strict=True))
        for case in merged(cases.drop_duplicates().sort_values(list(cases.columns)))
    ]
    return (
        f"Its own time at every hop may count: {len(slow)} of {_runs(len(judged))} that can be "
        f"judged stay more than 5\N{NO-BREAK SPACE}% below {compared} ({'; '.join(told)}). What "
        "they lack went into that time, or into waiting for each other at links and workers."
    )


def _level(manifest: dict[str, Any], name: str) -> object:
    return manifest["config"].get(name, manifest.get(name))


def _words(name: str) -> str:
    return name.removeprefix("num_").replace("_", " ")


def _where(table: pd.DataFrame, outcome: str) -> str:
    """Name the sections of an outcome, most runs first."""
    rows = table[table[outcome] > 0].sort_values(outcome, ascending=False, kind="stable")
    told = [
        f"{n} in section {name}" for name, n in zip(rows["section"], rows[outcome], strict=True)
    ]
    return ", ".join(told)
