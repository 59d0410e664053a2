"""How the usable capacity changes from one level of a factor to the next, in sentences."""

from collections.abc import Mapping, Sequence

import pandas as pd

from analysis.capacity import SMALLEST_RISE
from analysis.formatting import grouped


def gain_table(
    capacity: pd.DataFrame, factor: str, by: Sequence[str] = ("workload",)
) -> pd.DataFrame:
    """Compare the usable capacity at each level of a factor with that at the level before.

    Parameters
    ----------
    capacity
        From `analysis.summary.capacity_table`, with columns `by` and `factor`.
    factor
        Its levels are compared in rising order.
    by
        What stays equal in a comparison.

    Returns
    -------
    pandas.DataFrame
        One row per pair of levels: `by`, `from_level`, `to_level`, `from_ops_per_s`,
        `to_ops_per_s`, `ratio`, `at_least` (the higher capacity was not reached by the loads
        measured). A level that lacks its partner is left out.
    """
    rows = []
    for key, system in capacity.groupby(list(by)):
        levels = system.sort_values(factor)
        pairs = zip(levels.iloc[:-1].iterrows(), levels.iloc[1:].iterrows(), strict=True)
        for (_, before), (_, after) in pairs:
            rows.append(
                {
                    **dict(zip(by, key, strict=True)),
                    "from_level": before[factor],
                    "to_level": after[factor],
                    "from_ops_per_s": before["throughput_ops_per_s"],
                    "to_ops_per_s": after["throughput_ops_per_s"],
                    "ratio": after["throughput_ops_per_s"] / before["throughput_ops_per_s"],
                    "at_least": not after["saturated"],
                }
            )
    columns = [*by, "from_level", "to_level", "from_ops_per_s", "to_ops_per_s", "ratio"]
    return pd.DataFrame(rows, columns=[*columns, "at_least"])


def gain_sentences(
    gains: pd.DataFrame,
    words: str = "{}",
    by: Sequence[str] = ("workload",),
    names: Mapping[str, str] | None = None,
) -> str:
    """Say how the usable capacity changes from level to level.

    Parameters
    ----------
    gains
        From `gain_table`.
    words
        How a level is named, such as ``"{} workers"``.
    by
        As for `gain_table`.
    names
        How the levels of a column of `by` are worded, such as ``{"workers": "{} workers"}``.

    Returns
    -------
    str
        Markdown, one list item per comparison.
    """
    names = names or {}
    if gains.empty:
        return "There are no two systems to compare: their runs were not measured or do not count."
    lines = []
    for _, row in gains.iterrows():
        system = ", ".join(names.get(name, "{}").format(row[name]) for name in by)
        start, end = words.format(row["from_level"]), words.format(row["to_level"])
        lines.append(f"- **{system}**: from {start} to {end} the usable capacity {_change(row)}.")
    return "\n".join(lines)


def _change(row: pd.Series) -> str:
    start, end = grouped(row["from_ops_per_s"]), grouped(row["to_ops_per_s"])
    least = "at least " if row["at_least"] else ""
    if abs(row["ratio"] - 1) < SMALLEST_RISE:
        return f"hardly changes, from {start} to {least}{end} op/s"
    verb = "rises" if row["ratio"] > 1 else "falls"
    return f"{verb} from {start} to {least}{end} op/s, to {row['ratio']:.2f} times as much"
