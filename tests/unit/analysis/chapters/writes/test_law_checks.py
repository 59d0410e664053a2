import pandas as pd
import pytest

from analysis.chapters.writes.law_checks import law_check_table


def runs(**changed: float) -> pd.DataFrame:
    """192 clients, 16 workers in two middlewares: everything obeys the laws."""
    measured = {
        "num_middlewares": 2,
        "num_clients": 192,
        "think_time_s": 0.0,
        "client_throughput_ops_per_s": 8000.0,
        "client_response_time_ms": 24.0,
        "middleware_throughput_ops_per_s": 8000.0,
        "middleware_queueing_time_ms": 20.0,
        "middleware_queue_length": 160.0,
        "middleware_service_time_ms": 2.0,
        "middleware_worker_utilization": 1.0,
    }
    light = {"num_clients": 6, "client_throughput_ops_per_s": 2000.0}
    rows = [{**measured, **more, **changed} for more in ({}, {}, light)]
    return pd.DataFrame(rows).assign(workload="set", workers=8)


def test_what_obeys_the_laws_stands_beside_equal_numbers():
    (row,) = law_check_table(runs()).to_dict("records")
    assert row["num_clients"] == 192
    assert row["throughput_by_law_ops_per_s"] == pytest.approx(row["throughput_ops_per_s"])
    assert row["queue_length_by_law"] == pytest.approx(row["queue_length"])
    assert row["utilization_by_law"] == pytest.approx(row["worker_utilization"])


def test_think_times_have_rows_of_their_own():
    both = pd.concat([runs(), runs(think_time_s=0.006, client_throughput_ops_per_s=6400.0)])
    table = law_check_table(both)
    assert table["throughput_by_law_ops_per_s"].tolist() == pytest.approx([8000, 6400])
