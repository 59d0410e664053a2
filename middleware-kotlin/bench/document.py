"""The committed result of the bench in words: `results/README.md`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import pandas as pd
import summary

HEADING = """# What the bench measured last

`{command}`, {started}, {minutes:.0f} minutes, commit {git_commit:.7}.
{machine}; {java}, memcached {memcached}, {twemproxy}, {proxy};
load by {generator}.

{rounds} rounds in turns, {seconds} s each; medians over the rounds with their range.
Every run is in [middleware.csv](middleware.csv), the machine in [middleware.json](middleware.json).
In short: {limits}.
"""


def document(runs: pd.DataFrame, facts: Mapping[str, Any]) -> str:
    """Markdown: where and how it was measured, the targets, all systems under all loads."""
    return "\n".join(
        [
            HEADING.format(
                **facts, machine=machine(facts), proxy=_proxy(facts), limits=summary.limits(runs)
            ),
            *markdown_table(
                ["ratio, within a round", "target", "median (range)", ""], _targets(runs)
            ),
            "",
            *markdown_table(
                [
                    *("load", "system", "op/s", "/ twemproxy", "p50 ms", "p99 ms", "/ twemproxy"),
                    *("CPU us", "/ twemproxy", "RSS MiB"),
                ],
                _cells(runs),
            ),
            "",
            "CPU: the proxy's, per request. A load is its kind, connections, bytes of a value and,",
            "if it is not 1, the number of requests that each connection has in flight.",
            "",
        ]
    )


def machine(facts: Mapping[str, Any]) -> str:
    """Processors, kernel and TCP congestion control of the machine that measured."""
    control = facts.get("tcp_congestion_control", "not recorded")  # older results lack it
    return (
        f"{facts['cpus']} x {facts['cpu']}, Linux {facts['kernel']}, "
        f"TCP congestion control {control}"
    )


def _proxy(facts: Mapping[str, Any]) -> str:
    version = facts.get("memcached_with_proxy")
    return f"memcached's proxy {version}" if version else "memcached's proxy left out"


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
            row["load"],
            row["system"],
            f"{row['throughput_ops_per_s']:.0f}",
            summary.ratio_text(row, summary.THROUGHPUT),
            f"{row['response_time_p50_ms']:.3f}",
            f"{row['response_time_p99_ms']:.3f}",
            summary.ratio_text(row, summary.P99),
            f"{row['proxy_cpu_s_per_million']:.2f}" if has_proxy else "",
            summary.ratio_text(row, summary.CPU) if has_proxy else "",
            f"{row['proxy_rss_mib']:.0f}" if has_proxy else "",
        ]


def _spread(row: Mapping[Hashable, Any], median: str, least: str, most: str) -> str:
    return f"{row[median]:.2f} ({row[least]:.2f} to {row[most]:.2f})"
