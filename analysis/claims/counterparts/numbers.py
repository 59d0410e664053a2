"""The printed numbers of the studies that the lab measures, each once, and how near it comes."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from analysis.claims.counterparts.compared import AGAIN, COMPARISONS, compared
from analysis.paths import DATA
from analysis.published.machines.on_the_lab import sets_on_the_lab
from analysis.published.printed import study_name
from analysis.sections.summary import NEAR_PUBLISHED

_SETTINGS = ("bandwidths", "khalils_curve")  # the emulated links and Khalil's machines come of them
_OTHERS = ("multi_gets", "growth", "components", "loads", "overhead")


def comparable_numbers(campaign_dir: Path) -> pd.DataFrame:
    """List the printed measurements that a campaign measures, too, each printed number once.

    Sets are compared with the campaign on the emulated machines of their study where there is one
    (`analysis.published.machines.on_the_lab.sets_on_the_lab`), all else with `campaign_dir`.
    Numbers that follow from other numbers of a study are no measurements and are left out.

    Returns
    -------
    pandas.DataFrame
        `study` (in words), `what`, `ratio` (ours over the study's), and `fitted`: whether the lab
        was set up by the number.
    """
    machines = sets_on_the_lab(DATA)
    sets = machines.assign(
        what="sets: " + machines["place"].astype(str) + ", " + _levels(machines),
    )[["study", "what", "ratio", "fitted"]]
    parts = [sets]
    for name in COMPARISONS:
        if name == AGAIN:
            continue
        own = compared(name, campaign_dir)
        if own.empty:
            continue
        own = own.assign(study=own["study"].map(study_name), fitted=name in _SETTINGS)
        if name not in (*_SETTINGS, *_OTHERS):  # throughputs of sets and gets
            workload = own.get("workload", pd.Series("set", own.index))
            own = own[(workload != "set") | ~own["study"].isin(machines["study"])]
        if own.empty:
            continue
        labels = [column for column in own if column not in ("study", "ratio", "fitted")]
        what = own[labels].astype(str).agg(" ".join, axis=1) if labels else ""
        parts.append(own.assign(what=f"{name} " + what)[["study", "what", "ratio", "fitted"]])
    return pd.concat(parts, ignore_index=True)


def counts(numbers: pd.DataFrame) -> tuple[int, int, int, int]:
    """Return how many numbers can be compared, how many agree within 10 %, and both if not fitted.

    Parameters
    ----------
    numbers
        From `comparable_numbers`.
    """
    near = (numbers["ratio"] - 1).abs() <= NEAR_PUBLISHED
    free = ~numbers["fitted"].astype(bool)
    return len(numbers), int(near.sum()), int(free.sum()), int((near & free).sum())


def _levels(cells: pd.DataFrame) -> pd.Series:
    names = ["middlewares", "servers", "workers", "num_clients"]
    levels: pd.Series = cells[names].astype(str).agg(" ".join, axis=1)
    return levels
