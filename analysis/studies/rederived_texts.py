"""Numbers of running texts, and the operational laws behind them, computed again."""

from fractions import Fraction

import pandas as pd

from analysis.laws.operational import littles_law
from analysis.studies.printed import published_table
from analysis.studies.rows import INTERACTIVE, LITTLE, TEXT, UTILIZATION, rows_of

NET_THREADS = 1
_CPUS = {"Client": 2, "Middleware": 8, "Server": 1}  # of Schmid's table 1


def schmid_utilizations() -> pd.DataFrame:
    """Visit ratios and utilizations of Schmid's operational analysis.

    A device of so many virtual CPUs over all machines is visited 1 / CPUs times per request and
    CPU. Of a middleware's CPUs the net thread takes one and the workers all, so that its
    utilization is that of the workers and an eighth of the net thread's.
    """
    return pd.concat([_visit_ratios(), _middlewares(), _demand()])


def _visit_ratios() -> pd.DataFrame:
    table = published_table("schmid2018", "visit_ratios")
    table.index = pd.Index(
        table["device"] + ", " + table["configuration"] + ", " + table["workload"]
    )
    printed = table["V"].map(Fraction).astype(float)
    machines = table["configuration"].str.extract(r"(\d)", expand=False).astype(int)
    cpus = table["device"].map(
        {
            "client": _CPUS["Client"],
            "server": _CPUS["Server"],
            "middleware": _CPUS["Middleware"],
            "middleware client thread": NET_THREADS,
            "middleware worker thread": _CPUS["Middleware"],
        }
    )
    visits_all = table["workload"] == "set or sharded get"  # every server has a part of it
    rederived = 1 / (cpus * machines.mask(visits_all, 1))
    return rows_of(
        "schmid2018", UTILIZATION, "visit_ratios", "visit ratio,", printed, rederived, 1e-9,
        "1 / CPUs over all machines, CPUs of table 1",
    )  # fmt: skip


def _middlewares() -> pd.DataFrame:
    systems = {
        "1 mw WT=64 write-only N=192": ("client thread", "section 3.1"),
        "2 mw WT=64 write-only N=192": ("client threads", "section 3.2"),
        "2 mw 3 servers WT=64 N=144": ("client threads", "section 4.1"),
    }
    prose = published_table("schmid2018", "prose").set_index(["subject", "quantity"])["value"]
    value = pd.to_numeric(prose, errors="coerce")
    names = [f"middleware, {section} (%)" for _, section in systems.values()]
    printed = [value[system, "middleware utilization"] for system in systems]
    rederived = [
        value[system, f"{net} utilization"] / _CPUS["Middleware"]
        + value[system, "worker threads utilization"]
        for system, (net, _) in systems.items()
    ]
    rounding = 0.5 + 0.5 / _CPUS["Middleware"] + 0.5
    return rows_of(
        "schmid2018", UTILIZATION, "prose", "utilization of the", pd.Series(printed, names),
        pd.Series(rederived, names), rounding, "workers', and an eighth of the net thread's",
    )  # fmt: skip


def _demand() -> pd.DataFrame:
    """Compute the utilization that gets would cause with the demand of sets, U = X D."""
    prose = published_table("schmid2018", "prose").query("section == '2.1'")
    value = pd.to_numeric(prose.set_index(["subject", "quantity"])["value"])
    sets, gets = "direct 1 server write-only", "direct 1 server read-only"
    name = "server utilization with write-only demand"
    demand = value[sets, "server utilization"] / value[sets, "throughput at N_uc"]
    where = pd.Index(["of a server by gets with the demand of sets (%)"])
    return rows_of(
        "schmid2018", UTILIZATION, "prose", "utilization", pd.Series([value[gets, name]], where),
        pd.Series([demand * value[gets, "throughput at N=6"]], where), 0.61,
        "U = X D, D of sets at their utilization",
    )  # fmt: skip


def schmid_numbers() -> pd.DataFrame:
    """Compute sums, intervals, queue lengths and workers of Schmid's text."""
    prose = published_table("schmid2018", "prose").set_index(["subject", "quantity"])
    value = pd.to_numeric(prose["value"], errors="coerce")
    direct, system = "direct 1 server write-only", "1 mw WT=64 write-only N=192"
    full = "2 mw 3 servers WT=64 N=144"
    near = f"{direct} N=72"
    mean, sd = value[direct, "throughput at N_uc"], 270.0
    factor = 3.1824 / 2  # t(0.975; 3) / sqrt(4)
    far = f"{direct} N=96"
    text = {
        "CPU of the server, section 2.1 (%)": (
            value[direct, "server CPU total (dstat)"],
            sum(value[direct, f"server CPU {part}"] for part in ("user", "system", "softirq")),
            0.11,
        ),
        "CPU of the server, section 3.1 (%)": (
            value[system, "server CPU"],
            value[system, "server CPU kernel"] + value[system, "server CPU user"],
            0.11,
        ),
        "CPU of the servers, section 4.1 (%)": (
            value[full, "server CPU"],
            value[full, "server CPU kernel"] + value[full, "server CPU user"],
            0.11,
        ),
        "half width of an interval over its SD": (
            value["all", "95 % CI half width factor on SD (n=4)"],
            factor,
            0.051,
        ),
        "lower bound, 72 clients (op/s)": (value[near, "95 % CI low"], mean - factor * sd, 2),
        "upper bound, 72 clients (op/s)": (value[near, "95 % CI high"], mean + factor * sd, 2),
        "middle of the interval, 96 clients (op/s)": (
            value[far, "throughput"],
            (value[far, "95 % CI low"] + value[far, "95 % CI high"]) / 2,
            1,
        ),
    }
    growth = 100 * (96 / value[far, "throughput"] / (72 / mean) - 1)
    more = pd.Index(["more response time, 72 to 96 clients (%)"])
    printed = value[f"{direct} N=72 to 96", "response time increase"]
    return pd.concat(
        [
            _rows(TEXT, text, "sums of parts; mean and t(0.975; 3) SD / 2"),
            rows_of(
                "schmid2018", INTERACTIVE, "prose", "", pd.Series([printed], more),
                pd.Series([growth], more), 3, "R = N / X", within="3 %",
            ),
            _queue(value),
        ]
    )  # fmt: skip


def _rows(kind: str, numbers: dict[str, tuple[float, float, float]], basis: str) -> pd.DataFrame:
    table = pd.DataFrame(numbers, index=["printed", "rederived", "rounding"]).T
    return rows_of(
        "schmid2018", kind, "prose", "", table["printed"], table["rederived"],
        table["rounding"].to_numpy(), basis,
    )  # fmt: skip


def _queue(value: pd.Series) -> pd.DataFrame:
    """Jobs that wait and workers that do, at the loads of which the text tells both."""
    near = published_table("schmid2018", "t04_max_1mw")
    row = near.query("workload == 'write-only' and measured_on == 'middleware'").iloc[0]
    throughput, queueing_s = row["throughput_ops_s"], row["queue_time_ms"] / 1000
    waiting = float(littles_law(throughput, queueing_s))
    held = float(littles_law(throughput, row["response_ms"] / 1000 - queueing_s))
    full = published_table("schmid2018", "t06_full_system").set_index("workers_per_middleware")
    servers_s = float(full["memcached_wait_ms"].loc[64]) / 1000
    held_there = float(littles_law(full["x_mw_ops_s"].loc[64], servers_s))
    system = "1 mw WT=64 write-only N=192"
    names = ["queue length, section 3.1", "idle workers, section 3.1", "idle workers, section 4.2"]
    printed = [value[system, "queue length"], value[system, "waiting workers"]]
    printed.append(value["WT=64 N=144", "waiting workers of 128"])
    rederived = [waiting, 64 - held, 128 - held_there]
    tolerance = [0.05 * waiting + 2 * 2.6 + 0.05, 0.05 * held + 2 * 1.6, 0.05 * held_there]
    return rows_of(
        "schmid2018", LITTLE, "prose", "", pd.Series(printed, names),
        pd.Series(rederived, names), tolerance, "X W; workers less X (R - W)",
        "W holds more than the queue", within="5 %, 2 SD",
    )  # fmt: skip


def yenicelik_ratios() -> pd.DataFrame:
    """Compute how much longer sets wait than gets, as Yenicelik's text has it, from his tables."""
    prose = published_table("yenicelik2018", "prose").query("section == '3.3'")
    names = ["1 middleware", "2 middlewares"]
    rederived = []
    for table in ("s3_3_max_1mw", "s3_3_max_2mw"):
        inside = published_table("yenicelik2018", table).query("measured_on == 'middleware'")
        times = inside.set_index("workload")["queue_time_ms"]
        rederived.append(float(times["write-only"] / times["read-only"]))
    return rows_of(
        "yenicelik2018", TEXT, "prose", "W, sets over gets,",
        prose["value"].astype(float).set_axis(names), pd.Series(rederived, names), 0.51,
        "queueing times of section 3.3", "0.82 over 4.28 ms",
    )  # fmt: skip
