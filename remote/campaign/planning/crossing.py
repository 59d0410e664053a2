"""Where a limit is crossed, by a straight line through rates that cannot be told from it singly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from scipy.special import stdtrit

from analysis.statistics.intervals import CONFIDENCE
from remote.campaign.planning.probe import Probe

FEWEST_RATES = 3
STRAIGHT = 1.3  # times the lowest of its rates: so far a curve is taken for a line


def crossing(probes: Sequence[Probe], limit_ms: float) -> tuple[float, float] | None:
    r"""Return the 95 % interval of the rate at which what is limited crosses its limit.

    A line goes through the logarithms of rates and of what was measured, each repetition a point.
    A rate :math:`x_0` is in the interval where the line's own interval holds the limit :math:`y_0`:

    .. math::

        (a + b (x_0 - \bar x) - y_0)^2 \le t_{0.975;\,n-2}^2\, s^2
        \left(\frac{1}{n} + \frac{(x_0 - \bar x)^2}{S_{xx}}\right)

    Returns
    -------
    The two rates; None where there are too few rates, too far apart, or no slope to be sure of.

    References
    ----------
    Fieller 1954, doi:10.1111/j.2517-6161.1954.tb00159.x; Draper & Smith 1998, section 3.2.
    """
    points = [(probe.rate_per_s, value) for probe in probes for value in probe.values_ms]
    rates = {rate for rate, _ in points}
    if len(rates) < FEWEST_RATES or max(rates) > STRAIGHT * min(rates):
        return None
    x, y = np.log(np.array(points)).T
    count, from_mean = len(points), x - x.mean()
    spread = float(from_mean @ from_mean)
    slope = float(from_mean @ y) / spread
    residuals = y - y.mean() - slope * from_mean
    quantile = float(stdtrit(count - 2, (1 + CONFIDENCE) / 2))
    allowed = quantile**2 * float(residuals @ residuals) / (count - 2)
    offset = float(y.mean()) - math.log(limit_ms)
    # The inequality as one in d = x0 - mean(x): square d^2 + 2 slope offset d + ... <= 0.
    square = slope**2 - allowed / spread
    if slope <= 0 or square <= 0:
        return None
    middle = float(x.mean()) - slope * offset / square
    half = math.sqrt(allowed * (square / count + offset**2 / spread)) / square
    return math.exp(middle - half), math.exp(middle + half)
