r"""The model of a 2^k r design: effects, the variation they explain, their intervals.

Every factor has two levels, coded -1 and +1; every combination was measured r times. Where each
repetition of the whole design was made in a time of its own, it is a block, whose effect is told
from the experimental error. statsmodels fits it by least squares.

In such a design every effect is a sum of all cells with signs, so that all have the same variance:
the mean of the cells' variances over 2^k r, which the pooled error estimates whether or not cells
differ. A sandwich estimator (HC3) can therefore only widen all intervals alike. What is wrong where
variances differ are the degrees of freedom: then they are Welch's and Satterthwaite's.

References
----------
Jain 1991, chapters 17 (2^k), 18 (2^k r), section 18.8 (multiplicative model); Montgomery 2013,
section 5.6 (blocking in a factorial design); Satterthwaite 1946, doi:10.2307/3002019.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from analysis.statistics.factorial.coding import (
    MEAN,
    blocks_of,
    cells_of,
    check_arguments,
    coded_levels,
    count_repetitions,
    responses_of,
    sign_table,
)

__all__ = ["MEAN", "FactorialResult", "analyse"]

# Of the largest response: what is smaller is left by rounding, which differs by processor.
_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class FactorialResult:
    r"""Effects of a 2^k r design.

    Attributes
    ----------
    model
        ``additive``, or ``multiplicative``: then everything below is of log10(response).
    factors
        Letter to factor, in the order given.
    repetitions
        r.
    freedom
        Degrees of freedom of the error.
    equal_variances
        Whether the error was taken to be the same in all cells.
    effects
        Indexed ``I`` (the mean), ``A``, ``B``, ..., ``AB``, ...: `effect` (q),
        `variation_explained` (:math:`2^k r q^2 / SST`, a fraction; NaN for the mean), `ci_low`,
        `ci_high`, `significant` (the interval does not hold 0). Without repetitions (r = 1) there
        is no error to judge by: the interval is NaN and `significant` missing.
    sst, sse
        Total variation about the mean, and the part left to experimental error.
    error_variation
        SSE / SST.
    block_variation
        The blocks' part of SST, a fraction; 0 without blocks.
    residuals
        Row by row as in the frame: `cell` (the signs of its factors, ``+-+``), `block`, `predicted`
        (mean of the cell, and its block's difference from the mean), `residual`.
    max_min_ratio
        Largest over smallest response; if large, compare with the multiplicative model. NaN
        where a response is not above 0.
    """

    model: str
    factors: dict[str, str]
    repetitions: int
    freedom: float
    equal_variances: bool
    effects: pd.DataFrame
    sst: float
    sse: float
    error_variation: float
    block_variation: float
    residuals: pd.DataFrame
    max_min_ratio: float


def analyse(
    frame: pd.DataFrame,
    factors: Sequence[str],
    response: str,
    model: str = "additive",
    confidence: float = 0.95,
    *,
    block: str | None = None,
    filled: int = 0,
    equal_variances: bool = True,
) -> FactorialResult:
    r"""Estimate the effects of k factors and allocate the variation to them.

    .. math::

        q_j = \frac{1}{2^k} \sum_i s_{ij} \bar y_i, \quad SS_j = 2^k r q_j^2, \quad
        SST = \sum_{j \ne I} SS_j + SSB + SSE

        q_j \pm t_{1 - \alpha / 2;\, \nu} \sqrt{\frac{SSE}{\nu}} \frac{1}{\sqrt{2^k r}}

    where :math:`s_{ij}` is the sign of effect j in combination i and :math:`\bar y_i` the mean
    response there; :math:`\nu = 2^k (r - 1)` degrees of freedom, without blocks (SSB = 0). With
    blocks, whose means are :math:`\bar y_b`, they are :math:`(2^k - 1)(r - 1)`, and
    :math:`SSB = 2^k \sum_b (\bar y_b - \bar y)^2`. The effects are differences within blocks; the
    mean is not, so that with blocks its interval is that of the r blocks' means,

    .. math:: q_I \pm t_{r - 1}\, \sqrt{\frac{SSB}{2^k (r - 1)}} \frac{1}{\sqrt r}

    Parameters
    ----------
    frame
        One row per repetition; other columns are left alone.
    factors
        1 to 5 columns coded -1 / +1; the first is called A, the second B, ...
    model
        ``additive``, or ``multiplicative`` for log10(response), all responses above 0.
    confidence
        Of the intervals, in (0, 1).
    block
        Column that tells which repetition of the whole design a row is of; every combination
        stands in every block once.
    filled
        How many rows were not measured but filled in; each takes a degree of freedom.
    equal_variances
        Whether the error is the same in all cells. If not, with :math:`s_i^2` of each cell,

        .. math:: \nu = \frac{(\sum_i s_i^2)^2}{\sum_i s_i^4 / (r - 1)}

        which is not more than above; the error itself stays as it is.

    Raises
    ------
    ValueError
        An argument out of its domain, a level other than -1 and +1, a missing combination or
        response, combinations with different numbers of repetitions, or incomplete blocks.
    """
    check_arguments(factors, model, confidence)
    wanted = (*factors, response, *([block] if block else []))
    absent = [name for name in wanted if name not in frame]
    if absent:
        raise ValueError(f"columns {absent} are missing in {list(frame)}")
    levels = coded_levels(frame, factors)
    measured = responses_of(frame, response, model)
    values = measured if model == "additive" else np.log10(measured)
    repetitions = count_repetitions(levels, factors)
    names, signs = sign_table(levels)
    size = len(values)  # 2^k r
    rounding = _ROUNDING * np.abs(values).max()
    blocks = blocks_of(frame, levels, block, repetitions)
    fitted = _fit(signs, values, blocks)
    effect = np.where(np.abs(fitted.effects) <= rounding, 0.0, fitted.effects)
    residual = np.where(np.abs(fitted.residuals) <= rounding, 0.0, fitted.residuals)
    of_block = values - residual - signs @ effect
    of_block[np.abs(of_block) <= rounding] = 0.0
    sum_of_squares = size * effect**2
    sse = float(residual @ residual) if repetitions > 1 else 0.0
    ssb = float(of_block @ of_block)
    sst = float(sum_of_squares[1:].sum()) + ssb + sse
    cells = cells_of(levels)
    freedom = fitted.freedom - filled
    if not equal_variances and freedom >= 1:
        freedom = min(freedom, _satterthwaite(residual, cells, repetitions, block is not None))
    half_width = np.full(
        len(names), _half_width(sse, fitted.freedom - filled, size, freedom, confidence)
    )
    if block is not None and repetitions > 1 and freedom >= 1:
        half_width[0] = _half_width(ssb, repetitions - 1, size, repetitions - 1, confidence)
    explained = sum_of_squares / sst if sst else np.full(len(names), np.nan)
    effects = pd.DataFrame(
        {
            "effect": effect,
            "variation_explained": np.append(np.nan, explained[1:]),
            "ci_low": effect - half_width,
            "ci_high": effect + half_width,
            "significant": pd.array(np.abs(effect) > half_width, dtype="boolean"),
        },
        index=names,
    )
    if freedom < 1:
        effects["significant"] = pd.array([pd.NA] * len(names), dtype="boolean")
    rows = {"cell": cells, "block": blocks, "predicted": values - residual, "residual": residual}
    return FactorialResult(
        model=model,
        factors=dict(zip(levels.columns, factors, strict=True)),
        repetitions=repetitions,
        freedom=freedom,
        equal_variances=equal_variances,
        effects=effects,
        sst=sst,
        sse=sse,
        error_variation=sse / sst if sst else np.nan,
        block_variation=ssb / sst if sst else np.nan,
        residuals=pd.DataFrame(rows, index=frame.index),
        max_min_ratio=float(measured.max() / measured.min()) if measured.min() > 0 else np.nan,
    )


class _Fit(NamedTuple):
    """Effects in the order of the signs, residuals by row, degrees of freedom of the error."""

    effects: np.ndarray
    residuals: np.ndarray
    freedom: float


def _fit(signs: np.ndarray, values: np.ndarray, blocks: np.ndarray) -> _Fit:
    """Fit effects and blocks, whose differences from the mean add up to 0, by least squares."""
    from statsmodels.regression.linear_model import OLS  # here: a second, for every kernel

    _, number = np.unique(blocks, return_inverse=True)
    columns = np.eye(number.max() + 1)[number]
    apart = columns[:, :-1] - columns[:, -1:]  # sum coding
    fitted = OLS(values, np.hstack([signs, apart])).fit()
    return _Fit(fitted.params[: signs.shape[1]], fitted.resid, fitted.df_resid)


def _satterthwaite(
    residual: np.ndarray, cells: np.ndarray, repetitions: int, has_blocks: bool
) -> float:
    """Degrees of freedom of the mean of the cells' variances.

    In blocks each cell's residuals hold a part of all cells' errors, which is taken off again
    (Grubbs 1948, doi:10.1080/01621459.1948.10483261).
    """
    squares = pd.Series(residual**2).groupby(cells).sum().to_numpy()
    size = len(squares)
    if has_blocks and size > 2:
        of_all = squares.sum() / (size * (size - 1))
        squares = np.maximum(squares - of_all, 0) / (1 - 2 / size)
    total = float((squares**2).sum())
    return float(squares.sum() ** 2 / total * (repetitions - 1)) if total else np.inf


def _half_width(
    squares: float, of_squares: float, size: int, freedom: float, confidence: float
) -> float:
    """Half width of an effect's interval; NaN without degrees of freedom."""
    if freedom < 1:
        return np.nan
    sd_of_effect = np.sqrt(squares / of_squares / size)
    return float(stdtrit(freedom, (1 + confidence) / 2) * sd_of_effect)
