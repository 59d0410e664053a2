"""Whether the machine that carries all hosts of a lab was the limit, and where."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from analysis.evidence import BUSY

MOST_NAMED = 6  # configurations of which a sentence says that the machine was their limit


def machine_table(hosts: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Give the load of the shared machine's CPU in every configuration.

    Parameters
    ----------
    hosts
        `analysis.tidy.Tables.hosts`.
    by
        What makes a configuration, such as ``["workers", "num_clients"]``.

    Returns
    -------
    pandas.DataFrame
        `by`, `time_dilation`, `machine_utilization` (0..1, mean over hosts and repetitions),
        `machine_is_limit`; empty where every host has a machine of its own.
    """
    shared = hosts[hosts["shares_machine"].astype(bool)]
    groups = shared.groupby([*by, "time_dilation"], as_index=False)
    table = groups[["cpu_percent"]].mean()
    busy = table.pop("cpu_percent") / 100
    return table.assign(machine_utilization=busy, machine_is_limit=busy >= BUSY)


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
    busy = table["machine_utilization"]
    limit = table[table["machine_is_limit"]].sort_values("machine_utilization", ascending=False)
    words = [
        f"{_dilation(hosts)} All hosts share one machine, whose CPU was busy for {_range(busy)} "
        f"of the time over the {_counted(table)}."
    ]
    if limit.empty:
        words.append(f"That is below {BUSY:.0%} everywhere: its processors limited none of them.")
    else:
        cases = [_case(row, by) for _, row in limit.head(MOST_NAMED).iterrows()]
        rest = len(limit) - len(cases)
        cases += [f"and {rest} more"] if rest else []
        words.append(
            f"In {'all' if len(limit) == len(table) else len(limit)} of them it was busy for "
            f"{BUSY:.0%} of the time or more and so may have been the limit instead of what is "
            f"emulated: {'; '.join(cases)}. There a larger k would tell."
        )
    return " ".join(words).replace("%", "\N{NO-BREAK SPACE}%")


def _dilation(hosts: pd.DataFrame) -> str:
    factors = sorted(hosts["time_dilation"].unique())
    k = ", ".join(f"{factor:g}" for factor in factors)
    if factors == [1]:
        return "Time was not dilated (k = 1)."
    return (
        f"Time was dilated by k = {k}: links were as much slower and delays as much longer, and "
        "all numbers are given in undilated time."
    )


def _range(busy: pd.Series) -> str:
    low, high = f"{busy.min():.0%}", f"{busy.max():.0%}"
    if busy.max() < BUSY and high == f"{BUSY:.0%}":  # as much as it is said to be below of
        high = f"{busy.max():.1%}"
    return low if low == high else f"{low} to {high}"


def _counted(table: pd.DataFrame) -> str:
    return f"{len(table)} configuration{'' if len(table) == 1 else 's'}"


def _case(row: pd.Series, by: Sequence[str]) -> str:
    levels = ", ".join(_level(name, row[name]) for name in by)
    return f"{levels} ({row['machine_utilization']:.0%})"


def _level(name: str, level: object) -> str:
    words = name.removeprefix("num_").replace("_", " ")
    if isinstance(level, bool | np.bool_):
        return words if level else f"not {words}"
    return f"{words} {level}"
