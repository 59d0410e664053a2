import pandas as pd
import pytest

from analysis.workers import worker_sentences, worker_table


def runs(*loads, workers=8, middlewares=2) -> pd.DataFrame:
    """Loads as (clients, service time in ms, throughput, worker utilization)."""
    rows = [("set", workers, middlewares, *load) for load in loads for _ in (1, 2)]
    measures = ["service_time_ms", "throughput_ops_per_s", "worker_utilization"]
    columns = ["workload", "workers", "num_middlewares", "num_clients"]
    return pd.DataFrame(rows, columns=[*columns, *(f"middleware_{name}" for name in measures)])


def sentence(frame) -> str:
    return (
        worker_sentences(worker_table(frame))
        .replace("\xa0", " ")
        .replace("\N{NARROW NO-BREAK SPACE}", "")
    )


def test_the_bound_is_workers_over_the_shortest_service_time():
    (row,) = worker_table(runs((6, 2.0, 2500.0, 0.3), (192, 2.2, 7200.0, 0.99))).to_dict("records")
    assert row["num_clients"] == 192
    assert row["most_ops_per_s"] == pytest.approx(16 / 2e-3)
    assert row["share_of_most"] == pytest.approx(0.9)
    assert row["worker_utilization"] == pytest.approx(0.99)


def test_workers_at_their_bound_wait_for_latency():
    text = sentence(runs((6, 2.0, 2500.0, 0.3), (192, 2.2, 7200.0, 0.99)))
    assert "8 workers in each of 2 middlewares" in text
    assert "16 / 2.00 ms = 8000 op/s, measured 7200 op/s at 192 clients (90 %)" in text
    assert "the workers are the limit" in text


def test_busy_workers_far_below_their_bound_wait_for_something_else():
    text = sentence(runs((6, 2.0, 2500.0, 0.1), (192, 8.0, 2000.0, 0.99)))
    assert "service takes 4.0 times as long" in text
    assert "something behind them" in text


def test_idle_workers_are_not_the_limit():
    text = sentence(runs((6, 2.0, 2500.0, 0.1), (12, 2.0, 3000.0, 0.25)))
    assert "12 of the 16 workers have no job on average, so they are not the limit" in text


def test_a_single_load_tells_no_latency():
    text = sentence(runs((192, 2.0, 7000.0, 0.95)))
    assert "only one load was measured" in text
    assert "all workers are busy" in text


def test_no_runs_give_no_rows():
    assert worker_sentences(worker_table(runs())) == ""
