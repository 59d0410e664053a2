r"""M/M/1 and M/M/m fed with the rates of closed loops, as the studies did.

The service rate is the largest throughput of any stable second, the arrival rate the mean
throughput of a cell. With m workers each serves at the m-th part of that rate.
"""

import numpy as np
import pandas as pd

from analysis.models.open import mmm
from analysis.statistics.comparison import MET, UNEXPLAINED, compare
from analysis.text.formatting import Format
from analysis.text.numbers import percent

MEASURES = {  # of the middleware, to the field of OpenStation that predicts it, and its factor
    "middleware_response_time_ms": ("response_time", 1000.0),
    "middleware_queueing_time_ms": ("waiting_time", 1000.0),
    "middleware_queue_length": ("queue_length", 1.0),
}
SYSTEM = ["workload", "workers"]
FORMATS: dict[str, Format] = {
    "measure": {
        "middleware_response_time_ms": "response time (ms)",
        "middleware_queueing_time_ms": "queueing time (ms)",
        "middleware_queue_length": "queue length",
    }.__getitem__,
    "utilization": ".3f",
}
SHARE = 0.5  # of an error, from which the service time is called its reason


def service_rates(windows: pd.DataFrame) -> pd.Series:
    """Largest throughput of a stable second at the middlewares, by workload and workers."""
    seconds = windows[windows["stable"] & (windows["side"] == "middleware")]
    return seconds.groupby(SYSTEM)["throughput_ops_per_s"].max().rename("service_rate_ops_per_s")


def station_predictions(
    cells: pd.DataFrame, windows: pd.DataFrame, num_middlewares: int = 1
) -> pd.DataFrame:
    """Put what M/M/1 and M/M/m predict of the middleware beside what was measured in it.

    Parameters
    ----------
    cells
        From `analysis.sections.summary.cells`, of one section with middlewares.
    windows
        `analysis.tables.frames.Tables.windows` of the same section.
    num_middlewares
        Whose workers together are the m servers.

    Returns
    -------
    pandas.DataFrame
        One row per cell, model (``M/M/1``, ``M/M/m``) and measure (`MEASURES`): `workload`,
        `workers`, `num_clients`, `model`, `measure`, `utilization`, `num_in_system` (predicted),
        then as `analysis.statistics.comparison.compare`, the reason saying what of the model does
        not hold.

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
    parts = []
    workers = known["workers"].to_numpy(dtype=int) * num_middlewares
    for model, servers in (("M/M/1", np.ones_like(workers)), ("M/M/m", workers)):
        station = mmm(np.where(stable, rate, 0.0), service_rate / servers, servers)
        in_system = np.where(stable, station.num_in_system, np.nan)
        for measure, (field, factor) in MEASURES.items():
            positive = known[f"{measure}_mean"] > 0
            predicted = pd.Series(np.where(stable, getattr(station, field), np.nan) * factor)
            compared = compare(known[positive], predicted[positive], measure)
            leading = known.loc[positive, [*SYSTEM, "num_clients"]].assign(
                model=model,
                measure=measure,
                utilization=(rate / service_rate)[positive],
                num_in_system=in_system[positive],
            )
            facts = leading.join(compared[["verdict", "predicted", "measured"]]).assign(
                service_ms=(1000 * servers / service_rate)[positive],
                measured_service_ms=known["middleware_service_time_ms_mean"],
                busy=known["middleware_worker_utilization_mean"],
            )
            why = [_why(row) for _, row in facts.iterrows()]
            parts.append(pd.concat([leading, compared.assign(reason=why)], axis="columns"))
    return pd.concat(parts, ignore_index=True)


def queueing_sentences(compared: pd.DataFrame) -> str:
    """Say which share of the time in the middleware is waiting for a worker, at the largest load.

    Parameters
    ----------
    compared
        From `station_predictions`.
    """
    times = compared.drop_duplicates([*SYSTEM, "num_clients", "measure"]).pivot_table(
        index=[*SYSTEM, "num_clients"], columns="measure", values="measured"
    )
    shares = times["middleware_queueing_time_ms"] / times["middleware_response_time_ms"]
    parts = []
    for workload, own in shares.dropna().groupby("workload"):
        loaded = own.groupby("workers").last()
        few, many = loaded.index.min(), loaded.index.max()
        more = f" and for {percent(loaded[many])} of it with {many}" if many > few else ""
        parts.append(f"a {workload} waits for {percent(loaded[few])} with {few} workers{more}")
    if not parts:
        return "How long requests wait for a worker is not known."
    return (
        "Of its time in the middleware at the largest load, "
        f"{'; '.join(parts)}: this is what the models call queueing. The rest is service."
    )


def _why(row: pd.Series) -> str:
    """Give the reason for an error: whatever of the model leads to one of its size and sign."""
    if row["verdict"] in MET:
        return "its assumptions do little harm here"
    if np.isnan(row["num_in_system"]):
        return "utilization 1: an open queue has no steady state, a closed one has"
    if row["num_in_system"] > row["num_clients"]:
        return (
            f"{row['num_in_system']:.0f} jobs predicted, but only {row['num_clients']} clients "
            "wait for replies"
        )
    error = row["predicted"] - row["measured"]
    longer = row["service_ms"] - row["measured_service_ms"]
    if row["measure"] == "middleware_response_time_ms" and longer / error >= SHARE:
        times = f"{row['service_ms']:.2f} ms, the measured one {row['measured_service_ms']:.2f} ms"
        return f"its service takes {times}"
    if error > 0:
        return "arrivals are not Poisson: who waits for a reply sends nothing, so that fewer queue"
    if row["busy"] > row["utilization"]:
        return (
            f"utilization {row['utilization']:.3f}, for the service rate is that of the best "
            f"second, but the workers were busy for {percent(row['busy'], 1)} of the time"
        )
    return UNEXPLAINED
