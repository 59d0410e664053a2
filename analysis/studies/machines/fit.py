"""The numbers of a study's machines from its factorial design, with intervals, and what follows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.optimize import least_squares

from analysis.statistics.student import FloatArray, t_quantile
from analysis.studies.machines.five_numbers import Machines, names, throughputs
from analysis.studies.machines.printed_sets import DESIGN, STUDIES

INEXACT = 0.05  # relative error that five numbers may leave, beside that of a mean
NEAR = 0.1
CONSTANT, GROWING = "the same time for every set", "less time the more sets wait"
# What is known before: each of the numbers is about that, give or take a factor of three.
_BEFORE = Machines(
    alone_per_s=3000, exponent=0.3, middleware_s=50e-6, forwarding_s=10e-6, slowest=1.2
)
_FACTOR = 3.0
_STEP = 1e-3  # of a logarithm, for derivatives
_NONE = 1e-9  # the exponent of a server that is not growing, whose logarithm must be finite


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """What the cells of all studies say.

    Attributes
    ----------
    numbers
        One row per study and number: `study`, `number`, `value`, `ci_low`, `ci_high`, in the units
        of `Machines`.
    predictions
        The cells with `predicted`, `ci_low`, `ci_high` in op/s.
    """

    numbers: pd.DataFrame
    predictions: pd.DataFrame


def fit(cells: pd.DataFrame, server: str = GROWING, *, chosen: pd.Series | None = None) -> Fit:
    """Fit each study to its factorial design, or to what is chosen, and predict all cells.

    The logarithms of the numbers have normal priors, wide ones, so that what a design does not tell
    stays what was known before; a cell's error is that of its mean and `INEXACT`. Intervals are
    those of a normal distribution about the best numbers (Gelman et al. 2013, section 4.1), as wide
    as all intervals are (`analysis.statistics.intervals`): errors of few repetitions are too small
    as often as too large.

    Parameters
    ----------
    server
        `GROWING`, or `CONSTANT` for a server that completes as many sets per second whatever it
        holds, as one with a constant share of a processor does.
    chosen
        Whether each cell is fitted; the design's are by default.
    """
    fitted = cells["part"] == DESIGN if chosen is None else chosen
    free = [place for place, name in enumerate(names()) if server == GROWING or name != "exponent"]
    numbers, predictions = [], []
    for study in STUDIES:
        own = cells[cells["study"] == study]
        best, covariance = _fitted(own[fitted[own.index]], free)
        values = np.exp(best)
        errors = np.zeros(len(best))
        errors[free] = np.sqrt(np.diag(covariance))
        table = {"study": study, "number": names(), "value": values}
        numbers.append(pd.DataFrame(table | _interval(values, errors)))
        predicted, slopes = _with_slopes(best, free, own)
        spread = np.sqrt(np.einsum("ci,ij,cj->c", slopes, covariance, slopes))
        predictions.append(own.assign(predicted=predicted, **_interval(predicted, spread)))
    return Fit(numbers=pd.concat(numbers), predictions=pd.concat(predictions))


def judged(predictions: pd.DataFrame) -> pd.DataFrame:
    """Tell how well each study's cells are predicted.

    One row per study and part of its cells: `study`, `part`, `cells`, `near` (cells that are
    predicted within 10 %), `median_error` (absolute) and `largest_error`, relative to what was
    published.
    """
    errors = predictions["predicted"] / predictions["published"] - 1
    rows = []
    for (study, part), own in errors.groupby([predictions["study"], predictions["part"]]):
        row = {
            "study": study,
            "part": part,
            "cells": len(own),
            "near": int((abs(own) <= NEAR).sum()),
        }
        largest = float(own.iloc[int(np.argmax(abs(own)))])
        rows.append(row | {"median_error": float(abs(own).median()), "largest_error": largest})
    return pd.DataFrame(rows)


def _fitted(design: pd.DataFrame, free: Sequence[int]) -> tuple[FloatArray, FloatArray]:
    """Return the best logarithms of all numbers, and the covariance of those that are `free`."""
    before = _BEFORE.logarithms()
    if len(free) < len(before):
        before[names().index("exponent")] = np.log(_NONE)
    told = design["relative_error"].fillna(0.0).to_numpy(float)
    errors = np.hypot(told, INEXACT)
    published = design["published"].to_numpy(float)

    def residuals(chosen: FloatArray) -> FloatArray:
        every = before.copy()
        every[free] = chosen
        predicted = throughputs(Machines.of_logarithms(every), design)
        from_before = (chosen - before[free]) / np.log(_FACTOR)
        return np.concatenate([np.log(predicted / published) / errors, from_before])

    # A middleware that is no bottleneck of any cell leaves no slope to follow: begin on both sides.
    busy = before + np.log(_FACTOR) * np.isin(names(), ("middleware_s", "forwarding_s"))
    tried = [
        least_squares(residuals, start[free], diff_step=_STEP, xtol=1e-4)
        for start in (before, busy)
    ]
    found = min(tried, key=lambda one: float(one.cost))
    best = before.copy()
    best[free] = found.x
    return best, np.linalg.inv(found.jac.T @ found.jac)


def _with_slopes(
    best: FloatArray, free: Sequence[int], cells: pd.DataFrame
) -> tuple[FloatArray, FloatArray]:
    """Predict the cells, and how their logarithms follow those of free numbers, (cells, free)."""
    predicted = throughputs(Machines.of_logarithms(best), cells)
    slopes = np.empty((len(cells), len(free)))
    for column, place in enumerate(free):
        moved = best.copy()
        moved[place] += _STEP
        slopes[:, column] = (
            np.log(throughputs(Machines.of_logarithms(moved), cells) / predicted) / _STEP
        )
    return predicted, slopes


def _interval(values: FloatArray, errors: FloatArray) -> dict[str, FloatArray]:
    """Return the ends of intervals about values whose logarithms have these standard errors."""
    reach = np.exp(t_quantile(np.inf) * errors)
    return {"ci_low": values / reach, "ci_high": values * reach}
