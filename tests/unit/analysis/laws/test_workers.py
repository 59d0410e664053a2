import pandas as pd
import pytest

from analysis.laws.workers import worker_table


def runs(*loads, workers=8, middlewares=2) -> pd.DataFrame:
    """Loads as (clients, service time in ms, throughput, worker utilization)."""
    rows = [("set", workers, middlewares, *load) for load in loads for _ in (1, 2)]
    measures = ["service_time_ms", "throughput_ops_per_s", "worker_utilization"]
    columns = ["workload", "workers", "num_middlewares", "num_clients"]
    return pd.DataFrame(rows, columns=[*columns, *(f"middleware_{name}" for name in measures)])


def test_the_bound_is_workers_over_the_shortest_service_time():
    (row,) = worker_table(runs((6, 2.0, 2500.0, 0.3), (192, 2.2, 7200.0, 0.99))).to_dict("records")
    assert (row["num_clients"], row["fewest_clients"]) == (192, 6)
    assert row["most_ops_per_s"] == pytest.approx(16 / 2e-3)
    assert row["share_of_most"] == pytest.approx(0.9)
    assert row["worker_utilization"] == pytest.approx(0.99)


def test_a_single_load_tells_no_shortest_service_time():
    table = worker_table(runs((192, 2.0, 7000.0, 0.95)))
    assert table["share_of_most"].isna().all()


def test_no_runs_give_no_rows():
    assert worker_table(runs()).empty


def test_think_times_have_rows_of_their_own():
    loads = ((6, 2.0, 2500.0, 0.3), (192, 2.2, 7200.0, 0.99))
    both = pd.concat([runs(*loads).assign(think_time_s=z) for z in (0.0, 0.005)])
    table = worker_table(both)
    assert table["think_time_s"].tolist() == [0.0, 0.005]
    assert set(table["share_of_most"].round(6)) == {0.9}
