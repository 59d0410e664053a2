r"""Open arrivals: what M/M/1, M/D/1, M/G/1, M/M/m and a token bucket predict beside measurements.

A request waits for one of m equal servers, is served, and spends a time elsewhere that does not
depend on the load (the network, other processors). Only the time at the station differs between
models. Each run is predicted from its own arrival rate and service time: waiting grows faster than
the utilization does, so that a prediction from means is not the mean of predictions.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis.models import link_time, mmm
from analysis.statistics.comparison import verdicts
from analysis.statistics.intervals import aggregate
from analysis.statistics.student import FloatArray
from analysis.units import MS_PER_S

TOKEN_BUCKET = "M/D/1, token bucket"
RESPONSE_TIME = "client_response_time_ms"
_RATE, _TIME = "measured_rate_per_s", "service_time_s"
KINDS = ("M/M/m", "M/D/m", "M/G/m", "token bucket")
_POINTS = 80  # of a curve
_AVERAGED = ["utilization", "machine_share", "predicted", "measured", "relative_error"]
_COLUMNS = [
    "model",
    "arrival_rate_per_s",
    "utilization",
    "machine_share",
    "predicted",
    "measured",
    "ci_low",
    "ci_high",
    "relative_error",
    "error_ci_low",
    "error_ci_high",
    "repetitions",
    "verdict",
]


@dataclass(frozen=True, kw_only=True, eq=False)
class ServiceCenter:
    """What is known of the station where requests of an open loop wait, and of the way there.

    Attributes
    ----------
    runs
        One row per run: `repetition`, `arrival_rate_per_s` (asked for), `measured_rate_per_s`,
        `service_time_s` (mean), `service_scv` (squared coefficient of variation of the service
        times, missing where not known), `client_response_time_ms`, `machine_share` (of the response
        time, missing where not told); without a row where nothing was measured.
    num_servers
        1 for a link, the number of workers of all middlewares.
    other_time
        Seconds that a request spends elsewhere, whatever the load.
    burst_time
        Of a link that is a token bucket: bits that the bucket holds over the rate, in seconds.
    """

    runs: pd.DataFrame
    num_servers: int = 1
    other_time: float = 0.0
    burst_time: float = 0.0


@dataclass(frozen=True, kw_only=True)
class OpenModel:
    """A model of a station with Poisson arrivals.

    Attributes
    ----------
    name
        In Kendall's notation.
    kind
        The same whatever the number of servers, such as ``M/G/m``.
    service_scv
        Squared coefficient of variation of the service times, None for that of each run.
    burst_time
        As of `ServiceCenter`; 0 for a model without a bucket.
    """

    name: str
    kind: str
    service_scv: float | None
    burst_time: float = 0.0

    def time_at(self, runs: pd.DataFrame, num_servers: int = 1) -> FloatArray:
        """Mean seconds at the station in each run, NaN where the utilization is 1 or more."""
        rate, service_time = runs[_RATE], runs[_TIME]
        if self.burst_time:
            return link_time(rate, service_time, self.burst_time)
        scvs = runs["service_scv"] if self.service_scv is None else self.service_scv
        waits = waiting_time(rate, service_time, num_servers, scvs)
        return np.asarray(waits + service_time, dtype=np.float64)


def models_of(center: ServiceCenter) -> list[OpenModel]:
    """List the models that are worth trying: M/M, M/D, M/G as measured, and with the bucket."""
    m = center.num_servers
    models = [OpenModel(name=f"M/M/{m}", kind="M/M/m", service_scv=1.0)]
    models += [OpenModel(name=f"M/D/{m}", kind="M/D/m", service_scv=0.0)]
    scvs = center.runs["service_scv"]
    if scvs.notna().all() and scvs.any():
        models.append(OpenModel(name=f"M/G/{m}", kind="M/G/m", service_scv=None))
    if center.burst_time:
        models.append(
            OpenModel(
                name=TOKEN_BUCKET,
                kind="token bucket",
                service_scv=0.0,
                burst_time=center.burst_time,
            )
        )
    return models


def waiting_time(
    arrival_rate: ArrayLike,
    service_time: ArrayLike,
    num_servers: ArrayLike = 1,
    service_scv: ArrayLike = 1.0,
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
    scvs = np.asarray(service_scv, dtype=np.float64)
    if not np.all((scvs >= 0) & (scvs < np.inf)):
        raise ValueError(f"service_scv must be >= 0 and finite, got {scvs.min():g}")
    times = np.asarray(service_time, dtype=np.float64)
    if not np.all(times > 0):
        raise ValueError(f"service_time must be > 0, got {times.min():g}")
    rate, mu, servers = np.broadcast_arrays(
        np.asarray(arrival_rate, dtype=np.float64), 1 / times, np.asarray(num_servers, dtype=float)
    )
    stable = rate < servers * mu
    station = mmm(np.where(stable, rate, 0.0), mu, servers)
    waits = (1 + scvs) / 2 * station.waiting_time
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


def run_errors(center: ServiceCenter) -> pd.DataFrame:
    """Predict the response time of each run from its own arrival rate and service time.

    Returns
    -------
    pandas.DataFrame
        One row per run and model: `model`, `arrival_rate_per_s` (asked for), `repetition`,
        `utilization`, `machine_share`, `predicted` and `measured` (ms), `relative_error`; no
        prediction where the utilization is 1 or more.

    Raises
    ------
    ValueError
        An argument out of its domain.
    """
    runs = center.runs
    parts = []
    for model in models_of(center):
        seconds = model.time_at(runs, center.num_servers) + center.other_time
        leading = runs[["arrival_rate_per_s", "repetition", "machine_share"]].assign(
            model=model.name,
            utilization=runs[_RATE] * runs[_TIME] / center.num_servers,
            predicted=seconds * MS_PER_S,
            measured=runs[RESPONSE_TIME],
        )
        errors = leading["predicted"] / leading["measured"] - 1
        parts.append(leading.assign(relative_error=errors))
    return pd.concat(parts, ignore_index=True)


def compare_open(center: ServiceCenter) -> pd.DataFrame:
    """Average over runs what each model predicts, what was measured, and the error of each run.

    Returns
    -------
    pandas.DataFrame
        One row per arrival rate and model: `model`, `arrival_rate_per_s` (asked for),
        `utilization`, `machine_share`, `predicted`, `measured` (ms, means over runs) with
        `ci_low`, `ci_high` (95 %, of the measurement), `relative_error` (mean of the runs') with
        `error_ci_low`, `error_ci_high`, `repetitions`, `verdict`
        (`analysis.statistics.comparison.verdicts`); no prediction where a run has none; empty where
        nothing was measured.
    """
    if center.runs.empty:
        return pd.DataFrame(columns=_COLUMNS)
    errors = run_errors(center)
    parts = []
    for model, own in errors.groupby("model", sort=False):
        means = aggregate(own, ["arrival_rate_per_s"], _AVERAGED)
        known = means["predicted_repetitions"] == means["measured_repetitions"]
        found = {
            "model": model,
            "arrival_rate_per_s": means["arrival_rate_per_s"],
            "utilization": means["utilization_mean"],
            "machine_share": means["machine_share_mean"],
            "predicted": means["predicted_mean"].where(known),
            "measured": means["measured_mean"],
            "ci_low": means["measured_ci_low"],
            "ci_high": means["measured_ci_high"],
            "relative_error": means["relative_error_mean"].where(known),
            "error_ci_low": means["relative_error_ci_low"].where(known),
            "error_ci_high": means["relative_error_ci_high"].where(known),
            "repetitions": means["measured_repetitions"],
        }
        rows = pd.DataFrame(found)
        rows["verdict"] = verdicts(rows["predicted"], rows["ci_low"], rows["ci_high"])
        parts.append(rows[_COLUMNS])
    return pd.concat(parts, ignore_index=True)


def open_curves(center: ServiceCenter) -> pd.DataFrame:
    """Predict response times at all rates between the smallest and the largest that was measured.

    Service times that were measured at each rate are interpolated between them.

    Returns
    -------
    pandas.DataFrame
        `model`, `utilization`, `response_time_ms`; empty where nothing was measured.
    """
    if center.runs.empty:
        return pd.DataFrame(columns=["model", "utilization", "response_time_ms"])
    columns = [_RATE, _TIME, "service_scv"]
    known = center.runs.groupby("arrival_rate_per_s")[columns].mean().sort_values(_RATE)
    rates = np.linspace(known[_RATE].iloc[0], known[_RATE].iloc[-1], _POINTS)
    points = pd.DataFrame({name: np.interp(rates, known[_RATE], known[name]) for name in columns})
    parts = []
    for model in models_of(center):
        seconds = model.time_at(points, center.num_servers) + center.other_time
        curve = {
            "model": model.name,
            "utilization": points[_RATE] * points[_TIME] / center.num_servers,
            "response_time_ms": seconds * MS_PER_S,
        }
        parts.append(pd.DataFrame(curve))
    return pd.concat(parts, ignore_index=True)


def error_rows(centers: Mapping[str, ServiceCenter]) -> pd.DataFrame:
    """Lay out the errors of all models at several stations.

    Parameters
    ----------
    centers
        Name to station.

    Returns
    -------
    pandas.DataFrame
        One row per station and arrival rate: `station`, `arrival_rate_per_s`, `utilization`,
        `machine_share`, `measured` (ms), and the mean relative error of each kind of model, such as
        `M/G/m`; missing where a station has no such model.
    """
    parts = [pd.DataFrame(columns=["station", *_COLUMNS[1:4], "measured"])]
    for station, center in centers.items():
        table = compare_open(center)
        kinds = {model.name: model.kind for model in models_of(center)}
        rows = table.drop_duplicates("arrival_rate_per_s").set_index("arrival_rate_per_s")
        rows = rows[["utilization", "machine_share", "measured"]]
        for name, own in table.groupby("model", sort=False):
            errors = own.set_index("arrival_rate_per_s")["relative_error"]
            rows = rows.assign(**{kinds[str(name)]: errors})
        parts.append(rows.reset_index().assign(station=station))
    filled = [part for part in parts if len(part)] or parts[:1]
    table = pd.concat(filled, ignore_index=True)
    return table[["station", *table.columns.drop("station")]]
