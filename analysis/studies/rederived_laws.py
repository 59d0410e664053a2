"""Laws and bandwidths of the published tables, computed again."""

import numpy as np
import pandas as pd

from analysis.laws.operational import interactive_response_time, littles_law
from analysis.studies.printed import (
    MIDDLEWARE,
    khalil_conditions,
    published_summary,
    published_table,
)
from analysis.studies.rows import INTERACTIVE, LINKS, LITTLE, OVERHEAD, rows_of

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
            in_system = littles_law(throughput, response_time_ms / 1000)
            remark = [f"X R = {jobs:.0f} clients, he had fewer" for jobs in in_system]
            parts.append(
                rows_of(
                    str(study), INTERACTIVE, MIDDLEWARE[section][str(study)],
                    f"response_time_ms, section {section},", response_time_ms,
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
    bound = published_table("yenicelik2018", "prose").query("quantity == 'claimed accuracy bound'")
    largest = 100 * (table["x_derived_ops_s"] / table["x_mw_ops_s"] - 1).max()
    where = pd.Index(["accuracy of derived X (%)"])
    return pd.concat(
        [
            rows_of(
                "yenicelik2018", INTERACTIVE, "s4_2_full_system", "x_derived_ops_s",
                table["x_derived_ops_s"], rederived, 0.005 * rederived,
                "N / R with R of table 6, Z = 0", "needs 8.28 ms, table 6 has 3.95",
                within="0.5 %",
            ),
            rows_of(
                "yenicelik2018", INTERACTIVE, "s4_2_full_system", "",
                bound["value"].astype(float).set_axis(where), pd.Series(largest, where), 0.5,
                "largest of derived over measured throughput, less 1",
                "64 workers are further off",
            ),
        ]
    )  # fmt: skip


def queue_lengths() -> pd.DataFrame:
    """Queue lengths of the full system from throughput and queueing time, by Little's law."""
    parts = []
    above = "W holds more than the queue"
    for study, name, column, share, digit, remark in (
        ("schmid2018", "t06_full_system", "queue_len_both_mw", 1.0, 0.05, above),
        ("cetin2018", "t05_full_system", "queue_len_per_mw", 0.5, 0.05, ""),
        ("yenicelik2018", "s4_2_full_system", "queue_len", 0.5, 0.5, above),
    ):
        table = published_table(study, name).set_index("workers_per_middleware")
        rederived = share * littles_law(table["x_mw_ops_s"], table["queue_time_ms"] / 1000)
        has_spread = "queue_len_sd" in table
        spread = 2 * table["queue_len_sd"] if has_spread else 0.0
        parts.append(
            rows_of(
                study, LITTLE, name, column, table[column], pd.Series(rederived, table.index),
                digit + 0.05 * rederived + spread,
                f"X W, {'of one middleware' if share < 1 else 'of both middlewares'}",
                remark, within=f"5 %{', 2 SD' if has_spread else ''}",
            )
        )  # fmt: skip
    return pd.concat(parts)


def bandwidths() -> pd.DataFrame:
    """Rates that the studies derive from bandwidths."""
    table = published_table("yenicelik2018", "bandwidth")
    table.index = pd.Index(table["vm_from"] + " to " + table["vm_to"])
    nominal = table["bandwidth_mbit_s"].round(-2)
    yenicelik = rows_of(
        "yenicelik2018", LINKS, "bandwidth", "theoretical_max_ops_s",
        table["theoretical_max_ops_s"], nominal * 1e6 / 8 / 4000, 0.5,
        "nominal Mbit/s over 4000 bytes",
    )  # fmt: skip
    cetin = published_table("cetin2018", "t01_bandwidth").set_index("machine")
    goodput = cetin["effective_bandwidth_mb_s"] / cetin["bandwidth_mb_s"]
    others = cetin.drop(index="server")
    return pd.concat(
        [
            yenicelik,
            _schmid_links(),
            rows_of(
                "cetin2018", LINKS, "t01_bandwidth", "bandwidth_mb_s", cetin["bandwidth_mb_s"],
                cetin["bandwidth_mbit_s"] / 8, 0.05, "Mbit/s over 8",
            ),
            rows_of(
                "cetin2018", LINKS, "t01_bandwidth", "effective_bandwidth_mb_s",
                others["effective_bandwidth_mb_s"], others["bandwidth_mb_s"] * goodput["server"],
                0.5, "MB/s times the share that is left of the server's",
            ),
        ]
    )  # fmt: skip


def _schmid_links() -> pd.DataFrame:
    """Compute what Schmid's text states about links, rates nominal and messages values alone."""
    bits = 8 * VALUE_BYTES
    of_client, of_server, of_all = 200e6 / bits, 100e6 / bits, 600e6 / bits  # op/s
    prose = published_table("schmid2018", "prose").set_index(["subject", "quantity"])["value"]
    derived = {  # of the text: computed again, and the rounding of what is printed
        ("direct 1 server write-only", "throughput allowed by 600 Mbit/s"): (of_all, 50),
        ("direct 1 server read-only", "send link utilization"): (100 * 2954 / of_server, 0.5),
        ("1 client 2 servers write-only", "client send link utilization"): (
            100 * 5956 / of_client,
            0.5,
        ),
        ("1 client 2 servers read-only", "server send link utilization"): (
            100 * 5830 / 2 / of_server,
            0.5,
        ),
        ("QN write-only: component cn", "m (as throughput limit of 600 Mbit/s)"): (of_all, 500),
        ("QN read-only: component ms", "m (as throughput limit of 100 Mbit/s)"): (of_server, 500),
    }
    names = [f"{subject}, {quantity}" for subject, quantity in derived]
    printed = pd.to_numeric(prose.loc[list(derived)]).set_axis(names)
    rederived, rounding = map(list, zip(*derived.values(), strict=True))
    return rows_of(
        "schmid2018", LINKS, "prose", "", printed, pd.Series(rederived, names), rounding,
        "nominal Mbit/s over 4096 bytes, and throughput over that",
    )  # fmt: skip


def khalil_overhead() -> pd.DataFrame:
    """Overhead of Khalil's middleware, and his response times by the interactive law."""
    table = published_table("khalil2016", "s3_3_overhead").set_index("quantity")
    difference = table["with_middleware"] - table["without_middleware"]
    overhead = rows_of(
        "khalil2016", OVERHEAD, "s3_3_overhead", "approx_overhead", table["approx_overhead"],
        difference, 0.05 * difference.abs(), "with less without middleware", within="5 %",
    )  # fmt: skip
    measured = table[["without_middleware", "with_middleware"]].astype(float).T
    throughput, times = measured["throughput_mean"], measured["response_time_mean"]
    clients = khalil_conditions()["num_clients"]
    rederived = interactive_response_time(clients, throughput) * 1e6
    law = rows_of(
        "khalil2016", OVERHEAD, "s3_3_overhead", "response_time_mean", times,
        pd.Series(rederived, times.index), 0.05 * rederived,
        f"N / X with N = {' and '.join(map(str, clients))}", within="5 %",
    )  # fmt: skip
    return pd.concat([overhead, law])
