"""The printed numbers of the studies that were measured here, each once, and how near ours are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.chapters.published_results.counterparts.comparisons import (
    COMPARISONS,
    KEY,
    MACHINES,
    compare_with_published,
)
from analysis.chapters.published_results.counterparts.counterpart_list import read_counterparts
from analysis.chapters.published_results.counterparts.printed_numbers import TIMES
from analysis.laws.summary import NEAR_PUBLISHED

_ROUNDING = 1e-9  # of the floating point of a margin, so that 90 of 100 is within 10 %


@dataclass(frozen=True, kw_only=True)
class Counts:
    """How many printed numbers can be compared, and how many agree.

    Attributes
    ----------
    every
        Numbers that can be compared.
    near
        Those within 10 % of what is printed.
    free
        Those by which the lab was not set up or fitted.
    near_and_free
        Those that are both.
    """

    every: int
    near: int
    free: int
    near_and_free: int


def comparable_numbers(campaign_dir: Path) -> pd.DataFrame:
    """List the printed measurements that were measured here, too, each printed number once.

    A number is compared with the campaign on the emulated machines of its study where that campaign
    has its cell, and otherwise with `campaign_dir`. Numbers that follow from other numbers of a
    study are no measurements and are left out.

    Returns
    -------
    pandas.DataFrame
        The columns of `comparisons.compare_with_published`, `ratio` (ours over the
        study's) and `near` (whether it is within 10 %).
    """
    numbers = _each_once(list(COMPARISONS), campaign_dir)
    order = {study: place for place, study in enumerate(read_counterparts()["study"].unique())}
    numbers = numbers.sort_values(
        "study", key=lambda studies: studies.map(order), kind="stable", ignore_index=True
    )
    return _judged(numbers)


def sets_without_emulation(campaign_dir: Path) -> pd.DataFrame:
    """Compare the printed throughputs of sets with a campaign whose hosts emulate no processors.

    Returns
    -------
    pandas.DataFrame
        As of `comparable_numbers`: numbers that the emulated machines have, too.
    """
    on_machines = compare_with_published(MACHINES, campaign_dir)[KEY]
    others = [name for name in COMPARISONS if name != MACHINES]
    return _judged(_each_once(others, campaign_dir).merge(on_machines, on=KEY))


def _each_once(names: list[str], campaign_dir: Path) -> pd.DataFrame:
    """Put comparisons below each other; of a number that two have, the first counts."""
    parts = [compare_with_published(name, campaign_dir) for name in names]
    held = [part for part in parts if not part.empty]
    return pd.concat(held or parts, ignore_index=True).drop_duplicates(KEY)


def _judged(numbers: pd.DataFrame) -> pd.DataFrame:
    return numbers.assign(
        ratio=numbers["measured"] / numbers["printed"],
        near=is_near(numbers["measured"], numbers["printed"]),
    )


def is_near(ours: pd.Series, printed: pd.Series) -> pd.Series:
    """Tell which of our numbers are within 10 % of the printed number, however small that is."""
    margin = (NEAR_PUBLISHED + _ROUNDING) * printed.abs()
    return (ours - printed).abs() <= margin


def is_time(numbers: pd.DataFrame) -> pd.Series:
    """Tell which numbers are response or queueing times, which are counted apart."""
    return numbers["quantity"].isin(TIMES)


def counts(numbers: pd.DataFrame) -> Counts:
    """Count numbers.

    Parameters
    ----------
    numbers
        Columns `near` and `fitted`, as of `comparable_numbers`.
    """
    near, free = numbers["near"].astype(bool), ~numbers["fitted"].astype(bool)
    return Counts(
        every=len(numbers),
        near=int(near.sum()),
        free=int(free.sum()),
        near_and_free=int((near & free).sum()),
    )
