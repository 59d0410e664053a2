"""Sections of cells, measured in blocks until each cell is precise enough."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from simulated_campaigns import Outcome

from analysis.statistics.precision.stopping import Standing, standing
from analysis.statistics.student import FloatArray


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Cells whose runs differ by a normal deviation; `spreads` are in goals, one for each."""

    spreads: tuple[float, ...]

    def section(
        self, rng: np.random.Generator, goal: float, repetitions: tuple[int, int]
    ) -> list[Outcome]:
        """Measure blocks of one repetition until each cell is known or out of repetitions."""
        fewest, most = repetitions
        deviations = rng.normal(0, 1, (len(self.spreads), most))
        runs = 1 + goal * np.array(self.spreads)[:, np.newaxis] * deviations
        made = np.full(len(self.spreads), fewest)
        while True:
            found = self._standings(runs, made, goal, repetitions)
            left = np.array([not one.known for one in found]) & (made < most)
            if not left.any():
                return [_outcome(one) for one in found]
            made[left & (made == made[left].min())] += 1

    def _standings(
        self, runs: FloatArray, made: np.ndarray, goal: float, repetitions: tuple[int, int]
    ) -> list[Standing]:
        return [
            standing(list(values[:count]), goal=goal, repetitions=repetitions)
            for values, count in zip(runs, made, strict=True)
        ]


def _outcome(cell: Standing) -> Outcome:
    holds = bool(abs(cell.mean - 1) <= cell.half_width)
    return Outcome(cell=cell, holds=holds, each_holds=holds, told_apart=1, seen=1)


def cells_until_known(
    rng: np.random.Generator,
    truths: Sequence[float],
    spreads: Sequence[float],
    goal: float,
    repetitions: tuple[int, int],
    *,
    block: float = 0.0,
    alike: bool = False,
) -> list[list[float]]:
    """Measure cells in blocks until all are known; return the repetitions of each.

    Parameters
    ----------
    truths, spreads
        True mean of each cell, and the standard deviation of its runs in goals.
    block
        Standard deviation of what all runs of a block have in common, in goals.
    alike
        Whether all cells are repeated as often as the one that is repeated most.
    """
    most = repetitions[1]
    shares = 1 + goal * (
        np.array(spreads)[:, np.newaxis] * rng.normal(size=(len(truths), most))
        + block * rng.normal(size=most)
    )
    runs = np.array(truths)[:, np.newaxis] * shares
    counts = [_known_after(own, goal, repetitions) for own in runs]
    if alike:
        counts = [max(counts)] * len(counts)
    return [list(map(float, own[:count])) for own, count in zip(runs, counts, strict=True)]


def _known_after(runs: FloatArray, goal: float, repetitions: tuple[int, int]) -> int:
    """Return after how many repetitions a cell is precise enough, or the most that are made."""
    fewest, most = repetitions
    for count in range(fewest, most):
        if standing(list(runs[:count]), goal=goal, repetitions=repetitions).known:
            return count
    return most
