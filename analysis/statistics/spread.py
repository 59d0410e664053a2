"""What the cells of a section tell of each other's spread, where each has few repetitions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.special import digamma, polygamma

FEWEST_CELLS = 3  # with a spread of their own, below which nothing is shared
_HALF_FREEDOM = (1e-3, 1e3)  # between which half the degrees of freedom of the usual are sought


@dataclass(frozen=True, kw_only=True)
class Usual:
    r"""How repetitions of cells that are measured alike differ.

    The cells' variances, relative to their squared means, are taken to be drawn from a scaled
    inverse chi-square distribution.

    Attributes
    ----------
    variance : float
        :math:`v_0`, squared coefficient of variation.
    freedom : float
        :math:`d_0`, how many degrees of freedom it is worth for a single cell: infinite where cells
        seem to differ by chance alone, near 0 where they do.
    of_all : float
        Degrees of freedom of all cells together, which a shared variance never has more than.
    """

    variance: float
    freedom: float
    of_all: float

    def shared(
        self, variance: ArrayLike, freedom: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        r"""Return the variance of cells as their own and the usual one tell it, and its freedom.

        .. math:: \tilde v = \frac{d_0 v_0 + d v}{d_0 + d}
        """
        own, of_own = np.asarray(variance, dtype=float), np.asarray(freedom, dtype=float)
        weight = 1 / (1 + of_own / self.freedom)
        both = weight * self.variance + (1 - weight) * own
        return both, np.minimum(self.freedom + of_own, self.of_all)


def usual_spread(variances: ArrayLike, freedom: ArrayLike) -> Usual | None:
    r"""Estimate what spread is usual from the cells' own.

    Mean and variance of :math:`\log v_i` tell both parameters.

    Parameters
    ----------
    variances
        Squared coefficients of variation of C cells, shape (C,); those without any are left out.
    freedom
        Of each, shape (C,).

    Returns
    -------
    Usual or None
        None with fewer than `FEWEST_CELLS` that have a spread.

    References
    ----------
    Smyth 2004, doi:10.2202/1544-6115.1027, sections 3 and 6.2.
    """
    own, of_own = np.asarray(variances, dtype=float), np.asarray(freedom, dtype=float)
    has_spread = (own > 0) & (of_own > 0)
    own, half = own[has_spread], of_own[has_spread] / 2
    if len(own) < FEWEST_CELLS:
        return None
    logs = np.log(own) - digamma(half) + np.log(half)
    differ = float(logs.var(ddof=1) - polygamma(1, half).mean())
    most, least = (float(polygamma(1, bound)) for bound in _HALF_FREEDOM)
    of_all = 2 * float(half.sum())
    if differ <= least:
        return Usual(variance=float(np.exp(logs.mean())), freedom=np.inf, of_all=of_all)
    of_usual = float(brentq(lambda at: polygamma(1, at) - min(differ, most), *_HALF_FREEDOM))
    usual = float(np.exp(logs.mean() + digamma(of_usual) - np.log(of_usual)))
    return Usual(variance=usual, freedom=2 * of_usual, of_all=of_all)


def shared_spread(sd: pd.Series, mean: pd.Series, repetitions: pd.Series) -> pd.DataFrame:
    """Estimate the spread of each cell from its own repetitions and from what is usual.

    Two repetitions have one difference, whose t is 12.7: an interval from it alone says nothing.
    Cells of one section are measured alike, and their coefficients of variation are alike, too, as
    far as they show it.

    Parameters
    ----------
    sd, mean, repetitions
        Of each cell, of one index.

    Returns
    -------
    pandas.DataFrame
        `sd` and `freedom` by cell; its own where too few have a spread (`usual_spread`), and for a
        cell without spread or mean. NaN below two repetitions.
    """
    own = sd.to_numpy(dtype=float, copy=True)
    freedom = repetitions.to_numpy(dtype=float) - 1
    freedom[~(freedom > 0)] = np.nan
    means = mean.to_numpy(dtype=float)
    sharing = (freedom > 0) & (own > 0) & (means != 0)
    relative = (own[sharing] / means[sharing]) ** 2
    usual = usual_spread(relative, freedom[sharing])
    if usual is not None:
        variance, of_both = usual.shared(relative, freedom[sharing])
        own[sharing] = np.sqrt(variance) * np.abs(means[sharing])
        freedom[sharing] = of_both
    return pd.DataFrame({"sd": own, "freedom": freedom}, index=sd.index)
