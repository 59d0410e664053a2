"""Repetitions of one cell that were in different regimes, told apart by their errors within."""

from collections.abc import Sequence

import numpy as np
from scipy.special import fdtr

from analysis.statistics.intervals import FloatArray
from analysis.statistics.precision.batches import LEAST_BATCHES

SIGNIFICANCE = 0.01


def regimes(
    means: Sequence[float], errors: Sequence[float], *, least: float = 0.0
) -> list[int] | None:
    r"""Tell apart repetitions that differ more than their errors within allow.

    Welch's analysis of variance asks whether all have one mean, whatever their errors. If not, they
    are divided at the widest gap, and each side is asked again. With weights
    :math:`w_i = 1 / e_i^2` of k means :math:`y_i`, each error of :math:`\nu` degrees of freedom,

    .. math::

        F = \frac{\sum w_i (y_i - \bar y)^2 / (k - 1)}{1 + 2 (k - 2) \Lambda / (k^2 - 1)}, \quad
        \Lambda = \sum \frac{(1 - w_i / \sum w)^2}{\nu}

    Parameters
    ----------
    means
        Of the repetitions: queue lengths or response times, shape (n,).
    errors
        Standard error of each from within its run, shape (n,).
    least
        The smallest gap between regimes that matters, in the unit of the means: runs of one regime
        never agree to the last digit.

    Returns
    -------
    list[int] | None
        The regime of each repetition, 0 for the one of the smallest mean; None if there is one, or
        none can be told for want of errors or of repetitions.

    References
    ----------
    Welch 1951, doi:10.1093/biomet/38.3-4.330.
    """
    values, within = np.asarray(means, dtype=float), np.asarray(errors, dtype=float)
    if values.shape != within.shape or (within < 0).any():
        raise ValueError(f"an error is needed for each of {len(values)} means, got {list(errors)}")
    if least < 0:
        raise ValueError(f"the smallest gap must not be below 0, got {least}")
    if len(values) < 2 or not np.isfinite([values, within]).all():
        return None
    rounding = np.finfo(float).eps * np.abs(values).max()
    order = np.argsort(values, kind="stable")
    groups = _divided(values[order], np.fmax(within[order], max(rounding, 1e-300)), least)
    if len(groups) == 1:
        return None
    labels = np.empty(len(values), dtype=int)
    labels[order] = np.repeat(np.arange(len(groups)), groups)
    return [int(label) for label in labels]


def _divided(values: FloatArray, within: FloatArray, least: float) -> list[int]:
    """Return the sizes of the groups of sorted values."""
    if len(values) < 2 or _p_value_of_one_mean(values, within) >= SIGNIFICANCE:
        return [len(values)]
    gaps = np.diff(values)
    at = int(np.argmax(gaps)) + 1
    if gaps[at - 1] < least:
        return [len(values)]
    return [
        *_divided(values[:at], within[:at], least),
        *_divided(values[at:], within[at:], least),
    ]


def _p_value_of_one_mean(values: FloatArray, within: FloatArray) -> float:
    count = len(values)
    weights = (within.min() / within) ** 2  # of the smallest error 1: no overflow
    total = weights.sum()
    away = (values - (weights * values).sum() / total) / within
    uncertainty = ((1 - weights / total) ** 2).sum() / (LEAST_BATCHES - 1)
    between = float((away**2).sum()) / (count - 1)
    statistic = between / (1 + 2 * (count - 2) * uncertainty / (count**2 - 1))
    return float(1 - fdtr(count - 1, (count**2 - 1) / (3 * uncertainty), statistic))
