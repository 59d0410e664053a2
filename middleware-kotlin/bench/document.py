"""The committed result of the bench in words: `results/README.md`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import summary

HEADING = """# What the bench measured last

`{command}`, {started}, {minutes:.0f} minutes, commit {git_commit:.7}.
{cpus} x {cpu}, Linux {kernel}; {java}, memcached {memcached}, {twemproxy};
load by {generator}.

{rounds} rounds in turns, {seconds} s each; medians over the rounds with their range.
Every run is in [middleware.csv](middleware.csv), the machine in [middleware.json](middleware.json).
In short: {limits}.
"""


def document(runs: pd.DataFrame, facts: Mapping[str, Any]) -> str:
    """Markdown: where and how it was measured, the targets, all systems under all loads."""
    return "\n".join(
        [
            HEADING.format(**facts, limits=summary.limits(runs)),
            *markdown_table(
                ["ratio, within a round", "target", "median (range)", ""], _targets(runs)
            ),
            "",
            *markdown_table(
                ["load", "system", "op/s", "/ twemproxy", "p50 ms", "p99 ms", "CPU us", "RSS MiB"],
                _cells(runs),
            ),
            "",
            "CPU: the proxy's, per request. A load is its kind, connections and bytes of a value.",
            "",
        ]
    )


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lines of a table."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(line)} |" for line in lines]


def _targets(runs: pd.DataFrame) -> Iterable[list[str]]:
    for row in summary.judge(runs).to_dict("records"):
        verdict = {None: "", True: "met", False: "**missed**"}[row["is_met"]]
        yield [row["target"], row["bound"], _spread(row, "median", "min", "max"), verdict]


def _cells(runs: pd.DataFrame) -> Iterable[list[str]]:
    for row in summary.cells(runs).to_dict("records"):
        has_proxy = row["proxy_cpu_s_per_million"] > 0
        yield [
            f"{row['workload']}/{row['connections']}/{row['value_bytes']}",
            row["system"],
            f"{row['throughput_ops_per_s']:.0f}",
            _spread(row, "ratio", "ratio_min", "ratio_max"),
            f"{row['response_time_p50_ms']:.3f}",
            f"{row['response_time_p99_ms']:.3f}",
            f"{row['proxy_cpu_s_per_million']:.2f}" if has_proxy else "",
            f"{row['proxy_rss_mib']:.0f}" if has_proxy else "",
        ]


def _spread(row: Mapping[Hashable, Any], median: str, least: str, most: str) -> str:
    return f"{row[median]:.2f} ({row[least]:.2f} to {row[most]:.2f})"
