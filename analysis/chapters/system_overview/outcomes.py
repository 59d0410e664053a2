"""Whether the emulated system was the limit of each run of a campaign, or the machine under it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pandas as pd

from analysis.tables.provenance import each_manifest
from records.manifest import Manifest
from records.text.words import counted
from records.verdict import ACCEPTED

_runs = partial(counted, noun="run")
LATENCY = "machine_latency_small"  # the check of a run that compares it with what is emulated
OUTCOMES = ("lab_was_limit", "machine_was_busy", "machine_added_latency", "not_judged")


def outcome_table(campaign_dir: Path) -> pd.DataFrame:
    """Count, by section, whether the emulated system was the limit of a run or the machine.

    Returns
    -------
    pandas.DataFrame
        `section`, `time_dilation`, `window_s` (the shortest stable window, undilated), `runs`
        (accepted, under load) and into what these fall:
        `lab_was_limit` (links, delays and workers alone would let through at most 5 % more, and the
        machine was not busy all the time), `machine_was_busy` (less than 5 % idle, or more than 5 %
        stolen), `machine_added_latency` (not busy, but more than 5 % below), `not_judged` (open
        arrivals, servers that stood still).
    """
    rows = [
        {
            "section": manifest.section,
            "time_dilation": (k := manifest.topology.time_dilation),
            "window_s": manifest.stable.stable_s / k,
            "outcome": _limit_of(manifest),
        }
        for manifest in _accepted(campaign_dir)
    ]
    keys = ["section", "time_dilation"]
    if not rows:
        return pd.DataFrame(columns=[*keys, "window_s", "runs", *OUTCOMES])
    frame = pd.DataFrame(rows)
    counts = frame.pivot_table(index=keys, columns="outcome", aggfunc="size", fill_value=0)
    counts = counts.reindex(columns=list(OUTCOMES), fill_value=0)
    counts.insert(0, "runs", counts.sum(axis="columns"))
    counts.insert(0, "window_s", frame.groupby(keys)["window_s"].min())
    return counts.reset_index().rename_axis(columns=None)


def _accepted(campaign_dir: Path, sections: Sequence[str] | None = None) -> list[Manifest]:
    """Manifests of the runs under load that count."""
    return [
        manifest
        for manifest in each_manifest(campaign_dir, sections)
        if manifest.generator and manifest.status == ACCEPTED
    ]


def _limit_of(manifest: Manifest) -> str:
    passed = {check.name: check.passed for check in manifest.checks}
    parts = ("machine_not_the_limit", "shared_part_not_the_limit")
    if not all(passed.get(part, True) for part in parts):
        return "machine_was_busy"
    if LATENCY not in passed:
        return "not_judged"
    return "lab_was_limit" if passed[LATENCY] else "machine_added_latency"
