"""Tidy tables of message queues whose truth is known: every run simulates a known system."""

from dataclasses import fields, replace
from functools import cache

import numpy as np
import pandas as pd

from analysis.models.simulated.simulation import SimulationOptions, simulate
from analysis.models.system import System
from analysis.tables.frames import Tables

TRUTH = {  # seconds of one request
    "network_delay": 1e-4, "net_thread_time": 2e-5, "worker_time": 5e-5, "server_time": 5e-4,
}  # fmt: skip
ASIDE = 2e-4  # of the worker's time: waits at the database that no CPU explains
LEVELS = {
    "workload": "queue", "queue_mix": "send:1,pop:1", "backend": "postgresql",
    "locks": "skip-locked", "synchronous_commit": True, "durable": False,
    "num_databases": 1, "net_threads": 1,
    "database_cpus": 1.0, "think_time_s": 0.0, "value_bytes": 200,
}  # fmt: skip
REQUESTS = 2500
REPETITIONS = 3
MINUTE_S = 60
OPENED = 96  # clients of the run in which a transaction is left open


def queue_tables(
    slower_with_row_locks=0.5, polls=0.25, left_open=0.4, drift=0.0, *, repetitions=REPETITIONS
):
    """Make the tables of all five sections.

    `slower_with_row_locks` is the share of throughput that plain locks leave with many workers,
    `polls` the CPU time of asking an empty queue over that of a message, `left_open` the share of
    throughput that an open transaction leaves at its end, `drift` that of a run at fixed rates.
    """
    runs = [*scalability(slower_with_row_locks), *components(), *most(polls), *stability()]
    runs = [{**one, "repetition": r} for one in runs for r in range(1, repetitions + 1)]
    rows = [run_row(one) for one in runs]
    events = [
        {**one, "host": "d1", "kind": "open transaction", "start_s": 60.0, "length_s": MINUTE_S}
        for one in rows
        if one["section"] == "q6"
    ]
    told = {
        "runs": pd.DataFrame(rows),
        "hosts": pd.DataFrame([host for row in rows for host in host_rows(row)]),
        "pings": pd.DataFrame(
            [
                {"section": s, "round_trip_time_min_ms": 2e3 * TRUTH["network_delay"]}
                for s in SECTIONS
            ]
        ),
        "windows": pd.concat([seconds(row, left_open, drift) for row in rows]),
        "pauses": pd.DataFrame(events)[[*KEY, "host", "kind", "start_s", "length_s"]],
    }
    return Tables(**{f.name: told.get(f.name, pd.DataFrame()) for f in fields(Tables)})


SECTIONS = ("q1", "q2", "q3", "q4", "q6")
KEY = ["section", "num_clients", "num_middlewares", "workers", "repetition"]


def by_section(tables):
    """Return the tables of each section."""
    return {
        section: Tables(
            **{
                f.name: rows[rows["section"] == section] if len(rows) else rows
                for f in fields(Tables)
                for rows in [getattr(tables, f.name)]
            }
        )
        for section in SECTIONS
    }


def stability():
    """Clients that send at less than the capacity; beside others a transaction is left open."""
    own = {"sending_rate_per_s": 20.0, "think_time_s": np.nan, "stable_s": 240}
    own |= {"num_middlewares": 2, "workers": 8}
    return [
        {**LEVELS, **own, "section": "q1", "num_clients": 48},
        {**LEVELS, **own, "section": "q6", "num_clients": OPENED, "open_transaction_s": MINUTE_S},
    ]


def scalability(slower):
    """More and more workers for 72 clients, with both kinds of locks."""
    loads = [(1, 1), (1, 4), (2, 8), (4, 16)]
    own = {"section": "q2", "num_clients": 72}
    rows = [{**LEVELS, **own, "num_middlewares": m, "workers": w} for m, w in loads]
    worst = {**rows[-1], "locks": "row-locks", "slowed": slower}
    return [*rows, {**rows[0], "locks": "row-locks"}, worst]


def components():
    """Middlewares that echo, the database with more and more workers, requests one by one."""
    own = {"section": "q3"}
    echo = {**LEVELS, **own, "backend": "echo", "num_middlewares": 1, "workers": 16}
    whole = {**LEVELS, **own, "num_middlewares": 1}
    loads = [(1, 1), (4, 64), (16, 64), (32, 64), (64, 64)]
    return [
        *({**echo, "num_clients": n} for n in (1, 16, 64)),
        *({**whole, "workers": workers, "num_clients": n} for workers, n in loads),
    ]


def most(polls):
    """Clients that think 5 ms, and what is changed at the largest load."""
    own = {"section": "q4", "think_time_s": 0.005, "num_middlewares": 2, "workers": 16}
    rows = [{**LEVELS, **own, "num_clients": n} for n in (1, 8, 16, 32, 64, 128)]
    changed = [
        {"num_databases": 2}, {"database_cpus": 2.0}, {"net_threads": 4},
        {"durable": True, "slowed": 0.5},
        {"durable": True, "synchronous_commit": False, "slowed": 0.6},
        {"queue_mix": "pop:1", "lighter": polls, "client_miss_rate": 1.0},
    ]  # fmt: skip
    return rows + [{**rows[-1], **one} for one in changed]


def system_of(run):
    """Return the system that a run is simulated with."""
    cores = int(run["database_cpus"])
    database = {"servers": run["num_databases"], "server_cores": cores, "request_bytes": 0}
    database |= {"reply_bytes": 0, "network_delay": TRUTH["network_delay"]}
    think = run["think_time_s"]
    database["think_time"] = 0.0 if np.isnan(think) else think
    server_time = TRUTH["server_time"] * run.get("lighter", 1.0)
    held = TRUTH["worker_time"] + (0 if run["backend"] == "echo" else ASIDE)
    system = System(
        **database,
        middlewares=run["num_middlewares"],
        workers=run["workers"],
        net_threads=run["net_threads"],
        net_thread_time=TRUTH["net_thread_time"],
        worker_time=held,
        server_time=server_time,
    )
    return replace(system, server_time=0.0, servers=1) if run["backend"] == "echo" else system


@cache
def simulated(system, clients, seed):
    """Simulate it once, whoever asks."""
    expected = clients / (2e-3 + system.think_time)
    options = SimulationOptions(
        warm_up_s=0.2,
        duration_s=REQUESTS / min(expected, 2000),
        batches=2,
        seed=seed,
        routing="hash",
    )
    return simulate(system, clients, options=options)


def run_row(run):
    """Return the row of `Tables.runs`; what is slowed has so much of the throughput left."""
    system = system_of(run)
    result = simulated(system, run["num_clients"], run["repetition"])
    found, busy = result.measures["mean"], result.utilizations
    share = run.get("slowed", 1.0)
    throughput = share * found["throughput_ops_per_s"]
    if not np.isnan(run.get("sending_rate_per_s", np.nan)):
        throughput = run["sending_rate_per_s"] * run["num_clients"]
    cycle_ms = 1000 * (run["num_clients"] / throughput - system.think_time)
    row = {
        "stable_s": 10, **run, "time_dilation": 1.0, "num_servers": 0,
        "client_throughput_ops_per_s": throughput,
        "client_response_time_ms": cycle_ms,
        "server_utilization": share * busy["server"],
        "client_miss_rate": run.get("client_miss_rate", 0.0),
    }  # fmt: skip
    service_ms = found["service_time_ms"]
    return row | {
        "middleware_throughput_ops_per_s": throughput,
        "middleware_response_time_ms": found["response_time_ms"],
        "middleware_queueing_time_ms": found["queueing_time_ms"],
        "middleware_service_time_ms": service_ms,
        "middleware_processing_time_ms": 1000 * TRUTH["worker_time"],
        "middleware_servers_net_time_ms": service_ms - 1000 * TRUTH["worker_time"],
        "middleware_worker_utilization": busy["workers"],
        "middleware_net_thread_utilization": busy["net thread"],
        "middleware_queue_length": found["queue_length"],
    }


def host_rows(row):
    """Return a row for each host of a run."""
    key = {name: row[name] for name in row if name in (*KEY, *LEVELS, "time_dilation")}
    common = {**key, "shares_machine": True, "cpu_percent": 30.0, "send_link_utilization": 0.1}
    common |= {"rate_mbit_per_s": 700.0, "send_mbit_per_s": 70.0, "cpu_s": 1.0}
    hosts = [{**common, "host": "c1", "role": "clients", "cpu_utilization": 0.1}]
    if row["backend"] == "echo":
        return hosts
    return hosts + [
        {
            **common,
            "host": f"d{number}",
            "role": "databases",
            "cpu_utilization": row["server_utilization"],
            "cpu_quota": row["database_cpus"],
        }
        for number in range(1, row["num_databases"] + 1)
    ]


def seconds(row, left_open, drift):
    """Return the seconds of a run; from the 60th on a transaction costs ever more for a minute."""
    rng = np.random.default_rng(row["repetition"])
    second = np.arange(row["stable_s"])
    share = 1 + 0.005 * rng.normal(size=len(second)) + drift * second / len(second)
    if row["num_clients"] == OPENED:
        inside = (second >= 60) & (second < 60 + MINUTE_S)
        share = np.where(inside, 1 - (1 - left_open) * np.clip((second - 60) / 30, 0, 1), share)
    return pd.DataFrame(
        {
            **{name: row[name] for name in (*KEY, "time_dilation")},
            "side": "client",
            "second_s": second,
            "stable": True,
            "throughput_ops_per_s": row["client_throughput_ops_per_s"] * share,
            "response_time_ms": row["client_response_time_ms"],
        }
    )
