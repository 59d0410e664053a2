r"""M/M/1 and M/M/m fed with what closed loops measured, by two recipes for the service rate.

The arrival rate is the mean throughput of a cell. The studies took the largest throughput of any
stable second for the service rate of all m workers together, whatever the cell. By the utilization
law a worker is busy for :math:`S = m U / X` a request, and m workers serve at :math:`m / S`. With
M/M/1 one server has the whole rate, with M/M/m each worker the m-th part.

The best second counts requests of the clock: it is known to one request, k op/s in undilated time
at time dilation k. Where the system is full, :math:`1 - \rho` is a few of these steps.
"""

import numpy as np
import pandas as pd

from analysis.models.open import mmm
from analysis.statistics.comparison import compare
from analysis.statistics.loads.curve import THINK_TIME, with_think_time
from analysis.units import MS_PER_S

RESPONSE_TIME = "middleware_response_time_ms"
SYSTEM = ["workload", "workers"]
SERVICE_TIMES, BEST_SECOND = "service times", "best second"
_THROUGHPUT, _BUSY = (
    "middleware_throughput_ops_per_s_mean",
    "middleware_worker_utilization_mean",
)


def best_seconds(windows: pd.DataFrame) -> pd.DataFrame:
    """Find the largest throughput of a stable second at the middlewares.

    Columns: `workload`, `workers`, `best_second_ops_per_s`, `step_ops_per_s` (one request of the
    clock).
    """
    seconds = windows[windows["stable"] & (windows["side"] == "middleware")]
    groups = seconds.groupby(SYSTEM)
    found = {
        "best_second_ops_per_s": groups["throughput_ops_per_s"].max(),
        "step_ops_per_s": groups["time_dilation"].max(),
    }
    return pd.DataFrame(found).reset_index()


def station_predictions(cells: pd.DataFrame, windows: pd.DataFrame) -> pd.DataFrame:
    """Put the response time that M/M/1 and M/M/m predict beside that measured in the middleware.

    One row per cell, recipe and model: `workload`, `workers`, `num_clients`, `think_time_s` where
    it varies, `service_rate_from` (``service times``, ``best second``), `model` (``M/M/1``,
    ``M/M/m``), `service_rate_ops_per_s` (of all workers), `utilization`, then as
    `analysis.statistics.comparison.compare`, in ms, and `one_request_more`, the prediction if the
    best second had counted one more; no prediction where the utilization is 1.

    Parameters
    ----------
    cells
        From `analysis.laws.summary.cells`, of one section with one middleware.
    """
    known = cells.dropna(subset=[_THROUGHPUT])
    if known.empty:
        raise ValueError("no cell has a middleware to model")
    known = known.merge(best_seconds(windows), on=SYSTEM)
    rate, workers = known[_THROUGHPUT], known["workers"].astype(int)
    service_time_s = (workers * known[_BUSY] / rate).where(known[_BUSY] > 0)
    recipes = {
        SERVICE_TIMES: (workers / service_time_s, pd.Series(np.nan, known.index)),
        BEST_SECOND: (known["best_second_ops_per_s"], known["step_ops_per_s"]),
    }
    names = with_think_time(known, [*SYSTEM, "num_clients"])
    parts = []
    for recipe, (service_rate, step) in recipes.items():
        for model, servers in (("M/M/1", workers * 0 + 1), ("M/M/m", workers)):
            leading = known[names].assign(
                service_rate_from=recipe,
                model=model,
                service_rate_ops_per_s=service_rate,
                utilization=rate / service_rate,
            )
            predicted = _response_time_ms(rate, service_rate, servers)
            compared = compare(known, predicted, RESPONSE_TIME)
            more = _response_time_ms(rate, service_rate + step, servers)
            trailing = more.rename("one_request_more")
            parts.append(pd.concat([leading, compared, trailing], axis="columns"))
    return pd.concat(parts, ignore_index=True)


def recipe_table(predictions: pd.DataFrame) -> pd.DataFrame:
    """Lay predictions out with two rows per cell, one for each recipe.

    Columns: `workload`, `workers`, `num_clients`, `think_time_s` where it varies,
    `service_rate_from`, `service_rate_ops_per_s`, `utilization`, `measured`, `M/M/1`, `M/M/m`,
    `M/M/1, one more` (all four in ms).
    """
    key = [*SYSTEM, "num_clients", THINK_TIME, "service_rate_from"]
    key = [name for name in key if name in predictions]
    one, many = (
        predictions[predictions["model"] == model].set_index(key) for model in ("M/M/1", "M/M/m")
    )
    table = one[["service_rate_ops_per_s", "utilization", "measured"]].assign(
        **{
            "M/M/1": one["predicted"],
            "M/M/m": many["predicted"],
            "M/M/1, one more": one["one_request_more"],
        }
    )
    return table.sort_index(level=key).reset_index()


def _response_time_ms(rate: pd.Series, service_rate: pd.Series, servers: pd.Series) -> pd.Series:
    """Mean response time in ms, NaN where the utilization is 1 or more or not known."""
    stable = rate < service_rate
    of_each = (service_rate / servers).where(stable, 1.0)
    station = mmm(np.where(stable, rate, 0.0), of_each.to_numpy(dtype=float), servers)
    return pd.Series(np.where(stable, station.response_time, np.nan) * MS_PER_S, index=rate.index)
