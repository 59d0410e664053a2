from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.routing_and_replication import replication
from analysis.chapters.routing_and_replication.replication import SYSTEM
from analysis.laws import summary
from analysis.tables.frames import NAMES, Tables

THROUGHPUT = "client_throughput_ops_per_s"
KEY = ["num_middlewares", "routing", "replicas", "workers", "repetition"]
DIRECT = (0, None, np.nan, np.nan)
RINGS = [(1, "consistent-hash", float(copies), float(workers))
         for copies, workers in product((1, 3), (8, 64))]  # fmt: skip
EVEN = {"s1": 1 / 3, "s2": 1 / 3, "s3": 1 / 3}


def rows_of(*values):
    """One row for each system, repetition and one of each of the values."""
    return [
        (*system, repetition, *more)
        for system, repetition, more in product([DIRECT, *RINGS], (1, 2), product(*values))
    ]


def section_9(shares=None, prepared=True):
    """Two repetitions without a middleware and with one; half of the requests are sets.

    Workers do one request in a round trip of 1 ms each, and half of that where they are 64.
    """
    common = {"section": "9", "workload": "mixed", "num_clients": 192, "time_dilation": 8.0}
    runs = pd.DataFrame(rows_of(), columns=KEY).assign(**common, dispatch="sequential")
    done = runs["workers"].map({8: 8_000.0, 64: 32_000.0}).fillna(100_000.0)
    runs = runs.assign(
        num_servers=3,
        stable_s=20,
        think_time_s=0.0,
        key_bytes=16,
        value_bytes=128,
        client_response_time_ms=192_000 / done,
        middleware_net_thread_utilization=np.nan,
        **{THROUGHPUT: done + runs["repetition"]},
    )
    roles = (("c1", "clients"), ("m1", "middlewares"), ("s1", "servers"))
    hosts = pd.DataFrame(rows_of(roles), columns=[*KEY, "host"])
    hosts["host"], hosts["role"] = hosts["host"].str[0], hosts["host"].str[1]
    hosts["rate_mbit_per_s"] = hosts["role"].map(
        {"clients": 200.0, "middlewares": 800.0, "servers": 100.0}
    )
    types = pd.DataFrame(
        rows_of(("client", "middleware"), ("set", "get")), columns=[*KEY, "side", "request_type"]
    )
    types = types.assign(
        throughput_ops_per_s=400.0,
        service_time_ms=types["replicas"].where(types["request_type"] == "set", 1.0)
        + types["repetition"] / 100,
    )
    servers = pd.DataFrame(rows_of(EVEN), columns=[*KEY, "server"])
    sent = servers["server"].map(shares or EVEN) * 8_000_000
    servers = servers.assign(second_s=0, stable=True, throughput_ops_per_s=sent)
    frames = {
        "runs": runs,
        "hosts": hosts.assign(**common),
        "request_types": types.assign(**common),
        "servers": servers.query("num_middlewares > 0").assign(**common),
        "histograms": pd.DataFrame(columns=[*KEY, "side"]),
        "pings": pd.DataFrame({"section": ["0"], "round_trip_time_p50_ms": [1.0]}),
    }
    tables = Tables(**{name: frames.get(name, pd.DataFrame()) for name in NAMES})
    return replication.with_systems(tables) if prepared else tables


def test_factors_that_a_section_does_not_vary_are_the_same_in_all_rows():
    tables = section_9(prepared=False)
    own = tables.hosts.query("num_middlewares > 0").drop(columns=["num_middlewares", "workers"])
    runs = tables.runs.query("num_middlewares > 0 and workers == 8")
    completed = replication._with_system(own, runs.assign(replicas="all"))
    assert (completed["num_middlewares"] == 1).all()
    assert (completed["workers"] == 8).all()
    everywhere = replication._with_system(runs.assign(replicas="all"), runs)
    assert (everywhere["replicas"] == 3).all()


def test_workers_and_links_are_bounds():
    bounds = replication.bounds_table(section_9()).set_index(["workers", "replicas"])
    assert bounds.loc[(8, 1), "most_ops_per_s"] == pytest.approx(8_000)
    assert bounds.loc[(8, 1), "limit"] == "workers"
    assert bounds.loc[(8, 1), "least_response_time_ms"] == pytest.approx(24)
    direct = bounds.loc[(0, 0)]
    assert direct["limit"] == "client link"  # of one machine with 200 Mbit/s
    get, put = 88, 229  # bytes on the wire
    assert direct["most_ops_per_s"] == pytest.approx(200e6 / 8 / ((get + put) / 2))


def test_copies_need_more_of_the_middlewares_link():
    tables = section_9()
    hosts = tables.hosts.assign(rate_mbit_per_s=tables.hosts["rate_mbit_per_s"].replace(800, 8))
    slow = replace(tables, hosts=hosts)
    bounds = replication.bounds_table(slow).set_index(["workers", "replicas"])["most_ops_per_s"]
    get, set_once, set_thrice = 231 + 88, 74 + 229, 74 + 3 * 229
    for copies, of_set in ((1, set_once), (3, set_thrice)):
        assert bounds.loc[(64, copies)] == pytest.approx(8e6 / 8 / ((get + of_set) / 2))


def test_pipelining_workers_are_no_bound():
    tables = section_9(prepared=False)
    runs = tables.runs.assign(dispatch="pipelined")
    prepared = replication.with_systems(replace(tables, runs=runs))
    bounds = replication.bounds_table(prepared).query("num_middlewares > 0")
    assert set(bounds["limit"]) == {replication.ROUND_TRIPS}
    assert (bounds["most_ops_per_s"] == 96_000).all()  # 192 clients in two round trips


def test_khalils_measurements_stand_below_ours():
    tables = section_9()
    limits = replication.summary_table(summary.cells(tables.runs), replication.bounds_table(tables))
    table = replication.khalil_table(limits, tables.runs)
    assert table["replicas"].tolist() == [pd.NA, 3, 3, pd.NA, pd.NA, 3]
    assert table["relative_throughput"].iloc[2] == pytest.approx(0.32, rel=1e-3)
    khalil = table.tail(3)
    assert khalil["num_clients"].tolist() == [8, 128, 192]
    assert khalil["interactive_law_ops_per_s"].tolist() == pytest.approx(
        [10_000, 128 / 0.0038, 9_600]
    )
    assert khalil["relative_throughput"].iloc[-1] == pytest.approx(10 / 33)


def test_runs_without_middleware_make_a_group():
    tables = section_9()
    systems = tables.runs[list(SYSTEM)].drop_duplicates()
    assert systems.iloc[0].tolist() == [0, "none", "none", 0, 0]
    assert systems.iloc[1].tolist() == [1, "consistent-hash", "sequential", 8, 1]
    assert len(tables.hosts.groupby(list(SYSTEM))) == 5
    shown = replication.shown(systems)
    assert list(shown) == ["num_middlewares", "workers", "replicas"]  # the rest is all alike
    assert shown["workers"].isna().tolist() == [True, False, False, False, False]


def test_requests_are_counted_at_the_clients_by_system():
    counts = replication.request_counts(section_9())
    assert len(counts) == 5
    assert counts["sets"].tolist() == [2 * 20 * 50] * 5  # 1/8 of the rate a second of the clock
    assert replication.write_fraction(counts) == pytest.approx(0.5)


def test_summary_has_every_system_beside_its_bound_and_the_law():
    tables = section_9()
    table = replication.summary_table(summary.cells(tables.runs), replication.bounds_table(tables))
    row = table.set_index(["workers", "replicas"]).loc[(64, 3)]
    assert row["bound_ops_per_s"] == pytest.approx(64_000)
    assert row["share_of_bound"] == pytest.approx(0.5, rel=1e-3)
    assert row["interactive_law_ops_per_s"] == pytest.approx(32_000)
    assert row["throughput_sd_ops_per_s"] == pytest.approx(0.5**0.5)
    assert len(table) == 5
