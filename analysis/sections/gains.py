"""How the usable capacity changes from one level of a factor to the next, in sentences."""

from collections.abc import Iterator, Mapping, Sequence

import pandas as pd

from analysis.statistics.capacity import SMALLEST_RISE
from analysis.text.formatting import grouped
from analysis.text.lists import span

NOTHING = "There are no two systems to compare: their runs were not measured or do not count."


def gain_table(
    capacity: pd.DataFrame, factor: str, by: Sequence[str] = ("workload",)
) -> pd.DataFrame:
    """Compare the usable capacity at each level of a factor with that at the level before.

    Parameters
    ----------
    capacity
        From `analysis.sections.summary.capacity_table`, with columns `by` and `factor`.
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
        Markdown, one list item per comparison; levels in a row between which hardly anything
        changes are compared at once.
    """
    names = names or {}
    if gains.empty:
        return NOTHING
    lines = []
    for key, rows in gains.groupby(list(by), sort=False):
        levels = zip(by, key, strict=True)
        system = ", ".join(names.get(name, "{}").format(level) for name, level in levels)
        for steps in _steps(rows):
            ends = f"{steps['from_level'].iloc[0]} to {steps['to_level'].iloc[-1]}"
            change = _change(steps)
            lines.append(f"- **{system}**: from {words.format(ends)} the usable capacity {change}.")
    return "\n".join(lines)


def _steps(rows: pd.DataFrame) -> Iterator[pd.DataFrame]:
    """Part the steps of one system where something changes."""
    start = 0
    for end in range(1, len(rows) + 1):
        if end == len(rows) or not _is_flat(rows.iloc[start : end + 1]):
            yield rows.iloc[start:end]
            start = end


def _is_flat(steps: pd.DataFrame) -> bool:
    capacities = steps[["from_ops_per_s", "to_ops_per_s"]].to_numpy()
    return bool(capacities.max() < capacities.min() * (1 + SMALLEST_RISE))


def _change(steps: pd.DataFrame) -> str:
    first, last = steps.iloc[0], steps.iloc[-1]
    least = "at least " if steps["at_least"].any() else ""
    if _is_flat(steps):
        capacities = [*steps["from_ops_per_s"], *steps["to_ops_per_s"]]
        return f"hardly changes: {least}{span(capacities, grouped)} op/s"
    verb = "rises" if last["ratio"] > 1 else "falls"
    start, end = grouped(first["from_ops_per_s"]), grouped(last["to_ops_per_s"])
    return f"{verb} from {start} to {least}{end} op/s, by a factor of {last['ratio']:.2f}"
