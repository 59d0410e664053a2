"""Whether the machine that carries all hosts of a lab was the limit, and where."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.laws.bottlenecks import BUSY
from analysis.text.lists import counted, joined
from analysis.text.numbers import percent

MOST_NAMED = 6  # configurations of which a sentence says that the machine was their limit


def machine_table(hosts: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Give the load of the shared machine's CPU in every configuration.

    Parameters
    ----------
    hosts
        `analysis.tables.frames.Tables.hosts`.
    by
        What makes a configuration, such as ``["workers", "num_clients"]``.

    Returns
    -------
    pandas.DataFrame
        `by`, `time_dilation`, `machine_utilization` (0..1, mean over hosts and repetitions),
        `smallest_utilization` and `largest_utilization` (of a single run), `machine_is_limit` (in
        at least one run); empty where every host has a machine of its own.
    """
    shared = hosts[hosts["shares_machine"].astype(bool)]
    configuration = [*by, "time_dilation"]
    runs = shared.groupby([*configuration, "repetition"], as_index=False)["cpu_percent"].mean()
    busy = (runs["cpu_percent"] / 100).groupby([runs[name] for name in configuration])
    table: pd.DataFrame = busy.agg(["mean", "min", "max"])
    table.columns = pd.Index(["machine_utilization", "smallest_utilization", "largest_utilization"])
    return table.assign(machine_is_limit=table["largest_utilization"] >= BUSY).reset_index()


def machine_words(hosts: pd.DataFrame, by: Sequence[str]) -> str:
    """Say which time dilation was in force, and where the machine was the limit.

    Parameters
    ----------
    hosts, by
        As for `machine_table`.

    Returns
    -------
    str
        Markdown: a few sentences.
    """
    table = machine_table(hosts, by)
    if table.empty:
        return f"{_dilation(hosts)} Every host has a machine of its own."
    limit = table[table["machine_is_limit"]].sort_values("largest_utilization", ascending=False)
    words = [
        f"{_dilation(hosts)} All hosts share one machine, whose CPU was busy for {_range(table)} "
        f"of the time in the runs of {counted(len(table), 'configuration')}."
    ]
    if limit.empty:
        words.append(
            f"That is below {percent(BUSY)} in every run: its processors limited none of them."
        )
    else:
        cases = [_case(row, by) for _, row in limit.head(MOST_NAMED).iterrows()]
        rest = len(limit) - len(cases)
        cases += [f"and {rest} more"] if rest else []
        words.append(
            f"In {'all' if len(limit) == len(table) else len(limit)} of them a run was at "
            f"{percent(BUSY)} or above, so that the processors may have been its limit instead of "
            f"what is emulated: {'; '.join(cases)}. There a larger k would tell."
        )
    return " ".join(words)


def dilation_words(runs: pd.DataFrame) -> str:
    """Say with which time dilation each section was measured, and what it means to compare them.

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of sections that are compared.
    """
    factors = {
        str(section): joined(f"{k:g}" for k in sorted(rows.unique()))
        for section, rows in runs.groupby("section")["time_dilation"]
    }
    if len(set(factors.values())) == 1:
        return f"All of them were measured with k = {next(iter(factors.values()))}."
    told = joined(f"section {section} with k = {k}" for section, k in factors.items())
    told = told.replace(" with", " was measured with", 1)
    return (
        f"{told[:1].upper()}{told[1:]}: the machine's own time counts for less where k is larger, "
        "so that a small difference between these sections may be the machine's."
    )


def _dilation(hosts: pd.DataFrame) -> str:
    factors = sorted(hosts["time_dilation"].unique())
    k = ", ".join(f"{factor:g}" for factor in factors)
    if factors == [1]:
        return "Time was not dilated (k = 1)."
    return (
        f"Time was dilated by k = {k}: links were as much slower and delays as much longer, and "
        "all numbers are given in undilated time."
    )


def _range(table: pd.DataFrame) -> str:
    smallest, largest = table["smallest_utilization"].min(), table["largest_utilization"].max()
    low, high = percent(smallest), percent(largest)
    if largest < BUSY and high == percent(BUSY):  # as much as it is said to be below of
        high = percent(largest, 1)
    return low if low == high else f"{low} to {high}"


def _case(row: pd.Series, by: Sequence[str]) -> str:
    levels = ", ".join(_level(name, row[name]) for name in by)
    return f"{levels} ({percent(row['largest_utilization'])})"


def _level(name: str, level: object) -> str:
    words = name.removeprefix("num_").replace("_", " ")
    if isinstance(level, bool | np.bool_):
        return words if level else f"not {words}"
    return f"{words} {level}"
