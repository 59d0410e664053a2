"""Whether the errors of a 2^k r design are those that its intervals rest on.

References
----------
Cochran 1941, doi:10.1111/j.1469-1809.1941.tb02271.x (equal variances); Box & Cox 1964,
doi:10.1111/j.2517-6161.1964.tb00553.x, and Montgomery 2013, section 15.1.1 (transformation).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from analysis.statistics.factorial.model import FactorialResult
from analysis.statistics.student import CONFIDENCE

Array = NDArray[np.float64]

UNEQUAL = 0.05  # the p value below which variances are taken to differ
POWERS = np.linspace(-2, 2, 81)
_DRAWS, _SEED = 1999, 1


def p_of_equal_variances(result: FactorialResult) -> float:
    """Test whether all cells have the same variance, by Cochran's C.

    It is the largest cell's share of the squares of all residuals. Its distribution is that of
    designs of normal errors which are drawn here, with the same cells and blocks. Brown and
    Forsythe's test, which wants no normal errors, hardly finds anything with three repetitions:
    in each cell the residual in the middle is 0 from the median.

    The p value is NaN without repetitions, or without residuals.
    """
    residuals = _by_cell(result, result.residuals["residual"].to_numpy(dtype=float))
    if residuals.shape[-1] < 2 or not _has_errors(result):
        return float("nan")
    normal = np.random.default_rng(_SEED).normal(size=(_DRAWS, *residuals.shape))
    by_chance = _largest_share(_residuals(normal, _has_blocks(result)))
    as_large = np.count_nonzero(by_chance >= _largest_share(residuals))
    return float((1 + as_large) / (1 + _DRAWS))


def powers_that_fit(result: FactorialResult) -> tuple[float, float]:
    r"""Return the interval of Box and Cox's power of the response that fits the design.

    With the geometric mean :math:`\dot y` and the error :math:`SSE_\lambda` of

    .. math:: y^{(\lambda)} = \frac{y^\lambda - 1}{\lambda \dot y^{\lambda - 1}}, \quad
        y^{(0)} = \dot y \ln y

    a power fits where :math:`SSE_\lambda \le SSE_{min} (1 + t_{0.975;\,\nu}^2 / \nu)`. A power of 1
    is the additive model, 0 the multiplicative one.

    The ends are the smallest and the largest of `POWERS` that fit; NaN without repetitions or
    error, or where a response is not above 0.

    Parameters
    ----------
    result
        Of an additive model.
    """
    measured = result.residuals[["predicted", "residual"]].sum(axis="columns").to_numpy(dtype=float)
    without = result.repetitions < 2 or result.freedom < 1 or not _has_errors(result)
    if without or measured.min() <= 0:
        return float("nan"), float("nan")
    mean = np.exp(np.log(measured).mean())
    scaled = measured / mean
    powers = POWERS[:, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        transformed = np.where(powers == 0, np.log(scaled), (scaled**powers - 1) / powers)
    residuals = _residuals(_by_cell(result, transformed), _has_blocks(result))
    errors = (residuals**2).sum(axis=(-2, -1))
    freedom = result.freedom
    reach = 1 + stdtrit(freedom, (1 + CONFIDENCE) / 2) ** 2 / freedom
    fitting = POWERS[errors <= reach * errors.min()]
    return float(fitting[0]), float(fitting[-1])


def _has_errors(result: FactorialResult) -> bool:
    return bool(result.residuals["residual"].any())


def _has_blocks(result: FactorialResult) -> bool:
    return result.residuals["block"].nunique() > 1


def _by_cell(result: FactorialResult, values: Array) -> Array:
    """Arrange values of rows, shape (..., 2^k r), by cell and block, (..., 2^k, r)."""
    rows = result.residuals
    order = np.lexsort((rows["block"].to_numpy(), rows["cell"].to_numpy(dtype=str)))
    return np.asarray(values[..., order].reshape(*values.shape[:-1], -1, result.repetitions))


def _residuals(values: Array, has_blocks: bool) -> Array:
    """Return what cells, and blocks if there are any, leave of values, (..., 2^k, r)."""
    left = values - values.mean(axis=-1, keepdims=True)
    return np.asarray(left - left.mean(axis=-2, keepdims=True) if has_blocks else left)


def _largest_share(residuals: Array) -> Array:
    squares = (residuals**2).sum(axis=-1)
    return np.asarray(squares.max(axis=-1) / squares.sum(axis=-1))
