"""Networks of queues with the right demands predict what was simulated; others are off."""

import dataclasses
import math

import pandas as pd
import pytest
from scipy import stats

from analysis.chapters.message_queues import networks, prediction_errors
from analysis.chapters.message_queues.demands import (
    Demands,
    measured_demands,
    service_growth,
    system_of,
)
from analysis.chapters.message_queues.networks import (
    DATABASE,
    NETWORK,
    RESPONSE_TIME,
    SINGLE,
    THROUGHPUT,
)
from analysis.chapters.message_queues.runs import plain_runs, with_databases
from analysis.chapters.message_queues.what_ifs import what_ifs
from analysis.models import simulate
from analysis.models.simulated.simulation import SimulationOptions
from tests.helpers.queues import TRUTH, queue_tables


@pytest.fixture(scope="module")
def tables():
    return queue_tables()


@pytest.fixture(scope="module")
def demands(tables):
    return measured_demands(tables)


@pytest.fixture(scope="module")
def cells(tables):
    return networks.queue_cells(tables)


@pytest.fixture(scope="module")
def predicted(tables, cells, demands):
    return networks.predictions(tables, cells, demands)


def test_shared_queues_predict_every_cell(cells, predicted):
    for measure in (THROUGHPUT, RESPONSE_TIME):
        compared = prediction_errors.compared(cells, predicted, measure)
        assert len(compared) == 3 * (4 + 9)
        shares = prediction_errors.error_shares(compared).set_index("model")
        assert shares.loc[NETWORK, "near"] >= 0.9
        assert shares.loc[DATABASE, "near"] >= 0.9
        assert (
            shares.loc[SINGLE, "mean_absolute_error"] > shares.loc[NETWORK, "mean_absolute_error"]
        )


def test_cells_in_which_the_machine_was_full_judge_no_model(cells, predicted):
    full = cells.assign(machine_utilization_mean=cells["machine_utilization_mean"].where(
        cells["num_middlewares"] < 2, 0.97
    ))  # fmt: skip
    assert (
        prediction_errors.machine_is_full(full).sum() == (cells["num_middlewares"] >= 2).sum() > 0
    )
    compared = prediction_errors.compared(full, predicted, THROUGHPUT)
    assert set(compared["num_middlewares"]) == {1}
    unknown = cells.drop(columns="machine_utilization_mean")
    assert not prediction_errors.machine_is_full(unknown).any()


def test_repetitions_that_differ_put_even_a_right_model_off(cells, predicted):
    one = prediction_errors.compared(cells, predicted, THROUGHPUT).iloc[[0]]
    half = stats.t.ppf(0.99, 2) * 10 / 3**0.5  # of three with a standard deviation of 10
    spread = {"repetitions": 3, "measured": 100.0, "ci_low": 100 - half, "ci_high": 100 + half}
    quantile = 5 / (10 / 3**0.5)
    known = quantile / (2 + quantile**2) ** 0.5  # of t with two degrees of freedom
    assert prediction_errors.right_share(one.assign(**spread)) == pytest.approx(known)
    steady = one.assign(repetitions=3, measured=100.0, ci_low=100.0, ci_high=100.0)
    assert prediction_errors.right_share(steady) == 1
    assert math.isnan(prediction_errors.right_share(one.assign(repetitions=1)))
    table = prediction_errors.shares_by_measure(prediction_errors.comparisons(cells, predicted))
    right = table.query("model == @prediction_errors.RIGHT")
    assert (
        right["loads"].tolist() == [prediction_errors.HELD_OUT] * 2 + [prediction_errors.LIGHT] * 2
    )
    assert right["cells"].tolist() == [12, 12, 1, 1]


DEMANDS = Demands(
    network_delay=TRUTH["network_delay"], net_thread_time=TRUTH["net_thread_time"],
    worker_time=TRUTH["worker_time"], database_times=((1, TRUTH["server_time"]),), other_time=2e-4,
)  # fmt: skip


def test_changes_stand_beside_what_was_measured_of_them(cells, demands):
    table = what_ifs(cells, demands).set_index("case")
    assert table.index[0] == "as it is"
    measured = table["relative_error"].dropna()
    assert set(measured.index) == {
        "as it is", "2 databases", "database of 2 CPUs in place of 1", "4 front-end threads",
    }  # fmt: skip
    assert measured.abs().max() < 0.05
    assert table["machine"].dropna().to_dict() == pytest.approx(dict.fromkeys(measured.index, 0.3))
    gains = table["predicted_gain"]
    assert gains["2 databases"] == pytest.approx(1, abs=0.1)
    assert gains["4 front-end threads"] == pytest.approx(0, abs=0.01)
    assert gains["database 8 times as fast"] > gains["database 4 times as fast"] > 2


def test_without_demands_nothing_is_predicted(tables, cells, demands):
    unknown = dataclasses.replace(demands, database_times=())
    assert networks.predictions(tables, cells, unknown).empty
    assert what_ifs(cells, unknown).empty
    nothing = networks.predictions(tables, cells.iloc[:0], demands)
    assert prediction_errors.compared(cells, nothing, THROUGHPUT).empty
    assert prediction_errors.error_shares(
        prediction_errors.compared(cells, nothing, THROUGHPUT)
    ).empty


def test_single_servers_are_as_many_as_su_has():
    cell = {"num_middlewares": 5, "workers": 4, "net_threads": 4, "num_databases": 1}
    cell |= {"num_clients": 20}
    system = system_of({**cell, "think_time_s": 0.005, "database_cpus_each": 4}, DEMANDS)
    assert len(networks.single_servers(system)) == 20 + 20 + 20 + 4


def test_a_measured_database_goes_on_as_it_ended(tables, demands):
    cell = {"num_middlewares": 1, "workers": 128, "net_threads": 1, "num_databases": 1}
    cell |= {"num_clients": 128}
    system = system_of({**cell, "think_time_s": 0.0, "database_cpus_each": 1}, demands)
    workers = networks.with_measured_database(system, service_growth(tables, demands))[-1]
    assert workers.rates[-1] == pytest.approx(1 / TRUTH["server_time"], rel=0.05)
    alone = demands.worker_time + demands.other_time + 2 * demands.network_delay
    assert 1 / workers.rates[0] == pytest.approx(alone + TRUTH["server_time"], rel=0.05)


def test_what_fills_first_is_the_database(cells, predicted):
    full = predicted.query("section == 'q4' and num_clients == 128 and num_databases == 1")
    assert set(full["bottleneck"]) == {"database CPUs"}
    few = predicted.query("section == 'q2' and num_middlewares * workers == 1")
    assert set(few["bottleneck"]) == {"workers"}
    table = networks.utilizations(
        plain_runs(with_databases(queue_tables())).query("section == 'q4'"), DEMANDS
    )
    for name in ("front_end", "workers_busy", "database"):
        assert table[name].to_numpy() == pytest.approx(table[f"{name}_predicted"], abs=0.05)


@pytest.mark.slow
def test_several_cpus_and_threads_share_what_they_do():
    cell = {"num_middlewares": 1, "workers": 8, "net_threads": 2, "num_databases": 1}
    cell |= {"num_clients": 24}
    system = system_of({**cell, "think_time_s": 0.002, "database_cpus_each": 4}, DEMANDS)
    options = SimulationOptions(duration_s=20, routing="hash")
    result = simulate(system, 24, options=options)
    cell |= {"section": "q4", "think_time_s": 0.002, "database_cpus": 4.0, "num_clients": 24}
    cells = pd.DataFrame([{**cell, "is_light": False}])
    found = networks.predictions(queue_tables(), cells, DEMANDS)
    (row,) = found.query("model == @NETWORK").to_dict("records")
    measured = result.measures["mean"]
    assert row["throughput_ops_per_s"] == pytest.approx(measured["throughput_ops_per_s"], rel=0.02)
    assert result.utilizations["server"] == pytest.approx(
        measured["throughput_ops_per_s"] * TRUTH["server_time"] / 4, rel=0.03
    )
