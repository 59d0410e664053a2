import pandas as pd
import pytest

from analysis.sections.workers import worker_sentences, worker_table


def runs(*loads, workers=8, middlewares=2) -> pd.DataFrame:
    """Loads as (clients, service time in ms, throughput, worker utilization)."""
    rows = [("set", workers, middlewares, *load) for load in loads for _ in (1, 2)]
    measures = ["service_time_ms", "throughput_ops_per_s", "worker_utilization"]
    columns = ["workload", "workers", "num_middlewares", "num_clients"]
    return pd.DataFrame(rows, columns=[*columns, *(f"middleware_{name}" for name in measures)])


def utilizations(count=8, /, **busy) -> pd.DataFrame:
    """What `utilization_table` tells of one system, by resource."""
    names = {"servers": "servers' links", "clients": "clients' links", "machine": "machine's CPU"}
    rows = [("set", count, names.get(name, name), share) for name, share in busy.items()]
    frame = pd.DataFrame(rows, columns=["workload", "workers", "resource", "utilization"])
    return frame.assign(queue_length=20.0)


def sentence(frame, *known) -> str:
    return (
        worker_sentences(worker_table(frame), ("workload", "workers"), *known)
        .replace("\xa0", " ")
        .replace("\N{NARROW NO-BREAK SPACE}", "")
    )


def test_the_bound_is_workers_over_the_shortest_service_time():
    (row,) = worker_table(runs((6, 2.0, 2500.0, 0.3), (192, 2.2, 7200.0, 0.99))).to_dict("records")
    assert (row["num_clients"], row["fewest_clients"]) == (192, 6)
    assert row["most_ops_per_s"] == pytest.approx(16 / 2e-3)
    assert row["share_of_most"] == pytest.approx(0.9)
    assert row["worker_utilization"] == pytest.approx(0.99)


def test_workers_at_their_bound_wait_for_latency():
    text = sentence(runs((6, 2.0, 2500.0, 0.3), (192, 2.2, 7200.0, 0.99)))
    assert "8 workers in each of 2 middlewares" in text
    assert "16 / 2.00 ms, about 8000 op/s; measured 7200 op/s at 192 clients (90 %)" in text
    assert "the workers are the limit. A service takes 2.20 ms, 10 % longer than at 6" in text


def test_what_is_printed_about_a_bound_holds_for_what_is_printed_beside_it():
    text = sentence(runs((6, 1.1107, 2500.0, 0.3), (192, 1.2, 6800.0, 0.99), middlewares=1))
    assert "8 / 1.11 ms, about 7200 op/s" in text  # 7203, and 8 / 1.11 is 7207


def test_the_emulated_round_trip_is_taken_out_of_the_service_time():
    pings = pd.DataFrame({"emulated_round_trip_time_ms": [0.9, 0.9]})
    text = sentence(runs((6, 2.0, 2500.0, 0.3), (192, 2.2, 7200.0, 0.99)), None, pings)
    assert "0.9 ms of it the emulated round trip" in text


def test_what_busy_workers_wait_for_is_named():
    loads = runs((6, 2.0, 2500.0, 0.1), (192, 8.0, 2000.0, 0.99))
    text = sentence(loads, utilizations(workers=0.99, servers=0.97, machine=0.4))
    assert "They wait for the servers' links (97 %)" in text


def test_links_in_front_of_the_workers_are_not_what_they_wait_for():
    loads = runs((6, 2.0, 2500.0, 0.1), (192, 8.0, 2000.0, 0.99))
    text = sentence(loads, utilizations(workers=0.99, clients=0.94, machine=0.87))
    assert "clients' links" not in text
    assert "Nothing that is emulated behind them was busy all the time" in text
    assert "the CPU of the machine was for 87 %" in text


def test_numbers_of_workers_of_which_the_same_is_said_stand_together():
    few = runs((6, 2.0, 2500.0, 0.1), (192, 8.0, 2000.0, 0.99))
    many = runs((6, 2.0, 2500.0, 0.1), (192, 80.0, 2010.0, 0.99), workers=80)
    known = [utilizations(count, workers=0.99, servers=0.97) for count in (8, 80)]
    (line,) = sentence(pd.concat([few, many]), pd.concat(known)).splitlines()
    assert line.startswith("- **set, 8 and 80 workers in each of 2 middlewares**: at best about ")
    assert "8000 to 80000 op/s; measured 2000 to 2010 op/s at 192 clients (3 % to 25 %)" in line
    assert "4.0 to 40.0 times as long as at 6 clients" in line


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
