import dataclasses

import numpy as np
import pandas as pd
import pytest

from analysis.lab.dilation import VERDICTS, compared_dilations
from analysis.tables.frames import NAMES, Tables

RTT_MS = 0.9


def tables(time_dilation, cells, cpu_percent=50.0):
    """Section 3.1 with 8 workers: `cells` gives the throughputs of each number of clients."""
    rows = [
        {
            "section": "3.1",
            "workload": "set",
            "workers": 8.0,
            "repetition": repetition,
            "num_clients": num_clients,
            "time_dilation": time_dilation,
            "client_throughput_ops_per_s": throughput,
            "client_response_time_ms": 1000 * num_clients / throughput,
            "num_middlewares": 1,
            "num_servers": 1,
            "value_bytes": 4096,
            "think_time_s": 0.0,
        }
        for num_clients, throughputs in cells.items()
        for repetition, throughput in enumerate(throughputs, start=1)
    ]
    runs = pd.DataFrame(rows)
    key = runs[["section", "workload", "workers", "repetition", "num_clients"]]
    rates = {"c1": ("clients", 600.0), "m1": ("middlewares", 800.0), "s1": ("servers", 100.0)}
    hosts = pd.concat(
        key.assign(
            host=host,
            role=role,
            rate_mbit_per_s=rate,
            cpu_percent=cpu_percent,
            shares_machine=True,
        )
        for host, (role, rate) in rates.items()
    )
    frames = {name: pd.DataFrame() for name in NAMES}
    frames["runs"], frames["hosts"] = runs, hosts
    frames["pings"] = key.assign(emulated_round_trip_time_ms=RTT_MS)
    frames["request_types"] = key.assign(
        side="client", request_type="set", throughput_ops_per_s=1.0
    )
    return Tables(**frames)


def only(one, other):
    (row,) = compared_dilations(one, other).to_dict("records")
    return row


def test_equal_curves_agree_in_whatever_order():
    low, high = tables(1.0, {192: [8400, 8440]}), tables(4.0, {192: [8500, 8540]})
    for row in (only(low, high), only(high, low)):
        assert row["verdict"] == "agrees"
        assert (row["time_dilation_low"], row["time_dilation_high"]) == (1, 4)
        assert row["throughput_ratio"] == pytest.approx(8520 / 8420)
        assert row["throughput_ratio_ci_low"] < row["throughput_ratio"]


def test_latency_at_the_low_dilation_explains_what_it_takes():
    row = only(tables(1.0, {192: [6600, 6620]}), tables(4.0, {192: [8140, 8160]}))
    assert row["verdict"] == "machine's latency"
    assert row["limit"] == "round trips of 8 workers"
    assert row["loss"] == pytest.approx(1 - 6610 / (8 / 0.9e-3))


def test_the_limit_of_hosts_that_are_not_equally_far_is_that_of_their_ways():
    low, high = tables(1.0, {192: [1000, 1010]}), tables(4.0, {192: [1010, 1020]})
    key = low.runs[["section", "workload", "workers", "repetition", "num_clients"]]
    ways = [("clients", "c1", "m1", 0.9), ("middlewares", "m1", "s1", 5.0)]
    pings = pd.concat(
        key.assign(
            source_role=role, source=source, target=target, emulated_round_trip_time_ms=rtt_ms
        )
        for role, source, target, rtt_ms in ways
    )
    row = only(dataclasses.replace(low, pings=pings), high)
    assert row["limit"] == "round trips of 8 workers"
    assert row["limit_ops_per_s"] == pytest.approx(8 / 5e-3)


def test_busy_machine_explains_any_difference():
    low = tables(1.0, {192: [4180, 4200]}, cpu_percent=97.0)
    row = only(low, tables(4.0, {192: [8140, 8160]}))
    assert row["verdict"] == "machine's CPU"
    assert row["machine_utilization"] == pytest.approx(0.97)


def test_what_nothing_explains_is_told():
    low, high = tables(1.0, {192: [8500, 8510]}), tables(4.0, {192: [7000, 7010]})
    assert only(low, high)["verdict"] == "differs"
    noisy = only(low, tables(4.0, {192: [6000, 9800]}))
    assert noisy["verdict"] == "differs" and noisy["throughput_ratio_ci_high"] > 0.95
    beyond = only(tables(1.0, {192: [8000, 8010]}), tables(4.0, {192: [9800, 9900]}))
    assert beyond["verdict"] == "differs"  # more than links and delays let through


def test_open_loop_has_no_limit_to_judge_by():
    low = tables(1.0, {192: [1000, 1001]})
    runs = low.runs.assign(arrival_rate_per_s=1000.0)
    row = only(dataclasses.replace(low, runs=runs), tables(4.0, {192: [1200, 1201]}))
    assert row["limit"] == "none known" and np.isnan(row["loss"]) and row["verdict"] == "differs"


def test_pipelines_through_a_middleware_have_no_limit_to_judge_by():
    low = tables(1.0, {192: [1000, 1001]})
    runs = low.runs.assign(pipeline=4)
    row = only(dataclasses.replace(low, runs=runs), tables(4.0, {192: [1200, 1201]}))
    assert row["limit"] == "none known"
    direct = low.runs.assign(pipeline=4, num_middlewares=0)
    row = only(dataclasses.replace(low, runs=direct), tables(4.0, {192: [1200, 1201]}))
    assert row["limit"] == "clients' links"


def test_only_common_cells_are_compared():
    low = tables(1.0, {6: [2700], 192: [6600]})
    table = compared_dilations(low, tables(4.0, {48: [8000], 192: [8150]}))
    assert table["num_clients"].tolist() == [192]
    assert set(table["verdict"]) <= set(VERDICTS)
    assert np.isnan(table["throughput_ratio_ci_low"]).all()


def test_campaigns_that_cannot_be_compared_are_refused():
    one = tables(1.0, {192: [6600]})
    with pytest.raises(ValueError, match="both campaigns have time dilation 1"):
        compared_dilations(one, one)
    with pytest.raises(ValueError, match="no cell in common"):
        compared_dilations(one, tables(4.0, {6: [6600]}))
    runs = pd.concat([one.runs, one.runs.assign(time_dilation=2.0)])
    with pytest.raises(ValueError, match="one time dilation a campaign"):
        compared_dilations(dataclasses.replace(one, runs=runs), one)
