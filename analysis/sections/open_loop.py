r"""Open arrivals: what M/M/1, M/D/1, M/G/1, M/M/m and a token bucket predict beside measurements.

A request waits for one of m equal servers, is served, and spends a time elsewhere that does not
depend on the load (the network, other processors). Only the time at the station differs between
models.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis.laws.operational import FloatArray
from analysis.models import link_time, mmm
from analysis.statistics.comparison import MET, TOLERANCE, UNEXPLAINED, compare
from analysis.text.numbers import percent

TOKEN_BUCKET = "M/D/1, token bucket"
_OTHER_SCV = 0.2  # between model and measurement, from which the assumption does not hold
_OTHER_RATE = 0.05


@dataclass(frozen=True, kw_only=True, eq=False)
class ServiceCenter:
    """What is known of the station where requests of an open loop wait, and of the way there.

    Attributes
    ----------
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
    unserved_share
        Per cell, the share of the requests that took less than `other_time` and `service_time`
        together, 0..1; None where unknown.
    """

    service_time: float | pd.Series
    num_servers: int = 1
    other_time: float | pd.Series = 0.0
    service_scv: float | None = None
    burst_time: float = 0.0
    unserved_share: pd.Series | None = None


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

    def time_at(self, arrival_rate: ArrayLike, center: ServiceCenter) -> FloatArray:
        """Mean seconds at the station, NaN where the utilization is 1 or more."""
        if self.burst_time:
            return link_time(arrival_rate, center.service_time, self.burst_time)
        waits = waiting_time(
            arrival_rate, center.service_time, center.num_servers, self.service_scv
        )
        return np.asarray(waits + np.asarray(center.service_time), dtype=np.float64)


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


def compare_open(
    cells: pd.DataFrame,
    center: ServiceCenter,
    models: Sequence[OpenModel] | None = None,
    tolerance: float = TOLERANCE,
) -> pd.DataFrame:
    """Put the response times that each model predicts beside those of measured Poisson runs.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`, one row per arrival rate: `arrival_rate_per_s` and
        `client_throughput_ops_per_s_mean`, `client_response_time_ms_mean` and its interval.
    center
        The station.
    models
        By default `models_of` the station.

    Returns
    -------
    pandas.DataFrame
        One row per cell and model: `model`, `arrival_rate_per_s` (asked for),
        `measured_rate_ops_per_s`, `utilization`, then as `analysis.statistics.comparison.compare`,
        in ms, the reason saying also which of the model's assumptions explain the error, if any.

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
    facts = pd.DataFrame(
        {
            "arrival_rate_per_s": cells["arrival_rate_per_s"],
            "measured_rate_ops_per_s": rate,
            "utilization": rate * center.service_time / center.num_servers,
            "service_time": center.service_time,
            "other_time": center.other_time,
            "unserved_share": center.unserved_share,
        },
        cells.index,
    )
    parts = []
    for model in models_of(center) if models is None else models:
        predicted = (model.time_at(rate, center) + facts["other_time"]) * 1000
        compared = compare(cells, predicted, "client_response_time_ms", tolerance)
        judged = facts.join(compared[["relative_error", "verdict"]])
        compared["reason"] += [f"; {_why(model, center, row)}" for _, row in judged.iterrows()]
        leading = facts[["arrival_rate_per_s", "measured_rate_ops_per_s", "utilization"]]
        leading.insert(0, "model", model.name)
        parts.append(pd.concat([leading, compared], axis=1))
    return pd.concat(parts, ignore_index=True)


def _why(model: OpenModel, center: ServiceCenter, facts: pd.Series) -> str:
    """Explain an error by the assumptions that fail, where they lead to one of its sign."""
    if facts["utilization"] >= 1:
        return f"utilization {facts['utilization']:.2f}: there is no steady state"
    broken = _broken(model, center, facts)
    if facts["verdict"] in MET:
        if not broken:
            return "its assumptions hold as far as they were checked"
        return f"{' and '.join(broken)}, which matters little here"
    fitting = [words for words, sign in broken.items() if sign * facts["relative_error"] >= 0]
    return " and ".join(fitting) or UNEXPLAINED


def _broken(model: OpenModel, center: ServiceCenter, facts: pd.Series) -> dict[str, int]:
    """Assumptions that fail at one rate, in words, to the sign of the error that each leads to.

    Service times that vary less than a model has it, and messages that pass at once, make it
    predict too much. What other arrivals do is not known (0).
    """
    broken = {}
    arrived = facts["measured_rate_ops_per_s"] / facts["arrival_rate_per_s"]
    if abs(arrived - 1) > _OTHER_RATE:
        broken[f"arrivals came at {percent(arrived)} of the rate that was asked for"] = 0
    measured = center.service_scv
    if measured is not None and abs(measured - model.service_scv) > _OTHER_SCV:
        words = f"service times have an SCV of {measured:.2f}, not {model.service_scv:.2f}"
        broken[words] = 1 if model.service_scv > measured else -1
    if center.burst_time > model.burst_time:
        broken[_burst(center, facts)] = 1
    return broken


def _burst(center: ServiceCenter, facts: pd.Series) -> str:
    """Tell that messages pass a token bucket at once, and how many were seen to do so."""
    at_once = center.burst_time / facts["service_time"]
    words = f"the link lets {at_once:.1f} replies pass at once"
    if pd.isna(facts["unserved_share"]):
        return words
    least_ms = (facts["other_time"] + facts["service_time"]) * 1000
    return (
        f"{words}: {percent(facts['unserved_share'])} of the requests took less than "
        f"{least_ms:.2f} ms, what one reply needs at the link's rate and elsewhere"
    )
