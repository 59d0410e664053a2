"""Sections whose cells lend each other their spread, measured in blocks until each is known."""

from dataclasses import dataclass

import numpy as np
from simulated_campaigns import Outcome

from analysis.statistics.intervals import FloatArray
from analysis.statistics.precision.stopping import Standing, standing
from analysis.statistics.spread import usual_spread


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Cells whose runs differ by a normal deviation; `spreads` are in goals, one for each."""

    spreads: tuple[float, ...]
    errors: float = 0.2  # of a run by itself, in goals

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
        cells = [values[:count] for values, count in zip(runs, made, strict=True)]
        usual = usual_spread([(each.std(ddof=1) / each.mean()) ** 2 for each in cells], made - 1)
        return [
            standing(
                list(each),
                goal=goal,
                repetitions=repetitions,
                errors=[self.errors * goal] * len(each),
                usual=usual,
            )
            for each in cells
        ]


def _outcome(cell: Standing) -> Outcome:
    holds = bool(abs(cell.mean - 1) <= cell.half_width)
    return Outcome(cell=cell, holds=holds, each_holds=holds, told_apart=1, seen=1)
