"""From the runs of a bench to ratios, targets and tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from generator import Load
from systems import (
    DIRECT,
    DIRECT_UNIX,
    FOLLOWING,
    MEMCACHED_PROXY,
    PIPELINED,
    PIPELINED_KTOR,
    RELAY,
    RELAY_EACH,
    SEQUENTIAL_64,
    SEQUENTIAL_64_KTOR,
    TWEMPROXY,
    UNINSTRUMENTED,
    UNIX,
)

CELL = ["workload", "connections", "value_bytes", "depth"]
THROUGHPUT, P99 = "throughput_ops_per_s", "response_time_p99_ms"
ALTERNATING = "alternating_p50_ms"
CPU = "proxy_cpu_s_per_million"
Measure = Callable[[pd.DataFrame], pd.Series]
Cell = tuple[str, int, int, int]
"""The levels of `CELL`."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """A bound on a number that each round gives once; `of` computes it, by round."""

    name: str
    bound: float
    is_lower: bool
    of: Measure

    def is_met_by(self, value: float) -> bool:
        """Whether `value` is on the right side."""
        return value >= self.bound if self.is_lower else value <= self.bound


def values(runs: pd.DataFrame, column: str, system: str, cell: Cell) -> pd.Series:
    """Select one measure of one system by round."""
    chosen = runs[(runs["system"] == system) & (runs[CELL] == list(cell)).all(axis=1)]
    return chosen.set_index("round")[column]


def _ratio(column: str, system: str, other: str, cell: Cell) -> Measure:
    return lambda runs: values(runs, column, system, cell) / values(runs, column, other, cell)


def _added(system: str, cell: Cell) -> Measure:
    """Median response time that the proxy adds to that of no proxy, over what twemproxy adds."""

    def added(runs: pd.DataFrame) -> pd.Series:
        alone = values(runs, ALTERNATING, DIRECT, cell)
        ours = values(runs, ALTERNATING, system, cell) - alone
        return ours / (values(runs, ALTERNATING, TWEMPROXY, cell) - alone)

    return added


def _hold(system: str, workload: str, many: int, few: int) -> Measure:
    """Throughput with many connections over that with few."""
    return lambda runs: (
        values(runs, THROUGHPUT, system, (workload, many, 4096, 1))
        / values(runs, THROUGHPUT, system, (workload, few, 4096, 1))
    )


def targets() -> list[Target]:
    """List what the middleware is held to."""
    listed = [target for workload in ("get", "set") for target in _targets_of(workload)]
    return [*listed, *_multi_get_targets()]


def _targets_of(workload: str) -> Iterator[Target]:
    large, small, one = (workload, 64, 4096, 1), (workload, 64, 128, 1), (workload, 1, 4096, 1)

    def least(name: str, bound: float, of: Measure) -> Target:
        return Target(name=f"{workload}: {name}", bound=bound, is_lower=True, of=of)

    def most(name: str, bound: float, of: Measure) -> Target:
        return Target(name=f"{workload}: {name}", bound=bound, is_lower=False, of=of)

    yield least("pipelined / relay, throughput", 0.95, _ratio(THROUGHPUT, PIPELINED, RELAY, large))
    yield most("pipelined / relay, CPU per request", 1.15, _ratio(CPU, PIPELINED, RELAY, large))
    yield least(
        "pipelined / twemproxy, throughput", 1.2, _ratio(THROUGHPUT, PIPELINED, TWEMPROXY, large)
    )
    yield most("pipelined / twemproxy, p99", 1.0, _ratio(P99, PIPELINED, TWEMPROXY, large))
    yield least(
        "pipelined / twemproxy, throughput, 128 B",
        1.0,
        _ratio(THROUGHPUT, PIPELINED, TWEMPROXY, small),
    )
    yield least(
        "sequential -t 64 / twemproxy, throughput",
        0.85,
        _ratio(THROUGHPUT, SEQUENTIAL_64, TWEMPROXY, large),
    )
    for depth in (4, 16, 64):
        deep, name = (workload, 8, 128, depth), f"depth {depth}: {PIPELINED}"
        yield least(
            f"{name} / twemproxy, throughput", 0.9, _ratio(THROUGHPUT, PIPELINED, TWEMPROXY, deep)
        )
        yield most(f"{name} / twemproxy, p99", 1.2, _ratio(P99, PIPELINED, TWEMPROXY, deep))
        yield least(
            f"{name} / {MEMCACHED_PROXY}, throughput",
            1.0,
            _ratio(THROUGHPUT, PIPELINED, MEMCACHED_PROXY, deep),
        )
    for system in (PIPELINED, SEQUENTIAL_64):
        yield most(f"{system} / twemproxy, added p50, 1 connection", 1.0, _added(system, one))
    yield least(
        "pipelined, throughput at 10 000 connections / at 1000",
        0.8,
        _hold(PIPELINED, workload, 10_000, 1000),
    )
    yield most(
        "pipelined, RSS at 10 000 connections (MiB)",
        512,
        lambda runs: values(runs, "proxy_rss_mib", PIPELINED, (workload, 10_000, 4096, 1)),
    )
    # For comparison: what the machine and the yardsticks themselves do.
    for system, other in (
        (PIPELINED, DIRECT),
        (RELAY, TWEMPROXY),
        (RELAY_EACH, TWEMPROXY),
        (SEQUENTIAL_64, RELAY_EACH),
    ):
        yield most(
            f"{system} / {other}, throughput",
            float("inf"),
            _ratio(THROUGHPUT, system, other, large),
        )
    for system in (DIRECT, TWEMPROXY):
        yield most(
            f"{system}, throughput at 10 000 connections / at 1000",
            float("inf"),
            _hold(system, workload, 10_000, 1000),
        )
    yield most(
        "instrumentation: CPU with / without",
        float("inf"),
        _ratio(CPU, PIPELINED, UNINSTRUMENTED, large),
    )
    for name, column in (("throughput", THROUGHPUT), ("CPU per request", CPU)):
        yield most(
            f"one of 100 requests followed: {name} with / without",
            float("inf"),
            _ratio(column, FOLLOWING, PIPELINED, large),
        )
    for system, over_tcp in ((UNIX, PIPELINED), (DIRECT_UNIX, DIRECT)):
        yield most(
            f"{over_tcp}: Unix sockets / TCP, throughput",
            float("inf"),
            _ratio(THROUGHPUT, system, over_tcp, large),
        )
    yield most(
        f"{PIPELINED}: Unix sockets / TCP, CPU per request",
        float("inf"),
        _ratio(CPU, UNIX, PIPELINED, large),
    )
    for system, loop in ((PIPELINED_KTOR, PIPELINED), (SEQUENTIAL_64_KTOR, SEQUENTIAL_64)):
        for name, column in (("throughput", THROUGHPUT), ("CPU per request", CPU)):
            yield most(
                f"{loop}: ktor / loop, {name}", float("inf"), _ratio(column, system, loop, large)
            )


def _multi_get_targets() -> Iterator[Target]:
    for system in (PIPELINED, SEQUENTIAL_64):
        yield Target(
            name=f"multi-get of 9 keys, 3 servers: {system} / twemproxy, throughput",
            bound=1.2 if system == PIPELINED else float("inf"),
            is_lower=system == PIPELINED,
            of=_ratio(THROUGHPUT, system, TWEMPROXY, ("multi-get", 64, 4096, 1)),
        )


def judge(runs: pd.DataFrame) -> pd.DataFrame:
    """Median and range over the rounds of what each target is about; targets not measured left out.

    Returns
    -------
    pandas.DataFrame
        Columns `target`, `bound` (text), `median`, `min`, `max`, `is_met`.
    """
    rows = []
    for target in targets():
        by_round = target.of(runs).dropna()
        if by_round.empty:
            continue
        sign = ">=" if target.is_lower else "<="
        is_bounded = target.bound != float("inf")
        rows.append(
            {
                "target": target.name,
                "bound": f"{sign} {target.bound:g}" if is_bounded else "",
                "median": by_round.median(),
                "min": by_round.min(),
                "max": by_round.max(),
                "is_met": target.is_met_by(by_round.median()) if is_bounded else None,
            }
        )
    return pd.DataFrame(rows, columns=["target", "bound", "median", "min", "max", "is_met"])


def cells(runs: pd.DataFrame) -> pd.DataFrame:
    """Medians over the rounds of each system under each load, and ratios to twemproxy.

    Returns
    -------
    pandas.DataFrame
        One row per load and system; the load's name (`load`), the columns of `runs`, and for
        throughput, p99 and the proxy's CPU time `<column>_ratio`, its `_min` and its `_max`.
    """
    reference = runs[runs["system"] == TWEMPROXY].set_index(["round", *CELL])
    keyed = runs.set_index(["round", *CELL])
    ratios = {
        f"{measure}_ratio": (keyed[measure] / reference[measure].reindex(keyed.index)).to_numpy()
        for measure in (THROUGHPUT, P99, CPU)
    }
    by_system = runs.assign(**ratios).groupby([*CELL, "system"], sort=False)
    medians = by_system.median(numeric_only=True)
    for name in ratios:
        medians[f"{name}_min"] = by_system[name].min()
        medians[f"{name}_max"] = by_system[name].max()
    medians = medians.reset_index().sort_values(CELL, kind="stable")
    by_load = medians[CELL].to_numpy().tolist()
    names = [Load(**dict(zip(CELL, cell, strict=True))).name for cell in by_load]
    return medians.assign(load=names)


def ratio_text(row: Mapping[Hashable, Any], measure: str) -> str:
    """Text of a ratio to twemproxy in a row of `cells`: the median, and the range of the rounds."""
    median, least, most = (row[f"{measure}_ratio{end}"] for end in ("", "_min", "_max"))
    return f"{median:.2f} ({least:.2f} to {most:.2f})"


def table(runs: pd.DataFrame) -> str:
    """Text of all loads and systems: medians over the rounds, ratios to twemproxy with their range.

    CPU times are in microseconds for each request.
    """
    ratio = "/ twemproxy"
    lines = [
        f"{'load':<18} {'system':<25} {'op/s':>8} {ratio:>20} {'p50 ms':>8} "
        f"{'p99 ms':>8} {ratio:>20} {'CPU us: proxy':>14} {ratio:>20} {'servers':>8} {'clients':>8}"
    ]
    for row in cells(runs).to_dict("records"):
        lines.append(
            f"{row['load']:<18} {row['system']:<25} "
            f"{row[THROUGHPUT]:>8.0f} {ratio_text(row, THROUGHPUT):>20} "
            f"{row['response_time_p50_ms']:>8.3f} {row[P99]:>8.3f} {ratio_text(row, P99):>20} "
            f"{row[CPU]:>14.2f} {ratio_text(row, CPU) if row[CPU] else '':>20} "
            f"{row['servers_cpu_s_per_million']:>8.2f} {row['generator_cpu_s_per_million']:>8.2f}"
        )
    return "\n".join(lines)


def verdicts(runs: pd.DataFrame) -> str:
    """Text of all targets, each with what was measured."""
    lines = []
    for row in judge(runs).itertuples():
        verdict = "" if row.is_met is None else "met" if row.is_met else "MISSED"
        spread = f"{row.median:>7.2f}  ({row.min:.2f} to {row.max:.2f})"
        lines.append(f"{row.target:<66} {row.bound:>8} {spread:<28} {verdict}")
    return "\n".join(lines)


def limits(runs: pd.DataFrame) -> str:
    """Say whether the generator or other work on the machine stood in the way."""
    busiest = runs.groupby(CELL)["generator_utilization"].median().max()
    generator = (
        "the generator was not the limit"
        if busiest < 0.9
        else "in some cells the generator was the limit"
    )
    others = runs["other_cpu_share"].median()
    return (
        f"generator threads busy for at most {busiest:.0%} of the time (medians): {generator}; "
        f"other work took {others:.0%} of the machine's CPU time"
    )
