"""Yenicelik's predictions by M/M/1 and M/M/m, computed again."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from analysis.models import mm1, mmm
from analysis.statistics.student import FloatArray
from analysis.studies.printed import published_table
from analysis.studies.rows import ROUNDING, STATIONS, rows_of


def yenicelik_single_queue() -> pd.DataFrame:
    """Tables 5 and 6: M/M/1 from arrival and service rates, and its relative errors."""
    table = published_table("yenicelik2018", "t05_mm1_pred").set_index("worker_threads")
    station = mm1(table["lambda_ops_s"], table["mu_ops_s"])
    measures: dict[str, tuple[FloatArray, ArrayLike, str]] = {
        "rho": (station.utilization, 2e-5, ROUNDING),
        "pred_queue_len": (station.queue_length, 0.01 * table["pred_queue_len"], "1 %"),
        "pred_latency_ms": (station.response_time * 1000, 0.01 * table["pred_latency_ms"], "1 %"),
        "pred_wait_ms": (station.waiting_time * 1000, 0.01 * table["pred_wait_ms"], "1 %"),
    }
    rows = [
        rows_of(
            "yenicelik2018", STATIONS, "t05_mm1_pred", name, table[name],
            pd.Series(value, table.index), tolerance, "M/M/1 with the rates of table 5",
            "needs 11802 op/s, has 11810", within=within,
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
    name = ("yenicelik2018", STATIONS, "t07_mmm_pred")
    basis = "lambda / (m mu), m of both middlewares"
    beyond = "arrivals exceed service"
    parts = [rows_of(*name, "rho", table["rho"], offered, 0.005, basis, beyond)]
    low, at_rho, high = (_queue_and_times(table, rho) for rho in _printed_rho(table))
    for quantity, rederived in at_rho.items():
        spread = np.maximum(high[quantity] - rederived, rederived - low[quantity])
        parts.append(
            rows_of(
                *name, str(quantity), table[quantity], rederived, spread + 0.01 * rederived,
                "M/M/m with lambda and rho of table 7, m of both middlewares",
                within="1 %, rounding",
            )
        )  # fmt: skip
    return pd.concat([*parts, _relative_errors("t07_mmm_pred", "t08_mmm_err")])


def station_table() -> pd.DataFrame:
    """Give what Yenicelik observed, what he predicted, and what the models predict again.

    Columns: `measure` (``response_time_ms`` or ``queue_length``), `model`, `workers` (of one
    middleware), `observed`, `published`, `rederived`.
    """
    rederived = pd.concat([yenicelik_single_queue(), yenicelik_many_servers()])
    rows = []
    for model, table, errors in (
        ("M/M/1", "t05_mm1_pred", "t06_mm1_err"),
        ("M/M/m", "t07_mmm_pred", "t08_mmm_err"),
    ):
        observed = published_table("yenicelik2018", errors).set_index("worker_threads")
        for measure, name in (("response_time_ms", "latency_ms"), ("queue_length", "queue_len")):
            names = [f"pred_{name} {workers}" for workers in observed.index]
            found = rederived[rederived["table"] == table].set_index("quantity").loc[names]
            rows.append(
                pd.DataFrame(
                    {
                        "measure": measure,
                        "model": model,
                        "workers": observed.index,
                        "observed": observed[f"obs_{name}"].to_numpy(),
                        "published": found["published"].to_numpy(),
                        "rederived": found["rederived"].to_numpy(),
                    }
                )
            )
    return pd.concat(rows, ignore_index=True)


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
                "yenicelik2018", STATIONS, errors, f"relerr_{name}", table[f"relerr_{name}"],
                rederived, 0.005 * (1 + rederived.abs()),
                f"(predicted - observed) / observed, predictions of table {int(predictions[1:3])}",
            )
        )  # fmt: skip
    return pd.concat(rows)
