"""Machines of studies, fitted to designs that machines with known numbers were measured with."""

from collections.abc import Callable
from functools import cache

import numpy as np
import pandas as pd
from simulated_sections import cells_until_known

from analysis.studies.machines.fit import INEXACT, fit
from analysis.studies.machines.five_numbers import Machines, throughputs
from analysis.studies.machines.printed_sets import STUDIES, set_cells

USUAL = Machines(
    alone_per_s=3000, exponent=0.3, middleware_s=100e-6, forwarding_s=15e-6, slowest=1.3
)
CAMPAIGNS = 40  # of three studies; each is fitted for seconds
FACTOR = 1.5  # each number is within it of the usual one
CLIENTS = 48  # fewer than the studies', which takes less time
SPREAD = 0.5  # of runs, in goals


def machines(*, of_numbers: bool) -> Callable[..., list[bool]]:
    """Intervals of the numbers of machines, or of the sets that they predict of any cell.

    Cells are those of three studies, the network is `INEXACT` in each of them.
    """

    def run(rng: np.random.Generator, goal: float, repetitions: tuple[int, int]) -> list[bool]:
        logarithms = {
            study: USUAL.logarithms() + np.log(FACTOR) * rng.uniform(-1, 1, len(USUAL.logarithms()))
            for study in STUDIES
        }
        cells = _cells()
        truth = pd.concat(
            pd.Series(throughputs(Machines.of_logarithms(logarithms[study]), own), own.index)
            for study, own in cells.groupby("study")
        )[cells.index]
        levels = truth * np.exp(INEXACT * rng.normal(size=len(truth)))
        runs = cells_until_known(rng, levels, (SPREAD,) * len(levels), goal, repetitions)
        means = [np.mean(own) for own in runs]
        errors = [np.std(own, ddof=1) / np.sqrt(len(own)) / np.mean(own) for own in runs]
        found = fit(cells.assign(published=means, relative_error=errors))
        if not of_numbers:
            return _hold(found.predictions, truth[found.predictions.index])
        return _hold(found.numbers, np.exp(np.concatenate([logarithms[s] for s in STUDIES])))

    return run


@cache
def _cells() -> pd.DataFrame:
    cells = set_cells()
    return cells.assign(num_clients=cells["num_clients"].clip(upper=CLIENTS))


def _hold(found: pd.DataFrame, truth: np.ndarray | pd.Series) -> list[bool]:
    return list((found["ci_low"] <= truth) & (truth <= found["ci_high"]))


MACHINES = {
    "numbers of a study's machines": machines(of_numbers=True),
    "sets that a study's machines predict": machines(of_numbers=False),
}
