r"""How much throughput follows a rate: elasticities, measured or predicted, and what they sum to.

The elasticity of throughput X to a rate r is

.. math:: e_r = \frac{\partial \log X}{\partial \log r}

the percent by which X grows when r grows by one percent: 1 for the rate that limits alone, 0 for
one that limits nothing.

A closed system of N clients has counts (clients, workers, hosts, bytes of a message) and rates:
operations, bits or CPU seconds per second, and every time in it as 1/time. Throughput is a rate,
too. A clock that ticks c times as fast measures all rates c times as small and changes nothing, so

.. math:: X(c\, r_1, \ldots, c\, r_K;\; N) = c\, X(r_1, \ldots, r_K;\; N)

X is homogeneous of degree 1 in its rates. By Euler's theorem on such functions, which is this
equation differentiated by c at 1,

.. math:: \sum_k r_k \frac{\partial X}{\partial r_k} = X
          \quad\Longleftrightarrow\quad \sum_k e_{r_k} = 1

at any number of clients, saturated or not, whatever the distributions. What the rates that were
changed lack of 1 is therefore the share of those that were not: the unexplained rest.

Steps are the same both ways on a logarithmic scale, `factors_of`: with f up and 1/f down the
slopes of two rates that are all there are sum to 1 at any size of the step, not only as it goes to
0, for :math:`X(f a, b) = f X(a, b/f)`. With 1 + s and 1 - s they would not. Of three rates that is
not so: where :math:`X = \min(a, b, c)` with all three the same, each step down costs all of it and
no step up brings anything, so that the slopes over both sum to 3/2. Steps up alone sum to 1 at
most there, steps down to 1 at least.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.statistics.estimates import Estimate, exact, mean_of

ALL_RATES = 1.0  # what the elasticities of all rates sum to
_MIDDLE = 1.0


@dataclass(frozen=True, kw_only=True)
class Elasticity:
    """The slope of log throughput over the logarithm of a factor.

    Attributes
    ----------
    slope : Estimate
        Between the outermost factors.
    bend : Estimate or None
        The slope above factor 1 less the slope below it; None without cells on both sides and at 1.
    repetitions : int
        Of the outermost cells, the fewer.
    """

    slope: Estimate
    bend: Estimate | None
    repetitions: int

    @property
    def is_curved(self) -> bool:
        """Whether the halves differ by more than their errors: the slope holds for no small step.

        That is at a knee, where one thing limits below and another above.
        """
        if self.bend is None:
            return False
        low, high = self.bend.interval()
        return bool(low > 0 or high < 0)


def elasticity(throughputs: Mapping[float, Sequence[float]]) -> Elasticity:
    r"""Estimate an elasticity from the throughputs at factors of a rate or a count.

    .. math::

        e = \frac{\log \bar X_+ - \log \bar X_-}{\log f_+ - \log f_-}, \quad
        s_e^2 = \frac{v_+ + v_-}{(\log f_+ - \log f_-)^2}, \quad
        v = \frac{s^2}{r \bar X^2}

    by the delta method, with the degrees of freedom of Welch and Satterthwaite. The bend is another
    contrast of the same logarithms, so that it knows that both halves share the cell at 1.

    Parameters
    ----------
    throughputs
        Factor to one throughput per repetition; two factors or more. A single value, such as a
        model's, has no error, and the slope none that is known.

    Raises
    ------
    ValueError
        Fewer than two factors, one not above 0, a cell without values, or a throughput not above 0.

    References
    ----------
    Jain 1991, section 13.4.2 (Welch's degrees of freedom).
    """
    cells = {factor: _log_mean(factor, throughputs[factor]) for factor in throughputs}
    if len(cells) < 2:
        raise ValueError(f"an elasticity needs two factors or more, got {sorted(cells)}")
    low, high = min(cells), max(cells)
    reach = math.log(high / low)
    slope = _contrast({low: -1 / reach, high: 1 / reach}, cells)
    bend = None
    if low < _MIDDLE < high and _MIDDLE in cells:
        below, above = -1 / math.log(low), 1 / math.log(high)
        bend = _contrast({low: below, _MIDDLE: -below - above, high: above}, cells)
    counts = [int(np.isfinite(throughputs[factor]).sum()) for factor in (low, high)]
    return Elasticity(slope=slope, bend=bend, repetitions=min(counts))


def sum_of(slopes: Iterable[Estimate]) -> Estimate:
    """Sum slopes of rates, of which each was measured in cells of its own.

    The error is that of independent summands, with Welch's and Satterthwaite's degrees of freedom.
    """
    parts = list(slopes)
    return _weighted([(1.0, one) for one in parts]) if parts else exact(0.0)


def unexplained(slopes: Iterable[Estimate]) -> Estimate:
    """Return what the slopes of some rates lack of 1: the share of all rates not among them."""
    whole = sum_of(slopes)
    return Estimate(value=ALL_RATES - whole.value, error=whole.error, freedom=whole.freedom)


def _log_mean(factor: float, values: Sequence[float]) -> Estimate:
    """Estimate the logarithm of the mean throughput of a cell."""
    if not 0 < factor < math.inf:
        raise ValueError(f"factors must be > 0 and finite, got {factor}")
    mean = mean_of(values)
    if not mean.value > 0:
        raise ValueError(f"throughputs at factor {factor:g} must be > 0, got {list(values)}")
    return Estimate(value=math.log(mean.value), error=mean.error / mean.value, freedom=mean.freedom)


def _contrast(weights: Mapping[float, float], cells: Mapping[float, Estimate]) -> Estimate:
    return _weighted([(weight, cells[factor]) for factor, weight in weights.items()])


def _weighted(parts: Sequence[tuple[float, Estimate]]) -> Estimate:
    """Estimate a weighted sum of independent numbers."""
    variances = np.array([(weight * one.error) ** 2 for weight, one in parts])
    freedom = np.array([one.freedom for _, one in parts])
    total = float(variances.sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        welch = float(total**2 / (variances**2 / freedom).sum()) if total else float(freedom.min())
    return Estimate(
        value=sum(weight * one.value for weight, one in parts),
        error=math.sqrt(total),
        freedom=welch,
    )
