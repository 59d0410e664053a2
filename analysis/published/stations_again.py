"""Yenicelik's predictions by M/M/1 and M/M/m, computed again."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis.laws.operational import FloatArray
from analysis.models import mm1, mmm
from analysis.published.printed import published_table
from analysis.published.rows import ROUNDING, rows_of


def yenicelik_single_queue() -> pd.DataFrame:
    """Tables 5 and 6: M/M/1 from arrival and service rates, and its relative errors."""
    table = published_table("yenicelik2018", "t05_mm1_pred").set_index("worker_threads")
    station = mm1(table["lambda_ops_s"], table["mu_ops_s"])
    inputs = published_table("yenicelik2018", "s7_inputs").set_index("worker_threads")
    unstable = inputs.index[inputs["lambda_ops_s"] >= inputs["mu_ops_s"]]
    remark = pd.Series("", table.index)
    remark[unstable] = (
        "the rates of section 7 are unstable; table 5 prints a service rate of 11810, but its rho "
        "belongs to 11802 and its queue and times to 11796 op/s"
    )
    measures: dict[str, tuple[FloatArray, ArrayLike, str]] = {
        "rho": (station.utilization, 2e-5, ROUNDING),
        "pred_queue_len": (station.queue_length, 0.01 * table["pred_queue_len"], "1 %"),
        "pred_latency_ms": (station.response_time * 1000, 0.01 * table["pred_latency_ms"], "1 %"),
        "pred_wait_ms": (station.waiting_time * 1000, 0.01 * table["pred_wait_ms"], "1 %"),
    }
    rows = [
        rows_of(
            "yenicelik2018", "t05_mm1_pred", name, table[name],
            pd.Series(value, table.index), tolerance, "M/M/1 with the rates of table 5", remark,
            within=within,
        )
        for name, (value, tolerance, within) in measures.items()
    ]  # fmt: skip
    return pd.concat([*rows, _relative_errors("t05_mm1_pred", "t06_mm1_err")])


def yenicelik_many_servers() -> pd.DataFrame:
    """Tables 7 and 8: M/M/m, where the m that fits is that of both middlewares together.

    The service rates are cut to whole op/s, so queue and times are computed from the printed rho,
    and agree if a rho that is printed so gives them.
    """
    table = published_table("yenicelik2018", "t07_mmm_pred").set_index("m_as_labelled")
    offered = table["lambda_ops_s"] / (2 * table.index * table["mu_ops_s"])
    remark = pd.Series("m is twice the label: the workers of both middlewares", table.index)
    unstable = remark.mask(
        offered >= 1, "arrivals above the service rate that is printed: it cannot be the one used"
    )
    name = ("yenicelik2018", "t07_mmm_pred")
    basis = "lambda / (m mu), m of both middlewares"
    parts = [rows_of(*name, "rho", table["rho"], offered, 0.005, basis, unstable)]
    low, at_rho, high = (_queue_and_times(table, rho) for rho in _printed_rho(table))
    for quantity, rederived in at_rho.items():
        spread = np.maximum(high[quantity] - rederived, rederived - low[quantity])
        parts.append(
            rows_of(
                *name, str(quantity), table[quantity], rederived, spread + 0.01 * rederived,
                "M/M/m with lambda and rho of table 7, m of both middlewares", remark,
                within="rounding of rho, and 1 %",
            )
        )  # fmt: skip
    return pd.concat([*parts, _relative_errors("t07_mmm_pred", "t08_mmm_err")])


def rounding_of_rho(workers: int) -> pd.Series:
    """Tell what the three digits of a rho of table 7 leave open of its queue.

    Parameters
    ----------
    workers
        As the table is labelled.

    Returns
    -------
    pandas.Series
        `rho_low`, `rho`, `rho_high`, `queue_low`, `queue`, `queue_high`, and `published`, the
        queue that he prints.
    """
    table = published_table("yenicelik2018", "t07_mmm_pred").set_index("m_as_labelled")
    rhos = _printed_rho(table)
    queues = [_queue_and_times(table, rho)["pred_queue_len"] for rho in rhos]
    named = {
        f"{name}{suffix}": float(values.loc[workers])
        for name, all_values in (("rho", rhos), ("queue", queues))
        for suffix, values in zip(("_low", "", "_high"), all_values, strict=True)
    }
    return pd.Series({**named, "published": float(table["pred_queue_len"].loc[workers])})


def offered_loads(workers: int) -> pd.Series:
    """Give the traffic intensity of a number of workers by each set of rates that he prints.

    Returns
    -------
    pandas.Series
        rho by ``section 7``, ``table 5`` and ``table 7`` (m of both middlewares).
    """
    inputs = published_table("yenicelik2018", "s7_inputs").set_index("worker_threads").loc[workers]
    single = (
        published_table("yenicelik2018", "t05_mm1_pred").set_index("worker_threads").loc[workers]
    )
    many = published_table("yenicelik2018", "t07_mmm_pred").set_index("m_as_labelled").loc[workers]
    return pd.Series(
        {
            "section 7": inputs["lambda_ops_s"] / inputs["mu_ops_s"],
            "table 5": single["lambda_ops_s"] / single["mu_ops_s"],
            "table 7": many["lambda_ops_s"] / (2 * workers * many["mu_ops_s"]),
        }
    )


def _printed_rho(table: pd.DataFrame) -> tuple[pd.Series, pd.Series, pd.Series]:
    """Least, printed and largest rho that the printed digits allow."""
    half_digit = np.where(table.index == 64, 5e-5, 5e-4)
    return table["rho"] - half_digit, table["rho"], table["rho"] + half_digit


def _queue_and_times(table: pd.DataFrame, rho: pd.Series) -> pd.DataFrame:
    servers = 2 * table.index.to_numpy()
    station = mmm(table["lambda_ops_s"], table["lambda_ops_s"] / rho / servers, servers)
    return pd.DataFrame(
        {
            "pred_queue_len": station.queue_length,
            "pred_latency_ms": station.response_time * 1000,
            "pred_wait_ms": station.waiting_time * 1000,
        },
        index=table.index,
    )


def _relative_errors(predictions: str, errors: str) -> pd.DataFrame:
    predicted = published_table("yenicelik2018", predictions)
    table = published_table("yenicelik2018", errors).set_index("worker_threads")
    predicted.index = table.index
    rows = []
    for name, unit in (("queue_len", ""), ("latency", "_ms"), ("wait", "_ms")):
        observed = table[f"obs_{name}{unit}"]
        rederived = predicted[f"pred_{name}{unit}"] / observed - 1
        rows.append(
            rows_of(
                "yenicelik2018", errors, f"relerr_{name}", table[f"relerr_{name}"], rederived,
                0.005 * (1 + rederived.abs()),
                f"(predicted - observed) / observed, predictions of table {int(predictions[1:3])}",
            )
        )  # fmt: skip
    return pd.concat(rows)
