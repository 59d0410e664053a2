"""What a second middleware brings, in words."""

import pandas as pd

from analysis.sections.gains import NOTHING
from analysis.sections.summary import cells
from analysis.statistics.capacity import SMALLEST_RISE, usable_capacity
from analysis.text.formatting import grouped
from analysis.text.lists import joined, span
from analysis.text.numbers import percent

_MEASURES = {
    "client_throughput_ops_per_s_mean": "throughput_ops_per_s",
    "middleware_service_time_ms_mean": "service_time_ms",
    "middleware_worker_utilization_mean": "worker_utilization",
    "saturated": "saturated",
}


def second_middleware_sentences(runs: pd.DataFrame) -> str:
    r"""Compare the usable capacity of two middlewares with that of one.

    M middlewares of m workers do :math:`X = M m U / S` (utilization law, Jain 1991, section 33.1),
    so that at equal service time S and utilization U of the workers two do twice as much; what is
    more or less comes from S and U.

    Parameters
    ----------
    runs
        `analysis.tables.frames.Tables.runs` of a section with one middleware and one with two.

    Returns
    -------
    str
        Markdown, one list item per workload and number of workers; those that a second middleware
        does not change stand together.
    """
    systems = _systems(runs)
    one, two = (systems[systems["num_middlewares"] == count] for count in (1, 2))
    pairs = one.merge(two, on=["workload", "workers"], suffixes=("_one", "_two"))
    if pairs.empty:
        return NOTHING
    pairs["ratio"] = pairs["throughput_ops_per_s_two"] / pairs["throughput_ops_per_s_one"]
    lines = []
    for workload, rows in pairs.groupby("workload"):
        flat = (rows["ratio"] - 1).abs() < SMALLEST_RISE
        if flat.any():
            same = rows[flat]
            capacities = [*same["throughput_ops_per_s_one"], *same["throughput_ops_per_s_two"]]
            lines.append(
                f"- **{workload}, {joined(same['workers'])} workers each**: the usable capacity "
                f"hardly changes: {span(capacities, grouped)} op/s."
            )
        lines += [
            f"- **{workload}, {pair['workers']} workers each**: {_change(pair)} "
            f"{_one_of_as_many(pair, one)}".rstrip()
            for _, pair in rows[~flat].iterrows()
        ]
    return "\n".join(lines)


def _systems(runs: pd.DataFrame) -> pd.DataFrame:
    """Measures of each system at its usable capacity, with its number of middlewares."""
    found = usable_capacity(cells(runs), ["section", "workload", "workers"])
    counts = runs.groupby("section")["num_middlewares"].first()
    kept = found[["section", "workload", "workers", *_MEASURES]].rename(columns=_MEASURES)
    return kept.assign(num_middlewares=kept["section"].map(counts)).astype({"workers": "int64"})


def _change(pair: pd.Series) -> str:
    one, two = grouped(pair["throughput_ops_per_s_one"]), grouped(pair["throughput_ops_per_s_two"])
    least = "" if pair["saturated_two"] else "at least "
    times = [f"{pair[f'service_time_ms_{which}']:.2f} ms" for which in ("two", "one")]
    busy = [percent(pair[f"worker_utilization_{which}"]) for which in ("two", "one")]
    told = f"a service takes {times[0]} instead of {times[1]}" if times[0] != times[1] else ""
    if busy[0] != busy[1]:
        told += f"{', and ' if told else ''}workers are busy for {busy[0]} instead of {busy[1]}"
    return (
        f"two do {least}{two} op/s where one does {one}, a factor of {pair['ratio']:.2f}. With the "
        "same service time, and equally busy, twice the workers would do 2.00 times as much"
        f"{'; ' if told else ''}{told}."
    )


def _one_of_as_many(pair: pd.Series, one: pd.DataFrame) -> str:
    """Compare with one middleware that has as many workers as both together."""
    total = 2 * pair["workers"]
    alone = one[(one["workload"] == pair["workload"]) & (one["workers"] == total)]
    if alone.empty:
        return ""
    capacity = alone["throughput_ops_per_s"].iloc[0]
    difference = capacity / pair["throughput_ops_per_s_two"] - 1
    compared = (
        "about as much as the two"
        if abs(difference) < SMALLEST_RISE
        else f"{percent(abs(difference))} {'more' if difference > 0 else 'less'} than the two"
    )
    return f"One middleware with {total} workers does {grouped(capacity)} op/s, {compared}."
