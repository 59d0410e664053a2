"""What the number of workers does: their bound by latency, and what they wait for beyond it."""

from collections.abc import Sequence

import pandas as pd

from analysis.evidence import BUSY
from analysis.formatting import grouped
from analysis.units import MS_PER_S

NEAR_BOUND = 0.8  # of what workers can do at best: from here on they are the limit themselves
SYSTEM = ("workload", "workers")


def worker_table(runs: pd.DataFrame, by: Sequence[str] = SYSTEM) -> pd.DataFrame:
    r"""Compare what the workers did at the largest load with the most that they can do.

    A worker holds one job at a time for the service time S, so that M middlewares of m workers do

    .. math:: X \le M m / S

    S is shortest at the smallest load, when nothing waits behind the workers; it is the latency
    of one request then.

    Parameters
    ----------
    runs
        `analysis.tidy.Tables.runs` of sections with a middleware.
    by
        What makes a system; ends with ``workers``.

    Returns
    -------
    pandas.DataFrame
        One row per system: `by`, `num_middlewares`, `num_clients` (largest load),
        `shortest_service_time_ms` (missing where only one load was measured), `service_time_ms`,
        `most_ops_per_s` (of the shortest), `throughput_ops_per_s`, `share_of_most` (0..1),
        `worker_utilization` (0..1).
    """
    rows = []
    for key, system in runs.groupby([*by, "num_middlewares"]):
        means = system.groupby("num_clients")[
            [
                "middleware_service_time_ms",
                "middleware_throughput_ops_per_s",
                "middleware_worker_utilization",
            ]
        ].mean()
        last = means.iloc[-1]
        shortest = means["middleware_service_time_ms"].iloc[0] if len(means) > 1 else float("nan")
        levels = dict(zip([*by, "num_middlewares"], key, strict=True))
        total = int(system["num_middlewares"].iloc[0]) * int(system["workers"].iloc[0])
        most = total / shortest * MS_PER_S
        throughput = last["middleware_throughput_ops_per_s"]
        rows.append(
            {
                **levels,
                "num_clients": means.index[-1],
                "shortest_service_time_ms": shortest,
                "service_time_ms": last["middleware_service_time_ms"],
                "most_ops_per_s": most,
                "throughput_ops_per_s": throughput,
                "share_of_most": throughput / most,
                "worker_utilization": last["middleware_worker_utilization"],
            }
        )
    columns = [*by, "num_middlewares"]
    table = pd.DataFrame(rows) if rows else pd.DataFrame(columns=columns)
    return table.astype({"workers": "int64"})


def worker_sentences(table: pd.DataFrame, by: Sequence[str] = SYSTEM) -> str:
    """Say of each system whether its workers were the limit, and how that is known.

    Parameters
    ----------
    table, by
        From and as for `worker_table`.

    Returns
    -------
    str
        Markdown, one list item per system.
    """
    lines = []
    for _, row in table.iterrows():
        others = ", ".join(_level(name, row[name]) for name in by if name != "workers")
        total = int(row["workers"] * row["num_middlewares"])
        name = f"{others}, {row['workers']} workers"
        if row["num_middlewares"] > 1:
            name += f" in each of {row['num_middlewares']} middlewares"
        lines.append(f"- **{name}**: {_verdict(row, total)}")
    return "\n".join(lines)


def _level(name: str, level: object) -> str:
    return f"section {level}" if name == "section" else str(level)


def _verdict(row: pd.Series, total: int) -> str:
    did = f"{grouped(row['throughput_ops_per_s'])} op/s at {row['num_clients']} clients"
    idle = 1 - row["worker_utilization"]
    waiting = f"{idle * total:.0f} of the {total} workers have no job on average"
    if pd.isna(row["most_ops_per_s"]):
        busy = waiting if idle > 1 - BUSY else "all workers are busy"
        return (
            f"{did}, {busy}; only one load was measured, so that what a request takes without "
            "waiting is not known."
        )
    bound = (
        f"at best {total} / {row['shortest_service_time_ms']:.2f} ms = "
        f"{grouped(row['most_ops_per_s'])} op/s, measured {did} ({row['share_of_most']:.0%})"
    ).replace("%", "\N{NO-BREAK SPACE}%")
    longer = row["service_time_ms"] / row["shortest_service_time_ms"]
    if row["share_of_most"] >= NEAR_BOUND:
        return (
            f"{bound}: the workers are the limit. Their service time is that of an idle system, "
            f"nearly ({row['service_time_ms']:.2f} ms): each waits for the latency of one "
            "request, and more workers do more until something else is full."
        )
    if idle <= 1 - BUSY:
        return (
            f"{bound}: all workers are busy, yet service takes {longer:.1f} times as long as in "
            "the idle system. They wait for something behind them, and more workers would only "
            "wait there, too."
        )
    return f"{bound}: {waiting}, so they are not the limit."
