"""Intervals that tables, figures and claims show besides those of single cells.

Each function runs one campaign, which repeats its cells until every one of them is precise enough,
and returns whether the interval that is shown then holds the truth.
"""

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
import pandas as pd
from planted_systems import SingleStation
from shown_machines import MACHINES
from shown_searches import Search
from shown_simulations import replicated
from simulated_sections import cells_until_known

from analysis.laws.elasticities import elasticity, unexplained
from analysis.statistics.estimates import Estimate, ratio_of
from analysis.statistics.factorial.designs import analyse_shown
from analysis.statistics.factorial.model import MEAN
from analysis.statistics.intervals import aggregate, half_width_of_difference
from analysis.statistics.loads.capacity import capacities
from analysis.statistics.loads.curve import RESPONSE_TIME, THROUGHPUT
from analysis.statistics.precision.extrapolation import without_machine
from analysis.statistics.student import FloatArray
from analysis.statistics.within_run import percentile_of_seconds
from records.sensitivity import factors_of

Shown = Callable[[np.random.Generator, float, tuple[int, int]], Sequence[bool]]

LESS, MORE = factors_of(0.2)
SYSTEM = ["workload"]


def _holds(estimate: Estimate, truth: float) -> bool:
    low, high = estimate.interval()
    return low <= truth <= high


def ratio(spreads: tuple[float, float]) -> Shown:
    """Ratio of the means of two cells, as claims have it."""

    def run(rng: np.random.Generator, goal: float, repetitions: tuple[int, int]) -> list[bool]:
        above, below = cells_until_known(rng, (2, 1), spreads, goal, repetitions)
        return [_holds(ratio_of(above, below), 2)]

    return run


def difference(rng: np.random.Generator, goal: float, repetitions: tuple[int, int]) -> list[bool]:
    """Difference of the means of two cells."""
    pair = cells_until_known(rng, (2, 1), (0.3, 1.2), goal, repetitions)
    sds = tuple(np.std(own, ddof=1) for own in pair)
    half_width = half_width_of_difference((sds[0], sds[1]), (len(pair[0]), len(pair[1])))
    return [bool(abs(np.mean(pair[0]) - np.mean(pair[1]) - 1) <= half_width)]


def pooled_cells(rng: np.random.Generator, goal: float, repetitions: tuple[int, int]) -> list[bool]:
    """Mean over three cells that were measured in blocks which differ."""
    cells = cells_until_known(rng, (1, 1, 1), (0.5,) * 3, goal, repetitions, block=1, alike=True)
    rows = [
        {"cell": 1, "repetition": number, "x": value}
        for own in cells
        for number, value in enumerate(own)
    ]
    cell = aggregate(pd.DataFrame(rows), ["cell"], ["x"]).iloc[0]
    return [bool(cell["x_ci_low"] <= 1 <= cell["x_ci_high"])]


def slope(rng: np.random.Generator, goal: float, repetitions: tuple[int, int]) -> list[bool]:
    """Elasticity of throughput to a rate."""
    factors = (LESS, MORE)
    runs = cells_until_known(rng, [f**0.6 for f in factors], (0.3, 1.2), goal, repetitions)
    return [_holds(elasticity(dict(zip(factors, runs, strict=True))).slope, 0.6)]


def rest_of_slopes(
    rng: np.random.Generator, goal: float, repetitions: tuple[int, int]
) -> list[bool]:
    """What three elasticities lack of 1."""
    slopes = []
    for power, spread in ((0.5, 1.2), (0.2, 0.3), (0.1, 0.3)):
        factors = (LESS, MORE)
        runs = cells_until_known(rng, [f**power for f in factors], (spread,) * 2, goal, repetitions)
        slopes.append(elasticity(dict(zip(factors, runs, strict=True))).slope)
    return [_holds(unexplained(slopes), 0.2)]


def design(of_mean: bool, *, unlike: bool = False) -> Shown:
    """Mean, or the effects, of a 2^2 r design in blocks that differ."""

    def run(rng: np.random.Generator, goal: float, repetitions: tuple[int, int]) -> list[bool]:
        effects = {MEAN: 1.0, "A": 0.2, "B": 0.1, "AB": 0.0}
        levels = list(product((-1, 1), repeat=2))
        truths = [1 + 0.2 * a + 0.1 * b for a, b in levels]
        spreads = (0.3, 0.3, 0.3, 1.2) if unlike else (0.5,) * 4
        cells = cells_until_known(rng, truths, spreads, goal, repetitions, block=0.8, alike=True)
        rows = [
            {"a": a, "b": b, "block": number, "y": value}
            for (a, b), own in zip(levels, cells, strict=True)
            for number, value in enumerate(own)
        ]
        found = analyse_shown(pd.DataFrame(rows), ["a", "b"], "y", block="block").effects
        names = [MEAN] if of_mean else ["A", "B", "AB"]
        return [
            bool(found.loc[name, "ci_low"] <= effects[name] <= found.loc[name, "ci_high"])
            for name in names
        ]

    return run


def capacity(name: str, unit: str = "_ops_per_s") -> Shown:
    """Capacity or knee of a closed system with one server: R = max(R0, N s), smoothed."""

    def run(rng: np.random.Generator, goal: float, repetitions: tuple[int, int]) -> list[bool]:
        clients = np.array([2, 4, 8, 16, 24, 32, 48])
        times = (1 + (clients / 12.0) ** 4) ** 0.25
        truth = capacities(_loads(clients, times, [[t] * 3 for t in times]), SYSTEM)
        cells = cells_until_known(rng, list(times), (0.5,) * len(times), goal, repetitions)
        found = capacities(_loads(clients, times, cells), SYSTEM).iloc[0]
        wanted = float(truth[f"{name}{unit}"].iloc[0])
        low, high = (found[f"{name}_ci_{end}{unit}"] for end in ("low", "high"))
        return [bool(low <= wanted <= high)]

    return run


def _loads(
    clients: FloatArray, times: FloatArray, cells: Sequence[Sequence[float]]
) -> pd.DataFrame:
    """Aggregate response times in ms, and what throughput they have by the interactive law."""
    rows = [
        {"num_clients": n, RESPONSE_TIME: time, THROUGHPUT: 1000 * n / time, "repetition": number}
        for n, own in zip(clients, cells, strict=True)
        for number, time in enumerate(own)
    ]
    frame = aggregate(pd.DataFrame(rows), ["num_clients"], [RESPONSE_TIME, THROUGHPUT])
    return frame.assign(think_time_s=0.0, workload="set")


def without_the_machine(
    rng: np.random.Generator, goal: float, repetitions: tuple[int, int]
) -> list[bool]:
    """Result at 1/k = 0 of a line through time dilations, if one fits (`lab dilations`)."""
    dilations = (1, 2, 4, 8)
    truths = [1 + 0.3 / dilation for dilation in dilations]
    cells = cells_until_known(rng, truths, (0.5,) * len(truths), goal, repetitions)
    counts = [len(own) for own in cells]
    found = without_machine(np.concatenate(cells), np.repeat(dilations, counts))
    return [bool(found.low <= 1 <= found.high)] if found.fits else []


def run_percentile(percent: float) -> Shown:
    """Percentile of one run of M/M/1, if it has an interval."""

    def run(rng: np.random.Generator, goal: float, repetitions: tuple[int, int]) -> list[bool]:
        station = SingleStation(utilization=0.8)
        arrived, times = station.requests(rng, 60_000)
        begun = arrived >= 4000
        second = ((arrived[begun] - 4000) / 2000).astype(int)  # 2 000 services a second
        edges = np.geomspace(1e-2, 1e4, 3000)
        places = np.searchsorted(edges, times[begun])
        counts = np.zeros((second.max() + 1, len(edges)))
        np.add.at(counts, (second, places), 1)
        found = percentile_of_seconds(edges, counts[:20], percent)
        truth = -np.log(1 - percent / 100) / (1 - station.utilization)
        if np.isnan(found.low_ms) or np.isnan(found.high_ms):
            return []
        return [bool(found.low_ms <= truth <= found.high_ms)]

    return run


SHOWN: dict[str, Shown] = {
    "ratio of two cells": ratio((0.5, 0.5)),
    "ratio of two cells, one differs four times as much": ratio((0.3, 1.2)),
    "difference of two cells, one differs four times as much": difference,
    "mean over cells, blocks differ by the goal": pooled_cells,
    "elasticity, one cell differs four times as much": slope,
    "unexplained rest of three elasticities": rest_of_slopes,
    "effects of a 2^2 r design, blocks differ": design(of_mean=False),
    "effects of a 2^2 r design, one cell differs four times as much": design(
        of_mean=False, unlike=True
    ),
    "mean of a 2^2 r design, blocks differ": design(of_mean=True),
    "usable capacity": capacity("usable_capacity"),
    "nominal capacity": capacity("nominal_capacity"),
    "median of a single run, M/M/1 at 0.8": run_percentile(50),
    "90th percentile of a single run, M/M/1 at 0.8": run_percentile(90),
    "rate at a limit (`lab find`), M/M/1 at 0.8, runs differ by 3 %": Search(0.8, between=0.03),
    "rate at a limit (`lab find`), M/M/1 at 0.9, runs differ by 10 %": Search(0.9, between=0.1),
    "rate at a limit (`lab find`), M/M/1 at 0.5, runs differ by 5 %": Search(0.5, between=0.05),
    **MACHINES,
    "knee of throughput": capacity("knee_clients", unit=""),
    "result without the machine, over 1/k": without_the_machine,
    "prediction of repeated simulations": replicated,
}
