import pandas as pd
import pytest

from analysis.demands import with_demands

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
