"""Laws and bandwidths of the published tables, computed again."""

import numpy as np
import pandas as pd

from analysis.laws.operational import interactive_response_time, littles_law
from analysis.models import message_bytes
from analysis.published.printed import khalil_conditions, published_summary, published_table
from analysis.published.rows import rows_of

VALUE_BYTES = 4096
STEP = 6  # memtier threads over all machines of section 3: the numbers of clients are multiples


def interactive_law() -> pd.DataFrame:
    """Response times at the clients from throughput and number of clients, section 3.

    Where a study does not print the number of clients, it is the load next to X R.
    """
    parts = []
    for section in ("3.1", "3.2"):
        table = published_summary(section).query("measured_on == 'clients'")
        for study, rows in table.groupby("study"):
            rows = rows.set_index("workload")
            throughput, response_time_ms = rows["throughput_ops_per_s"], rows["response_time_ms"]
            clients = number_of_clients(rows)
            rederived = interactive_response_time(clients, throughput) * 1000
            told = "as printed" if rows["num_clients"].notna().all() else "the load next to X R"
            in_system = littles_law(throughput, response_time_ms / 1000)
            remark = [
                f"N = {count}, {told}"
                + (
                    f"; X R = {there:.0f} are more clients than he had"
                    if there > 1.1 * count
                    else ""
                )
                for count, there in zip(clients, in_system, strict=True)
            ]
            parts.append(
                rows_of(
                    str(study), f"section {section}", "response_time_ms", response_time_ms,
                    pd.Series(rederived, rows.index), 0.03 * rederived,
                    "R = N / X, at the clients", pd.Series(remark, rows.index),
                    within="3 %", inferred=rows["num_clients"].isna(),
                )
            )  # fmt: skip
    return pd.concat(parts)


def number_of_clients(rows: pd.DataFrame) -> pd.Series:
    """Clients of one study's rows of `published_summary`: as printed, or the load next to X R.

    Loads are those of Yenicelik's sweep, or any multiple of 6 where no sweep is printed.
    """
    in_system = littles_law(rows["throughput_ops_per_s"], rows["response_time_ms"] / 1000)
    loads = STEP * np.arange(1, 100)
    if (rows["study"] == "yenicelik2018").all():
        prose = published_table("yenicelik2018", "prose").set_index("quantity")["value"]
        loads = STEP * np.array(str(prose["virtual clients per thread"]).split(";"), dtype=int)
    distance = np.abs(np.subtract.outer(in_system, loads))
    implied = pd.Series(loads[distance.argmin(axis=1)], rows.index)
    return rows["num_clients"].fillna(implied).astype(int)


def derived_throughput() -> pd.DataFrame:
    """Yenicelik's derived throughput of section 4.2: N over the response time of table 6."""
    table = published_table("yenicelik2018", "s4_2_full_system").set_index("workers_per_middleware")
    observed = published_table("yenicelik2018", "t06_mm1_err").set_index("worker_threads")
    clients = STEP * table["virtual_clients_per_thread"]
    rederived = clients / observed["obs_latency_ms"] * 1000
    remark = pd.Series(
        "R is the middleware's: the way from and to the clients is left out", table.index
    )
    remark[16] = (
        "the response time of table 6 for 16 workers is not the one used: 3.95 against 8.28 ms"
    )
    return rows_of(
        "yenicelik2018", "s4_2_full_system", "x_derived_ops_s", table["x_derived_ops_s"],
        rederived, 0.005 * rederived, "N / R with R of table 6, Z = 0", remark, within="0.5 %",
    )  # fmt: skip


def queue_lengths() -> pd.DataFrame:
    """Queue lengths of the full system from throughput and queueing time, by Little's law."""
    parts = []
    above = (
        "X W lies some jobs above the sampled queue: the waiting time holds more than the time in "
        "the queue"
    )
    for study, name, column, share, digit, remark in (
        ("schmid2018", "t06_full_system", "queue_len_both_mw", 1.0, 0.05, above),
        ("cetin2018", "t05_full_system", "queue_len_per_mw", 0.5, 0.05, ""),
        ("yenicelik2018", "s4_2_full_system", "queue_len", 0.5, 0.5, f"of one middleware; {above}"),
    ):
        table = published_table(study, name).set_index("workers_per_middleware")
        rederived = share * littles_law(table["x_mw_ops_s"], table["queue_time_ms"] / 1000)
        has_spread = "queue_len_sd" in table
        spread = 2 * table["queue_len_sd"] if has_spread else 0.0
        parts.append(
            rows_of(
                study, name, column, table[column], pd.Series(rederived, table.index),
                digit + 0.05 * rederived + spread,
                f"X W, {'of one middleware' if share < 1 else 'of both middlewares'}",
                remark, within=f"5 %{', 2 SD' if has_spread else ''} and rounding",
            )
        )  # fmt: skip
    return pd.concat(parts)


def bandwidths() -> pd.DataFrame:
    """Rates that the studies derive from bandwidths."""
    table = published_table("yenicelik2018", "bandwidth")
    table.index = pd.Index(table["vm_from"] + " to " + table["vm_to"])
    nominal = table["bandwidth_mbit_s"].round(-2)
    yenicelik = rows_of(
        "yenicelik2018", "bandwidth", "theoretical_max_ops_s", table["theoretical_max_ops_s"],
        nominal * 1e6 / 8 / 4000, 0.5, "nominal Mbit/s over 4000 bytes",
        "values have 4096 bytes and messages more: with headers 100 Mbit/s carry "
        f"{100e6 / 8 / message_bytes('get')['reply_bytes']:.0f} replies/s",
    )  # fmt: skip
    prose = published_table("schmid2018", "prose").query("section == '2.1'")
    printed = prose.set_index("quantity")["value"]
    allowed = pd.to_numeric(printed[["throughput allowed by 600 Mbit/s"]])
    rate = pd.Series(600e6 / 8 / VALUE_BYTES, allowed.index)
    share = prose.query("subject == 'direct 1 server read-only'").set_index("quantity")["value"]
    link = pd.to_numeric(share[["send link utilization"]])
    used = pd.Series(100 * 2954 * VALUE_BYTES * 8 / 100e6, link.index)
    cetin = published_table("cetin2018", "t01_bandwidth").set_index("machine")
    return pd.concat(
        [
            yenicelik,
            rows_of("schmid2018", "prose", "", allowed, rate, 50, "600 Mbit/s over 4096 bytes"),
            rows_of("schmid2018", "prose", "", link, used, 0.5, "2954 op/s, values alone"),
            rows_of(
                "cetin2018", "t01_bandwidth", "bandwidth_mb_s", cetin["bandwidth_mb_s"],
                cetin["bandwidth_mbit_s"] / 8, 0.05, "Mbit/s over 8",
            ),
        ]
    )  # fmt: skip


def khalil_overhead() -> pd.DataFrame:
    """Overhead of Khalil's middleware, and his response times by the interactive law."""
    table = published_table("khalil2016", "s3_3_overhead").set_index("quantity")
    difference = table["with_middleware"] - table["without_middleware"]
    overhead = rows_of(
        "khalil2016", "s3_3_overhead", "approx_overhead", table["approx_overhead"], difference,
        0.05 * difference.abs(), "with less without middleware", within="5 %",
    )  # fmt: skip
    measured = table[["without_middleware", "with_middleware"]].astype(float).T
    throughput, times = measured["throughput_mean"], measured["response_time_mean"]
    clients = khalil_conditions()["num_clients"]
    rederived = interactive_response_time(clients, throughput) * 1e6
    law = rows_of(
        "khalil2016", "s3_3_overhead", "response_time_mean", times,
        pd.Series(rederived, times.index), 0.05 * rederived,
        f"N / X with N = {' and '.join(map(str, clients))}", within="5 %",
    )  # fmt: skip
    return pd.concat([overhead, law])
