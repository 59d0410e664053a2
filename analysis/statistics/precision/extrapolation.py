"""What a result would be on a machine without any share in it: its limit over 1/k."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import fdtr

from analysis.statistics.student import QUANTILE_CONFIDENCE, FloatArray

SIGNIFICANCE = 0.05


@dataclass(frozen=True, kw_only=True)
class Limit:
    """A result at 1/k = 0 with its 95 % confidence interval.

    Attributes
    ----------
    value, low, high, slope : float
        Of the line over 1/k; NaN where the results do not lie on one.
    p_value : float
        Of the lack of fit; NaN where it cannot be tested: fewer than three k, or one run of each.
    """

    value: float
    low: float
    high: float
    slope: float
    p_value: float

    @property
    def fits(self) -> bool:
        """Whether nothing speaks against a line."""
        return not self.p_value < SIGNIFICANCE


def without_machine(
    results: ArrayLike, dilations: ArrayLike, errors: ArrayLike | None = None
) -> Limit:
    r"""Extrapolate a result over 1/k to 1/k = 0, where the machine takes no time.

    The machine adds what does not grow with the time dilation k, so that undilated results are
    :math:`y = a + b / k`; a is what is asked for. A line that does not fit is refused: with m
    different k the means at each are tested against the spread of their runs,

    .. math:: F_{m - 2,\, n - m} = \frac{SS_{lack} / (m - 2)}{SS_{pure} / (n - m)}

    Parameters
    ----------
    results, dilations
        Undilated result of each run and its k, shape (n,); of at least two k, and three runs.
    errors
        Standard error of each, for weights :math:`1 / e^2`; equal weights if None.

    Raises
    ------
    ValueError
        Fewer than three runs or two k, a k below 1, or values that are not finite or, of errors,
        not above 0.

    References
    ----------
    Jain 1991, sections 14.3 to 14.6 (line and intervals); Draper & Smith 1998, section 2.1 (lack
    of fit).
    """
    values, factors = np.asarray(results, dtype=float), np.asarray(dilations, dtype=float)
    deviations = np.ones_like(values) if errors is None else np.asarray(errors, dtype=float)
    if values.shape != factors.shape or values.shape != deviations.shape:
        raise ValueError("each result needs one time dilation, and one error if any")
    if not np.isfinite([values, factors, deviations]).all() or not (deviations > 0).all():
        raise ValueError("results and time dilations must be finite, and errors above 0")
    if len(values) < 3 or len(np.unique(factors)) < 2 or factors.min() < 1:
        raise ValueError(
            "a line over 1/k takes three runs, of two different k of at least 1; "
            f"got {factors.tolist()}"
        )
    p_value = _p_value_of_lack(values, factors, 1 / deviations**2)
    if p_value < SIGNIFICANCE:
        return Limit(value=np.nan, low=np.nan, high=np.nan, slope=np.nan, p_value=p_value)
    fitted = _fitted(values, factors, 1 / deviations**2)
    low, high = fitted.conf_int(1 - QUANTILE_CONFIDENCE)[0]
    value, slope = fitted.params
    return Limit(
        value=float(value), low=float(low), high=float(high), slope=float(slope), p_value=p_value
    )


def _fitted(values: FloatArray, factors: FloatArray, weights: FloatArray) -> Any:
    import statsmodels.api as sm  # here: a second, for every kernel

    return sm.WLS(values, sm.add_constant(1 / factors), weights=weights).fit()


def _p_value_of_lack(values: FloatArray, factors: FloatArray, weights: FloatArray) -> float:
    levels = np.unique(factors)
    between, within = len(levels) - 2, len(values) - len(levels)
    if between < 1 or within < 1:
        return np.nan
    means = np.empty_like(values)
    for level in levels:
        same = factors == level
        means[same] = np.average(values[same], weights=weights[same])
    pure = float((weights * (values - means) ** 2).sum())
    lack = max(0.0, float(_fitted(values, factors, weights).ssr) - pure)
    if pure == 0:
        return np.nan
    return float(1 - fdtr(between, within, (lack / between) / (pure / within)))
