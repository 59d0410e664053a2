r"""Open arrivals: what M/M/1, M/D/1, M/G/1 and M/M/m predict beside what was measured.

A request waits for one of m equal servers, is served, and spends a time elsewhere that does not
depend on the load (the network, other processors). Only the waiting time differs between models.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from analysis.comparison import compare
from analysis.queueing import mmm

FloatArray = NDArray[np.float64]
TOLERANCE = 0.1


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
    Jain 1991, box 31.2 (M/M/m), section 31.7 (M/G/1, M/D/1); Lee & Longton 1959,
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
        Columns `upper_edge_ms`, `count` (`analysis.histograms`).
    """
    counts = histogram["count"].to_numpy(dtype=float)
    if counts.sum() < 2:
        return float("nan")
    times = histogram["upper_edge_ms"].to_numpy(dtype=float)
    mean = np.average(times, weights=counts)
    return float(np.average((times - mean) ** 2, weights=counts) / mean**2)


def compare_open(
    cells: pd.DataFrame,
    *,
    service_time: float | pd.Series,
    num_servers: int = 1,
    other_time: float | pd.Series = 0.0,
    models: Mapping[str, float] | None = None,
    service_scv: float | None = None,
    tolerance: float = TOLERANCE,
) -> pd.DataFrame:
    """Put the response times that each model predicts beside those of measured Poisson runs.

    Parameters
    ----------
    cells
        From `analysis.summary.cells`, one row per arrival rate: `arrival_rate_per_s` and
        `client_throughput_ops_per_s_mean`, `client_response_time_ms_mean` and its interval.
    service_time
        Mean of the station, in seconds; one value or one per cell.
    num_servers
        Of the station: 1 for a link, the number of workers of all middlewares.
    other_time
        Seconds that a request spends elsewhere, whatever the load.
    models
        Name to squared coefficient of variation of the service times; by default M/M and M/D, and
        M/G with `service_scv`, if that is given.
    service_scv
        As measured, for the reason in the verdict.

    Returns
    -------
    pandas.DataFrame
        One row per cell and model: `model`, `arrival_rate_per_s` (asked for),
        `measured_rate_ops_per_s`, `utilization`, then as `analysis.comparison.compare`, in ms, the
        reason saying also whether the model's assumptions hold.

    Raises
    ------
    ValueError
        No cell with an arrival rate, or an argument out of its domain.
    """
    known = cells.get("arrival_rate_per_s", pd.Series(np.nan, cells.index)).notna()
    if not known.any():
        raise ValueError("no cell has an arrival_rate_per_s: open loops are needed")
    cells = cells[known]
    rate = cells["client_throughput_ops_per_s_mean"]
    service = pd.Series(service_time, cells.index, dtype=float)
    utilization = rate * service / num_servers
    if models is None:
        models = {f"M/M/{num_servers}": 1.0, f"M/D/{num_servers}": 0.0}
        if service_scv is not None:
            models[f"M/G/{num_servers}"] = service_scv
    parts = []
    for model, variation in models.items():
        waits = waiting_time(rate, service, num_servers, variation)
        predicted = pd.Series((waits + service + other_time) * 1000, cells.index)
        compared = compare(cells, predicted, "client_response_time_ms", tolerance)
        notes = [
            _assumptions(*row, variation, service_scv)
            for row in zip(cells["arrival_rate_per_s"], rate, utilization, strict=True)
        ]
        compared["reason"] = compared["reason"] + "; " + pd.Series(notes, cells.index)
        leading = {
            "model": model,
            "arrival_rate_per_s": cells["arrival_rate_per_s"],
            "measured_rate_ops_per_s": rate,
            "utilization": utilization,
        }
        parts.append(pd.concat([pd.DataFrame(leading, index=cells.index), compared], axis=1))
    return pd.concat(parts, ignore_index=True)


def _assumptions(
    asked: float, arrived: float, utilization: float, variation: float, measured: float | None
) -> str:
    """Say which assumption of a model fails."""
    if utilization >= 1:
        return f"utilization {utilization:.2f}: there is no steady state"
    fails = []
    if abs(arrived / asked - 1) > 0.05:
        fails.append(f"{arrived / asked:.0%} of the requests asked for arrived")
    if measured is not None and abs(measured - variation) > 0.2:
        fails.append(f"service times have an SCV of {measured:.2f}, not {variation:.2f}")
    return " and ".join(fails) or "its assumptions hold as far as measured"
