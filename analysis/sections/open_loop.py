r"""Open arrivals: what M/M/1, M/D/1, M/G/1, M/M/m and a token bucket predict beside measurements.

A request waits for one of m equal servers, is served, and spends a time elsewhere that does not
depend on the load (the network, other processors). Only the time at the station differs between
models.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis.laws.operational import FloatArray
from analysis.models import link_time, mmm
from analysis.statistics.comparison import compare
from analysis.units import MS_PER_S

TOKEN_BUCKET = "M/D/1, token bucket"
RESPONSE_TIME = "client_response_time_ms"
_RATE = "client_throughput_ops_per_s_mean"
_POINTS = 80  # of a curve
_COLUMNS = [
    "model",
    "arrival_rate_per_s",
    "utilization",
    "predicted",
    "measured",
    "ci_low",
    "ci_high",
    "relative_error",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class ServiceCenter:
    """What is known of the station where requests of an open loop wait, and of the way there.

    Attributes
    ----------
    cells
        What was measured of it, from `analysis.sections.summary.cells`, one row per arrival rate:
        `arrival_rate_per_s`, `client_throughput_ops_per_s_mean`, `client_response_time_ms_mean` and
        its interval; without a row where it was not measured.
    service_time
        Mean in seconds; one value, or one per cell.
    num_servers
        1 for a link, the number of workers of all middlewares.
    other_time
        Seconds that a request spends elsewhere, whatever the load.
    service_scv
        Squared coefficient of variation of the service times as measured, None where unknown.
    burst_time
        Of a link that is a token bucket: bits that the bucket holds over the rate, in seconds.
    """

    cells: pd.DataFrame
    service_time: float | pd.Series
    num_servers: int = 1
    other_time: float = 0.0
    service_scv: float | None = None
    burst_time: float = 0.0


@dataclass(frozen=True, kw_only=True)
class OpenModel:
    """A model of a station with Poisson arrivals.

    Attributes
    ----------
    name
        In Kendall's notation.
    service_scv
        Squared coefficient of variation of the service times.
    burst_time
        As of `ServiceCenter`; 0 for a model without a bucket.
    """

    name: str
    service_scv: float
    burst_time: float = 0.0

    def time_at(
        self, arrival_rate: ArrayLike, service_time: ArrayLike, num_servers: int = 1
    ) -> FloatArray:
        """Mean seconds at the station, NaN where the utilization is 1 or more."""
        if self.burst_time:
            return link_time(arrival_rate, service_time, self.burst_time)
        waits = waiting_time(arrival_rate, service_time, num_servers, self.service_scv)
        return np.asarray(waits + np.asarray(service_time), dtype=np.float64)


def models_of(center: ServiceCenter) -> list[OpenModel]:
    """List the models that are worth trying: M/M, M/D, M/G as measured, and with the bucket."""
    m, scv_measured = center.num_servers, center.service_scv
    models = [OpenModel(name=f"M/M/{m}", service_scv=1.0)]
    models += [OpenModel(name=f"M/D/{m}", service_scv=0.0)]
    if scv_measured:
        models.append(OpenModel(name=f"M/G/{m}", service_scv=scv_measured))
    if center.burst_time:
        models.append(OpenModel(name=TOKEN_BUCKET, service_scv=0.0, burst_time=center.burst_time))
    return models


def waiting_time(
    arrival_rate: ArrayLike,
    service_time: ArrayLike,
    num_servers: ArrayLike = 1,
    service_scv: float = 1.0,
) -> FloatArray:
    r"""Mean waiting time of a station with Poisson arrivals and any service times.

    .. math:: E[w] = \frac{1 + C^2}{2} E[w]_{M/M/m}

    with the squared coefficient of variation :math:`C^2` of the service times. For one server this
    is Pollaczek and Khinchine's formula, exact: 1 gives M/M/1, 0 gives M/D/1. For several servers
    it is an approximation unless :math:`C^2 = 1`.

    Parameters
    ----------
    arrival_rate
        Requests/s, >= 0.
    service_time
        Mean, > 0, in seconds.
    num_servers
        m >= 1.
    service_scv
        Squared coefficient of variation, >= 0.

    Returns
    -------
    numpy.ndarray
        Seconds, in the broadcast shape; NaN where the utilization is 1 or more.

    Raises
    ------
    ValueError
        An argument out of its domain.

    References
    ----------
    Jain 1991, chapter 31: box 31.2 (M/M/m), M/G/1 and M/D/1; Lee & Longton 1959,
    doi:10.2307/3007171 (several servers).
    """
    if not 0 <= service_scv < np.inf:
        raise ValueError(f"service_scv must be >= 0 and finite, got {service_scv}")
    times = np.asarray(service_time, dtype=np.float64)
    if not np.all(times > 0):
        raise ValueError(f"service_time must be > 0, got {times.min():g}")
    rate, mu, servers = np.broadcast_arrays(
        np.asarray(arrival_rate, dtype=np.float64), 1 / times, np.asarray(num_servers, dtype=float)
    )
    stable = rate < servers * mu
    station = mmm(np.where(stable, rate, 0.0), mu, servers)
    waits = (1 + service_scv) / 2 * station.waiting_time
    return np.asarray(np.where(stable, waits, np.nan))


def scv(histogram: pd.DataFrame) -> float:
    """Squared coefficient of variation of the times in a histogram; NaN below two samples.

    Parameters
    ----------
    histogram
        Columns `upper_edge_ms`, `count` (`analysis.results.histograms`).
    """
    counts = histogram["count"].to_numpy(dtype=float)
    if counts.sum() < 2:
        return float("nan")
    times = histogram["upper_edge_ms"].to_numpy(dtype=float)
    mean = np.average(times, weights=counts)
    return float(np.average((times - mean) ** 2, weights=counts) / mean**2)


def compare_open(center: ServiceCenter) -> pd.DataFrame:
    """Put the response times that each model predicts beside those of measured Poisson runs.

    Returns
    -------
    pandas.DataFrame
        One row per arrival rate and model: `model`, `arrival_rate_per_s` (asked for),
        `utilization`, then as `analysis.statistics.comparison.compare`, in ms; empty where nothing
        was measured.

    Raises
    ------
    ValueError
        An argument out of its domain.
    """
    cells = center.cells
    if cells.empty:
        return pd.DataFrame(columns=_COLUMNS)
    rate = cells[_RATE]
    parts = []
    for model in models_of(center):
        seconds = model.time_at(rate, center.service_time, center.num_servers) + center.other_time
        compared = compare(cells, pd.Series(seconds * MS_PER_S, cells.index), RESPONSE_TIME)
        leading = pd.DataFrame(
            {
                "model": model.name,
                "arrival_rate_per_s": cells["arrival_rate_per_s"],
                "utilization": rate * center.service_time / center.num_servers,
            }
        )
        parts.append(pd.concat([leading, compared], axis="columns"))
    return pd.concat(parts, ignore_index=True)


def open_curves(center: ServiceCenter) -> pd.DataFrame:
    """Predict response times at all rates between the smallest and the largest that was measured.

    Service times that were measured at each rate are interpolated between them.

    Returns
    -------
    pandas.DataFrame
        `model`, `utilization`, `response_time_ms`; empty where nothing was measured.
    """
    if center.cells.empty:
        return pd.DataFrame(columns=["model", "utilization", "response_time_ms"])
    known = center.cells.assign(service_time=center.service_time).sort_values(_RATE)
    rates = np.linspace(known[_RATE].iloc[0], known[_RATE].iloc[-1], _POINTS)
    service_time = np.interp(rates, known[_RATE], known["service_time"])
    parts = []
    for model in models_of(center):
        seconds = model.time_at(rates, service_time, center.num_servers) + center.other_time
        curve = {
            "model": model.name,
            "utilization": rates * service_time / center.num_servers,
            "response_time_ms": seconds * MS_PER_S,
        }
        parts.append(pd.DataFrame(curve))
    return pd.concat(parts, ignore_index=True)
