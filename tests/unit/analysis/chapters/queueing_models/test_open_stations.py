import math

import pandas as pd
import pytest

from analysis.chapters.queueing_models.open_loop import compare_open
from analysis.chapters.queueing_models.open_stations import centers, link_center, workers_center
from analysis.tables.frames import Tables

EMPTY = pd.DataFrame()


def tables(runs, hosts=EMPTY, histograms=EMPTY):
    names = ("request_types", "windows", "servers", "pauses", "pings", "bandwidths", "rejected")
    others = dict.fromkeys(names, EMPTY)
    return Tables(runs=runs, hosts=hosts, histograms=histograms, **others)


def open_run(rate, **more):
    return {
        "section": "7", "workload": "get", "clients_per_thread": 1, "repetition": 1,
        "num_clients": 1, "num_middlewares": 0, "num_servers": 1, "think_time_s": math.nan,
        "value_bytes": 4096, "stable_s": 3, "arrival_rate_per_s": rate,
        "client_throughput_ops_per_s": rate, "client_response_time_ms": 1.0, **more,
    }  # fmt: skip


def hosts_of(run):
    rates = {"clients": 200.0, "middlewares": 800.0, "servers": 100.0}
    rows = [
        {**run, "host": role, "role": role, "rate_mbit_per_s": rate} for role, rate in rates.items()
    ]
    return pd.DataFrame(rows)


def test_a_link_serves_in_its_wire_time():
    run = open_run(1450.0)
    center = link_center(tables(pd.DataFrame([run]), hosts_of(run)))
    table = compare_open(center)
    assert table["model"].tolist() == ["M/M/1", "M/D/1"]
    assert table["utilization"].iloc[0] == pytest.approx(0.5, abs=0.01)
    half = table.set_index("model")["predicted"]
    assert half["M/D/1"] < half["M/M/1"]


def test_a_token_bucket_and_the_generators_time_count():
    more = {"instances_per_client": 1, "threads_per_instance": 2}
    run = open_run(1450.0, client_loop_utilization=0.1, **more)
    measured = tables(pd.DataFrame([run]), hosts_of(run))
    table = compare_open(link_center(measured, burst_bytes=16384)).set_index("model")
    client_ms = 1000 * 0.1 * 2 / 1450  # one host of two loops
    bucket = table.loc["M/D/1, token bucket"]
    assert client_ms < bucket["predicted"] < client_ms + 0.02
    assert table.loc["M/D/1", "predicted"] > bucket["predicted"] + 0.34


def test_workers_serve_each_run_in_the_time_and_variation_that_it_measured():
    more = {"workload": "set", "num_middlewares": 1, "workers": 8}
    more |= {"middleware_net_thread_utilization": 0.1, "middleware_throughput_ops_per_s": 1968.0}
    more |= {"middleware_arrival_rate_ops_per_s": 2000.0, "machine_share": 0.01}
    runs = [
        open_run(1968.0, **more, middleware_service_time_ms=1.0),
        {**open_run(1968.0, **more, middleware_service_time_ms=2.0), "repetition": 2},
    ]
    samples = pd.DataFrame(
        {
            "side": "middleware", "time": "service_time", "workers": 8,
            "arrival_rate_per_s": 1968.0, "repetition": [1, 1, 2],
            "upper_edge_ms": [0.5, 1.5, 2.0], "count": [5, 5, 10],
        }
    )  # fmt: skip
    measured = tables(pd.DataFrame(runs), hosts_of(runs[0]), samples)
    center = workers_center(measured, workers=8)
    assert center.runs["service_scv"].tolist() == pytest.approx([0.25, 0.0])
    assert center.runs["measured_rate_per_s"].tolist() == [2000.0, 2000.0]
    table = compare_open(center)
    assert table["model"].tolist() == ["M/M/8", "M/D/8", "M/G/8"]
    assert table["utilization"].iloc[0] == pytest.approx(2000 * 0.0015 / 8)
    assert table["machine_share"].iloc[0] == 0.01


def test_stations_without_a_run_have_no_cells():
    run = open_run(1450.0)
    found = centers(tables(pd.DataFrame([run]), hosts_of(run)))
    lengths = {name: len(center.runs) for name, center in found.items()}
    assert lengths == {"link": 1, "one worker": 0, "eight workers": 0}
