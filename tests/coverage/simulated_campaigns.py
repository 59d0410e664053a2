"""Campaigns that measure a system until it is known, and whether they were right."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from planted_systems import Run, System

from analysis.statistics.precision.batches import batch_means
from analysis.statistics.precision.split_by_regime import regimes
from analysis.statistics.precision.stopping import Standing, standing
from analysis.statistics.precision.warm_up import truncation
from analysis.statistics.student import FloatArray


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a campaign found, and how it is held against the truth.

    Attributes
    ----------
    holds : bool
        Whether the cell's interval holds the truth.
    each_holds : bool
        Whether those of the regimes that it tells apart do, each its own.
    told_apart : int
        Regimes that it tells.
    seen : int
        Regimes that its runs were in.
    """

    cell: Standing
    holds: bool
    each_holds: bool
    told_apart: int
    seen: int


def campaign(
    system: System, runs: Iterator[Run], *, goal: float, repetitions: tuple[int, int]
) -> Outcome:
    """Repeat until known or until there are the most repetitions.

    The first run is a pilot, which only tells the warm-up: cut off where its own slices say, a run
    would lose the busy starts and keep the idle ones.
    """
    pilot = next(runs)
    start = truncation(_slices(pilot))
    start = len(pilot.totals) // 2 if start is None else start
    means: list[float] = []
    errors: list[float] = []
    truths: list[float] = []
    while True:
        run = next(runs)
        measured = batch_means(run.totals[start:], run.weights[start:])
        means.append(measured.mean)
        errors.append(measured.error)
        truths.append(run.truth_from(start))
        cell = standing(means, goal=goal, repetitions=repetitions)
        if cell.known or len(means) == repetitions[1]:
            break
    truth = float(np.mean(truths)) if system.truth is None else system.truth
    labels = np.array(regimes(means, errors, least=goal * cell.mean) or [0] * len(means))
    each = []
    for label in np.unique(labels):
        own = np.flatnonzero(labels == label)
        found = standing([means[i] for i in own], goal=goal, repetitions=repetitions)
        of_regime = float(np.mean([truths[i] for i in own]))
        each.append(len(own) == 1 or _holds(found, of_regime))
    return Outcome(
        cell=cell,
        holds=_holds(cell, truth),
        each_holds=all(each),
        told_apart=len(each),
        seen=len(set(truths)),
    )


def _slices(run: Run) -> FloatArray:
    """Means of the slices, 0 for those in which nothing ended."""
    return np.divide(run.totals, run.weights, where=run.weights > 0, out=run.totals * 0)


def _holds(cell: Standing, truth: float) -> bool:
    return bool(abs(cell.mean - truth) <= cell.half_width)
