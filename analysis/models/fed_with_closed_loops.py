r"""M/M/1 and M/M/m fed with the rates of closed loops, as the studies did.

The service rate is the largest throughput of any stable second, the arrival rate the mean
throughput of a cell. With m workers each serves at the m-th part of that rate.
"""

import numpy as np
import pandas as pd

from analysis.models.open import mmm
from analysis.statistics.comparison import compare
from analysis.units import MS_PER_S

RESPONSE_TIME = "middleware_response_time_ms"
SYSTEM = ["workload", "workers"]


def service_rates(windows: pd.DataFrame) -> pd.Series:
    """Largest throughput of a stable second at the middlewares, by workload and workers."""
    seconds = windows[windows["stable"] & (windows["side"] == "middleware")]
    return seconds.groupby(SYSTEM)["throughput_ops_per_s"].max().rename("service_rate_ops_per_s")


def station_predictions(cells: pd.DataFrame, windows: pd.DataFrame) -> pd.DataFrame:
    """Put the response time that M/M/1 and M/M/m predict beside that measured in the middleware.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`, of one section with one middleware.
    windows
        `analysis.tables.frames.Tables.windows` of the same section.

    Returns
    -------
    pandas.DataFrame
        One row per cell and model (``M/M/1``, ``M/M/m``): `workload`, `workers`, `num_clients`,
        `model`, `utilization`, then as `analysis.statistics.comparison.compare`, in ms; no
        prediction where the utilization is 1.

    Raises
    ------
    ValueError
        No cell with a middleware.
    """
    known = cells.dropna(subset=["middleware_throughput_ops_per_s_mean"])
    if known.empty:
        raise ValueError("no cell has a middleware to model")
    known = known.merge(service_rates(windows).reset_index(), on=SYSTEM)
    rate = known["middleware_throughput_ops_per_s_mean"].to_numpy(dtype=float)
    service_rate = known["service_rate_ops_per_s"].to_numpy(dtype=float)
    stable = rate < service_rate
    workers = known["workers"].to_numpy(dtype=int)
    parts = []
    for model, servers in (("M/M/1", np.ones_like(workers)), ("M/M/m", workers)):
        station = mmm(np.where(stable, rate, 0.0), service_rate / servers, servers)
        predicted = pd.Series(np.where(stable, station.response_time, np.nan) * MS_PER_S)
        leading = known[[*SYSTEM, "num_clients"]].assign(
            model=model, utilization=rate / service_rate
        )
        compared = compare(known, predicted, RESPONSE_TIME)
        parts.append(pd.concat([leading, compared], axis="columns"))
    return pd.concat(parts, ignore_index=True)
