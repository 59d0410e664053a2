"""Sections of cells, measured in blocks until each cell is precise enough."""

from dataclasses import dataclass

import numpy as np
from simulated_campaigns import Outcome

from analysis.statistics.intervals import FloatArray
from analysis.statistics.precision.stopping import Standing, standing


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
