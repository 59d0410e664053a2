"""What the bench of the middleware makes of its runs."""

import itertools

import pandas as pd
import pytest
from document import document
from figure import STYLES, plot_speed
from generator import Load, parse_report
from middleware import LOADS
from summary import cells, judge

SPEEDS = {
    "direct": 100.0,
    "relay": 88.0,
    "twemproxy": 70.0,
    "pipelined": 77.0,
    "sequential-64": 35.0,
}


@pytest.fixture
def runs():
    """Three rounds, the machine half as fast in the second: ratios do not change."""
    rows = []
    for number, connections, (system, speed) in itertools.product(
        (1, 2, 3), (1, 64, 1000, 10_000), SPEEDS.items()
    ):
        slow = 0.5 if number == 2 else 1.0
        rows.append(
            {
                "round": number,
                "workload": "get",
                "connections": connections,
                "value_bytes": 4096,
                "keys": 1,
                "depth": 1,
                "system": system,
                "throughput_ops_per_s": speed * slow * (0.5 if connections == 10_000 else 1),
                "response_time_p50_ms": 1.0,
                "response_time_p99_ms": 100 / speed,
                "proxy_cpu_s_per_million": 0.0 if system == "direct" else 8.0,
                "servers_cpu_s_per_million": 3.0,
                "generator_cpu_s_per_million": 8.0,
                "proxy_rss_mib": 300.0,
                "generator_utilization": 0.4,
                "other_cpu_share": 0.02,
                "alternating_p50_ms": 0.1 + (100 - speed) / 1000,
            }
        )
    return pd.DataFrame(rows)


def test_judge_takes_ratios_within_rounds(runs):
    judged = judge(runs).set_index("target")
    ratio = judged.loc["get: pipelined / relay, throughput"]
    assert (ratio["min"], ratio["median"], ratio["max"]) == pytest.approx((0.875, 0.875, 0.875))
    assert not ratio["is_met"]
    assert judged.loc["get: pipelined / relay, CPU per request", "is_met"]
    assert not judged.loc["get: sequential -t 64 / twemproxy, throughput", "is_met"]
    assert not judged.loc["get: pipelined, throughput at 10 000 connections / at 1000", "is_met"]


def test_judge_leaves_out_what_was_not_measured(runs):
    assert not judge(runs)["target"].str.startswith("set").any()
    assert judge(runs[runs["connections"] == 1]).shape[0] == 2
    assert judge(runs.iloc[:0]).empty


def test_cells_take_ratios_to_twemproxy_at_the_same_depth_and_in_the_same_round(runs):
    deep = runs[runs["connections"] == 64].assign(depth=16)
    deep["throughput_ops_per_s"] *= [2 if system == "twemproxy" else 3 for system in deep["system"]]
    ratios = cells(pd.concat([runs, deep])).set_index(["load", "system"])
    at_64 = ratios.loc[("get/64/4096", "pipelined")]
    at_64_deep = ratios.loc[("get/64/4096/16", "pipelined")]
    assert at_64["throughput_ops_per_s_ratio"] == pytest.approx(1.1)
    assert at_64_deep["throughput_ops_per_s_ratio"] == pytest.approx(1.65)
    assert at_64_deep["throughput_ops_per_s_ratio_max"] == pytest.approx(1.65)
    assert at_64_deep["response_time_p99_ms_ratio"] == pytest.approx(70 / 77)
    assert at_64_deep["proxy_cpu_s_per_million_ratio"] == pytest.approx(1)


def test_judge_takes_each_target_at_its_own_depth(runs):
    eight = runs[runs["connections"] == 64].assign(connections=8, value_bytes=128, depth=16)
    eight["throughput_ops_per_s"] *= [
        1.5 if system == "pipelined" else 1 for system in eight["system"]
    ]
    judged = judge(pd.concat([runs, eight])).set_index("target")
    deep = "get: depth 16: pipelined / twemproxy, throughput"
    assert judged.loc[deep, "median"] == pytest.approx(1.65)
    assert judged.loc[deep, "is_met"]
    assert judged.drop(index=[deep, "get: depth 16: pipelined / twemproxy, p99"]).equals(
        judge(runs).set_index("target")
    )


def test_loads_have_names_of_their_own():
    assert len({load.name for load in LOADS}) == len(LOADS)
    assert Load(workload="set", connections=8, value_bytes=128, depth=4).name == "set/8/128/4"
    assert Load(workload="set", connections=8, value_bytes=128).name == "set/8/128"


def test_figure_has_both_measures_with_their_range(runs):
    figure = plot_speed(runs)
    drawn = [trace for trace in figure.data if trace.y is not None and len(trace.y)]
    assert {trace.name for trace in drawn} <= {style.name for style in STYLES.values()}
    assert all(trace.error_y.array is not None for trace in drawn)
    assert figure.layout.yaxis.title.text == "Throughput (op/s)"


STATISTICS = {
    "Totals": {
        "Count": 900,
        "Ops/sec": 450.0,
        "Misses/sec": 1.0,
        "Connection Errors": 1,
        "Percentile Latencies": {"p50.00": 0.5, "p99.00": 1.5},
    },
    "Runtime": {"Total duration": 2000},
}


def test_report_counts_requests_not_keys_and_every_failure():
    run = {
        "Error replies": {"Gets": 3, "Pops": 4, "Lines": {"ERROR": 7}, "Time-Serie": {}},
        "Unanswered requests": 1,
        "Lost requests": 0,
        "Failed clients": 0,
        "CPU seconds": 0.2,
        "Loop utilization": 0.4,
    }
    report = parse_report(
        {"ALL STATS": STATISTICS, "middleware-lab": {"Runs": [run]}}, keys=9, cpu_s=0.5
    )
    assert (report.requests, report.throughput_ops_per_s) == (100, 50.0)
    assert report.failures == 2 + 1 + 3 + 4 + 1


def test_report_of_memtier_itself_tells_misses_and_what_the_process_used():
    report = {"ALL STATS": STATISTICS, "run information": {"Threads": 2}}
    parsed = parse_report(report, keys=1, cpu_s=3.0)
    assert parsed.failures == 2 + 1
    assert (parsed.generator_cpu_s, parsed.generator_utilization) == (3.0, 0.75)


def test_document_says_where_it_was_measured_and_what_is_missed(runs):
    facts = {
        "command": "middleware.py --publish",
        "started": "2026-11-22T10:22:00+00:00",
        "minutes": 49.6,
        "git_commit": "3741853aaaa",
        "cpus": 2,
        "cpu": "AMD EPYC",
        "kernel": "6.18",
        "tcp_congestion_control": "cubic",
        "memcached_with_proxy": "1.6.18",
        "java": "openjdk 17",
        "memcached": "1.6.18",
        "twemproxy": "nutcracker-0.5.0",
        "generator": "memtier_benchmark 2.3",
        "rounds": 3,
        "seconds": 5,
    }
    text = document(runs, facts)
    assert "2026-11-22T10:22:00+00:00, 50 minutes, commit 3741853." in text
    assert "2 x AMD EPYC, Linux 6.18, TCP congestion control cubic; openjdk 17" in text
    assert "nutcracker-0.5.0, memcached's proxy 1.6.18;" in text
    assert "3 rounds in turns, 5 s each" in text
    assert "pipelined / relay, throughput | >= 0.95 | 0.88 (0.88 to 0.88) | **missed** |" in text
    relay = (
        "| get/64/4096 | relay | 88 | 1.26 (1.26 to 1.26) | 1.000 | 1.136 | 0.80 (0.80 to 0.80) |"
    )
    assert f"{relay} 8.00 | 1.00 (1.00 to 1.00) | 300 |" in text
