r"""Two-level factorial designs with repetitions, 2^k r.

Every factor has two levels, coded -1 and +1; every combination was measured r times. Where each
repetition of the whole design was made in a time of its own, it is a block, whose effect is told
from the experimental error.

References
----------
Jain 1991, chapters 17 (2^k), 18 (2^k r), section 18.8 (multiplicative model); Montgomery 2013,
section 5.6 (blocking in a factorial design).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_uppercase

import numpy as np
import pandas as pd
from scipy.special import stdtrit

MEAN = "I"
LARGEST_K = 5
MODELS = ("additive", "multiplicative")


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
        Row by row as in the frame: `predicted` (mean of the cell, and its block's difference from
        the mean), `residual`.
    max_min_ratio
        Largest over smallest response; if large, compare with the multiplicative model. NaN
        where a response is not above 0.
    """

    model: str
    factors: dict[str, str]
    repetitions: int
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
) -> FactorialResult:
    r"""Estimate the effects of k factors and allocate the variation to them.

    .. math::

        q_j = \frac{1}{2^k} \sum_i s_{ij} \bar y_i, \quad SS_j = 2^k r q_j^2, \quad
        SST = \sum_{j \ne I} SS_j + SSB + SSE

        q_j \pm t_{1 - \alpha / 2;\, \nu} \sqrt{\frac{SSE}{\nu}} \frac{1}{\sqrt{2^k r}}

    where :math:`s_{ij}` is the sign of effect j in combination i and :math:`\bar y_i` the mean
    response there; :math:`\nu = 2^k (r - 1)` degrees of freedom, without blocks (SSB = 0). With
    blocks, whose means are :math:`\bar y_b`, they are :math:`(2^k - 1)(r - 1)`, and
    :math:`SSB = 2^k \sum_b (\bar y_b - \bar y)^2`.

    Parameters
    ----------
    frame
        One row per repetition; other columns are left alone.
    factors
        1 to 5 columns coded -1 / +1; the first is called A, the second B, ...
    response
        Column of the measured response.
    model
        ``additive``, or ``multiplicative`` for log10(response), all responses above 0.
    confidence
        Of the intervals, in (0, 1).
    block
        Column that tells which repetition of the whole design a row is of; every combination
        stands in every block once.
    filled
        How many rows were not measured but filled in; each takes a degree of freedom.

    Raises
    ------
    ValueError
        An argument out of its domain, a level other than -1 and +1, a missing combination or
        response, combinations with different numbers of repetitions, or incomplete blocks.
    """
    _check_arguments(factors, model, confidence)
    wanted = (*factors, response, *([block] if block else []))
    absent = [name for name in wanted if name not in frame]
    if absent:
        raise ValueError(f"columns {absent} are missing in {list(frame)}")
    levels = _levels(frame, factors)
    measured = _responses(frame, response, model)
    values = measured if model == "additive" else np.log10(measured)
    repetitions = _repetitions(levels, factors)
    names, signs = _sign_table(levels)
    size = len(values)  # 2^k r
    rounding = 4 * np.finfo(np.float64).eps * np.abs(values).max()
    effect = signs.T @ values / size  # over all rows, which is over the means as r is the same
    effect[np.abs(effect) <= rounding] = 0.0
    of_block = _block_differences(frame, levels, values, block, repetitions)
    predicted = signs @ effect + of_block
    residual = values - predicted
    residual[np.abs(residual) <= rounding] = 0.0
    sum_of_squares = size * effect**2
    sse = float(residual @ residual) if repetitions > 1 else 0.0
    ssb = float(of_block @ of_block)
    sst = float(sum_of_squares[1:].sum()) + ssb + sse
    freedom = (len(names) - bool(block)) * (repetitions - 1) - filled
    half_width = _half_width(sse, size, freedom, confidence)
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
    return FactorialResult(
        model=model,
        factors=dict(zip(levels.columns, factors, strict=True)),
        repetitions=repetitions,
        effects=effects,
        sst=sst,
        sse=sse,
        error_variation=sse / sst if sst else np.nan,
        block_variation=ssb / sst if sst else np.nan,
        residuals=pd.DataFrame({"predicted": predicted, "residual": residual}, index=frame.index),
        max_min_ratio=float(measured.max() / measured.min()) if measured.min() > 0 else np.nan,
    )


def _check_arguments(factors: Sequence[str], model: str, confidence: float) -> None:
    if not 1 <= len(factors) <= LARGEST_K or len(set(factors)) != len(factors):
        raise ValueError(f"factors must be 1 to {LARGEST_K} different columns, got {list(factors)}")
    if model not in MODELS:
        raise ValueError(f"model must be one of {MODELS}, got {model!r}")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be in (0, 1), got {confidence}")


def _levels(frame: pd.DataFrame, factors: Sequence[str]) -> pd.DataFrame:
    """Coded levels under the letters A, B, ..."""
    levels = frame[list(factors)].set_axis(list(ascii_uppercase[: len(factors)]), axis="columns")
    wrong = ~levels.isin([-1, 1])
    if wrong.any(axis=None):
        raise ValueError(
            f"levels must be coded -1 or +1, got {levels.astype(object).to_numpy()[wrong][0]!r}"
        )
    return levels.astype(float)


def _responses(frame: pd.DataFrame, response: str, model: str) -> np.ndarray:
    try:
        values: np.ndarray = frame[response].to_numpy(dtype=float)
    except (ValueError, TypeError) as exc:
        raise ValueError(f"{response} must hold numbers: {exc}") from exc
    if not np.isfinite(values).all():
        raise ValueError(f"{response} must be finite, got {values[~np.isfinite(values)][0]}")
    if model == "multiplicative" and (values <= 0).any():
        raise ValueError(f"{response} must be > 0 for a multiplicative model, got {values.min():g}")
    return values


def _repetitions(levels: pd.DataFrame, factors: Sequence[str]) -> int:
    counts = levels.groupby(list(levels.columns)).size()
    combinations_wanted = 2 ** len(factors)
    if len(counts) != combinations_wanted:
        raise ValueError(
            f"all {combinations_wanted} combinations of {list(factors)} must be measured, "
            f"got {len(counts)}"
        )
    if counts.min() != counts.max():
        raise ValueError(
            f"every combination must have the same number of repetitions, got {counts.tolist()}"
        )
    return int(counts.iloc[0])


def _sign_table(levels: pd.DataFrame) -> tuple[list[str], np.ndarray]:
    """Effects in the order mean, factors, products of two, ..., and the signs of each row."""
    letters = list(levels.columns)
    groups = [list(g) for degree in range(len(letters) + 1) for g in combinations(letters, degree)]
    signs = np.column_stack([levels[group].prod(axis="columns") for group in groups])
    return ["".join(group) or MEAN for group in groups], signs


def _block_differences(
    frame: pd.DataFrame,
    levels: pd.DataFrame,
    values: np.ndarray,
    block: str | None,
    repetitions: int,
) -> np.ndarray:
    """Difference of each row's block from the mean; 0 without blocks, or with only one."""
    if block is None or repetitions == 1:
        return np.zeros(len(values))
    blocks = frame[block]
    if levels.assign(block=blocks).duplicated().any() or blocks.nunique() != repetitions:
        raise ValueError(f"every combination must stand once in each of the blocks of {block}")
    means = pd.Series(values, index=frame.index).groupby(blocks).transform("mean").to_numpy()
    differences: np.ndarray = means - values.mean()
    differences[np.abs(differences) <= 4 * np.finfo(np.float64).eps * np.abs(values).max()] = 0.0
    return differences


def _half_width(sse: float, size: int, freedom: int, confidence: float) -> float:
    """Half width of every effect's interval; NaN without degrees of freedom."""
    if freedom < 1:
        return np.nan
    sd_of_effect = np.sqrt(sse / freedom / size)
    return float(stdtrit(freedom, (1 + confidence) / 2) * sd_of_effect)
