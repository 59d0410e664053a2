"""Demands of a known system are found again from its components and lightest loads."""

import dataclasses
import math

import pandas as pd
import pytest

from analysis.chapters.message_queues import demands as of_demands
from analysis.chapters.message_queues.demands import (
    demand_rows,
    growth_by_workers,
    measured_demands,
    service_growth,
    system_of,
)
from analysis.chapters.message_queues.runs import (
    with_databases,
)
from analysis.models.prediction import predict
from tests.helpers.queues import ASIDE, TRUTH, queue_tables


@pytest.fixture(scope="module")
def tables():
    return queue_tables()


@pytest.fixture(scope="module")
def demands(tables):
    return measured_demands(tables)


def test_demands_are_those_of_the_system(demands):
    assert demands.network_delay == pytest.approx(TRUTH["network_delay"])
    assert demands.net_thread_time == pytest.approx(TRUTH["net_thread_time"], rel=0.02)
    assert demands.worker_time == pytest.approx(TRUTH["worker_time"])
    for idle_s in (1e-4, 1e-3, 1e-2, 1.0):
        assert demands.database_time(idle_s) == pytest.approx(TRUTH["server_time"], rel=0.02)
    assert demands.other_time == pytest.approx(ASIDE, rel=0.1)
    assert demands.known
    assert demand_rows(demands)["demand_ms"].between(0.01, 1).all()


def test_without_components_the_lightest_load_tells(tables):
    runs = tables.runs[tables.runs["section"] != "q3"]
    found = measured_demands(dataclasses.replace(tables, runs=runs))
    assert found.database_time(1) == pytest.approx(TRUTH["server_time"], rel=0.03)
    assert found.net_thread_time == pytest.approx(TRUTH["net_thread_time"], rel=0.03)


def test_what_nothing_tells_is_not_known(tables):
    found = measured_demands(dataclasses.replace(tables, hosts=pd.DataFrame()))
    assert found.database_times == ()
    assert not found.known
    with pytest.raises(ValueError, match="all demands must be known"):
        system_of({}, found)
    durable = {
        name: getattr(tables, name).query("section == 'q3'").assign(durable=True)
        for name in ("runs", "hosts")
    }
    found = measured_demands(dataclasses.replace(tables, **durable))  # no run is plain
    assert found.database_times
    assert math.isnan(found.other_time)


def test_a_database_with_more_requests_serves_each_of_them_longer(tables, demands):
    growth = service_growth(tables, demands)
    alone = TRUTH["server_time"] * 1000
    assert growth["requests"].iloc[0] == 1
    assert growth["service_time_ms"].iloc[0] == pytest.approx(alone, rel=0.05)
    last = growth.iloc[-1]
    assert last["requests"] > 50
    assert last["service_time_ms"] == pytest.approx(last["requests"] * alone, rel=0.03)
    by_workers = growth_by_workers(with_databases(tables))
    assert by_workers["all_workers"].tolist() == [1, 4, 16, 64]
    assert by_workers["service_time_ms"].is_monotonic_increasing


def test_times_between_idle_times_are_on_a_line_of_logarithms(demands):
    known = dataclasses.replace(demands, database_times=((0.004, 1e-4), (0.016, 2e-4)))
    assert known.database_time(0.008) == pytest.approx(2**0.5 * 1e-4)
    assert known.database_time(0.001) == pytest.approx(1e-4)
    assert known.database_time(0.064) == pytest.approx(2e-4)
    rows = demand_rows(known).set_index("part")["demand_ms"]
    assert rows["database, CPU"] == pytest.approx(0.1)
    assert rows["database, CPU, after 16 ms idle"] == pytest.approx(0.2)


def test_the_cpu_time_is_that_of_the_throughput_that_it_leads_to(demands):
    """One worker and one client: a connection idles for the whole cycle of a request."""
    known = dataclasses.replace(demands, database_times=((1e-4, 1e-4), (1e-2, 1e-3)))
    cell = {"num_middlewares": 1, "workers": 1, "net_threads": 1, "num_databases": 1}
    cell |= {"think_time_s": 0.0, "num_clients": 1, "database_cpus_each": 1}
    system = system_of(cell, known)
    throughput = float(predict(system, 1).measures["throughput_ops_per_s"].iloc[-1])
    assert system.server_time == pytest.approx(known.database_time(1 / throughput), rel=1e-4)


def test_a_delay_that_was_fitted_is_marked(tables, demands, monkeypatch):
    assert not demands.is_delay_fitted
    slow = tables.pings.assign(round_trip_time_min_ms=2e4 * TRUTH["network_delay"])
    fitted = measured_demands(dataclasses.replace(tables, pings=slow))
    assert fitted.is_delay_fitted
    assert fitted.network_delay == pytest.approx(TRUTH["network_delay"] + ASIDE / 2, rel=0.1)
    assert fitted.other_time == 0
    told = demand_rows(fitted).set_index("part")["told_by"]
    assert told["network, one message"].startswith("fitted to the lightest load")
    assert told["database, other waits"] == "0 because the network's delay was fitted"
    assert demand_rows(demands)["told_by"].str.contains("fitted").sum() == 0
    monkeypatch.setattr(of_demands, "_delay", lambda _: fitted.network_delay)
    assert not measured_demands(tables).is_delay_fitted, "the ping says the same"


def test_times_at_the_database_that_are_not_above_0_contradict_the_demands(tables, demands):
    """The shortest time alone would be below 0; what is left would look like a measurement."""
    slower = dataclasses.replace(
        demands, other_time=demands.other_time + TRUTH["server_time"] + 1e-4
    )
    assert service_growth(tables, slower).empty


def test_runs_know_what_their_databases_did(tables):
    runs = with_databases(tables)
    two = runs[runs["num_databases"] == 2]
    assert two["database_cpus_used"].gt(two["database_utilization"]).all()
    assert runs.loc[runs["backend"] == "echo", "database_cpus_used"].isna().all()
    assert len(runs) == len(tables.runs)


def test_half_a_cpu_is_one_that_takes_twice_as_long(demands):
    cell = {"num_middlewares": 1, "workers": 1, "net_threads": 1, "num_databases": 1}
    cell |= {"think_time_s": 0.0, "num_clients": 1}
    for cpus, cores, slower in ((0.5, 1, 2), (1, 1, 1), (1.5, 2, 4 / 3), (math.nan, 1, 1)):
        system = system_of({**cell, "database_cpus_each": cpus}, demands)
        assert system.server_cores == cores
        assert system.server_time == pytest.approx(slower * TRUTH["server_time"], rel=0.02)
