import pandas as pd
import pytest

from analysis.bottleneck import bottleneck_report, station_table

RUNS = pd.DataFrame(
    {
        "workload": ["get", "get", "get"],
        "num_clients": [6, 192, 192],
        "client_throughput_ops_per_s": [2000.0, 2800.0, 3000.0],
        "middleware_net_thread_utilization": [0.1, 0.2, 0.3],
        "middleware_worker_utilization": [0.2, 1.0, 1.0],
    }
)
HOSTS = pd.DataFrame(
    [
        ("get", clients, role, link, 40.0)
        for clients in (6, 192)
        for role, link in (("clients", 0.02), ("middlewares", 0.12), ("servers", 0.99))
    ],
    columns=["workload", "num_clients", "role", "send_link_utilization", "cpu_percent"],
)


def test_stations_have_utilization_demand_and_saturation_at_the_largest_load():
    table = station_table(RUNS, HOSTS, one_machine=False).set_index("station")
    assert (table["num_clients"] == 192).all()
    assert table.loc["net thread", "utilization"] == 0.25
    assert table.loc["net thread", "service_demand_ms"] == pytest.approx(0.25 / 2900 * 1000)
    assert table.loc["server link", "saturation_ops_per_s"] == pytest.approx(2900 / 0.99)
    assert set(table.index) == {
        "client link", "middleware link", "server link", "client CPU", "middleware CPU",
        "server CPU", "net thread", "worker pool",
    }  # fmt: skip
    assert table["utilization"].is_monotonic_decreasing


def test_full_workers_that_wait_for_a_saturated_link_are_not_the_bottleneck():
    report = bottleneck_report(station_table(RUNS, HOSTS))
    assert report == (
        "- **workload get** at 192 clients: the bottleneck is the server link, 99% busy: a request "
        "takes 0.341 ms there, so that no more than 2929 op/s can pass. Next is the CPU of the "
        "machine, 40% busy."
    )


def test_full_workers_with_nothing_else_saturated_are():
    report = bottleneck_report(station_table(RUNS, HOSTS.assign(send_link_utilization=0.3)))
    assert "the bottleneck is the worker pool, 100% busy" in report


def test_nothing_saturated_is_said():
    runs = RUNS.drop(columns="middleware_worker_utilization")
    report = bottleneck_report(station_table(runs, HOSTS.assign(send_link_utilization=0.3)))
    assert "no station is saturated; the busiest is the" in report
    assert "CPU of the machine, 40% busy. Next is the" in report
