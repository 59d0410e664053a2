import pandas as pd
import pytest

from analysis.demands import cpu_demands, with_demands

RUNS = pd.DataFrame(
    {
        "workload": "get",
        "num_clients": [6, 192, 192],
        "client_throughput_ops_per_s": [2000.0, 2800.0, 3000.0],
    }
)
UTILIZATIONS = pd.DataFrame(
    {
        "workload": "get",
        "num_clients": 192,
        "resource": ["servers' links", "net threads", "workers"],
        "utilization": [0.99, 0.25, 1.0],
    }
)


def test_demand_is_utilization_over_throughput_at_the_same_load():
    table = with_demands(UTILIZATIONS, RUNS).set_index("resource")
    assert table.loc["net threads", "service_demand_ms"] == pytest.approx(0.25 / 2.9)
    assert table.loc["servers' links", "saturation_ops_per_s"] == pytest.approx(2900 / 0.99)
    assert table["utilization"].tolist() == [0.99, 0.25, 1.0]


def test_workers_that_wait_have_no_demand():
    table = with_demands(UTILIZATIONS, RUNS).set_index("resource")
    assert table.loc["workers", ["service_demand_ms", "saturation_ops_per_s"]].isna().all()


def test_cpu_time_of_a_request_is_that_of_roles_and_of_the_machine_they_share():
    runs = pd.DataFrame(
        [("get", n, r, 10.0, 1000.0) for n in (6, 192) for r in (1, 2)],
        columns=[
            "workload",
            "num_clients",
            "repetition",
            "stable_s",
            "client_throughput_ops_per_s",
        ],
    )
    hosts = pd.DataFrame(
        [
            ("get", n, r, host, role, True, cpu_s, cpu_s / 10 / 2)
            for n in (6, 192)
            for r in (1, 2)
            for host, role, cpu_s in (
                ("c1", "clients", 2.0), ("c2", "clients", 2.0), ("s1", "servers", 6.0)
            )
        ],
        columns=["workload", "num_clients", "repetition", "host", "role", "shares_machine",
                 "cpu_s", "cpu_utilization"],
    )  # fmt: skip
    table = cpu_demands(hosts, runs).set_index("resource")
    assert (table["num_clients"] == 192).all()
    assert table.loc["clients' CPUs", "service_demand_ms"] == pytest.approx(0.4)
    assert table.loc["servers' CPUs", "service_demand_ms"] == pytest.approx(0.6)
    assert table.loc["machine's CPU", "service_demand_ms"] == pytest.approx(1.0)
    assert table.loc["machine's CPU", "saturation_ops_per_s"] == pytest.approx(2000)
    assert cpu_demands(hosts.assign(cpu_s=float("nan")), runs).empty
