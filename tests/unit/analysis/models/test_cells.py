from dataclasses import replace

import pytest

from analysis.models.cells import (
    BUCKETS,
    NETWORK,
    SIMULATION,
    THROUGHPUT,
    compare_cells,
    demand_table,
    predict_cells,
)
from analysis.sections.summary import cells
from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_campaign, build_network_runs


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("synthetic")
    build_campaign(folder, sections=("3.1",), clients_per_thread=(1, 32), workers=(8, 64))
    return tidy_campaign(build_network_runs(folder))


@pytest.fixture(scope="module")
def predicted(tables):
    return predict_cells(tables, cells(tables.runs), "3.1", simulated_requests=2000)


def test_every_cell_is_predicted_by_both_models(tables, predicted):
    assert len(predicted) == 2 * len(cells(tables.runs))
    assert set(predicted["model"]) == {NETWORK, SIMULATION}
    full = predicted.query("workload == 'get' and workers == 64 and num_clients == 192")
    assert full["bottleneck"].tolist() == ["server link"] * 2
    assert full[THROUGHPUT].to_numpy() == pytest.approx([2900, 2900], rel=0.03)


def test_below_saturation_there_is_no_bottleneck(predicted):
    idle = predicted.query("workload == 'set' and workers == 64 and num_clients == 6")
    assert idle["bottleneck"].tolist() == ["none"] * 2


def test_links_that_let_bursts_pass_make_a_third_model(tables):
    measured = cells(tables.runs).query("workload == 'get' and workers == 64 and num_clients == 6")
    bursts = {"client": 0, "server": 16384}
    table = predict_cells(tables, measured, "3.1", simulated_requests=2000, bursts=bursts)
    rates = table.set_index("model")[THROUGHPUT]
    assert rates.index.tolist() == [NETWORK, SIMULATION, BUCKETS]
    assert rates[NETWORK] < rates[SIMULATION] < rates[BUCKETS]
    none = predict_cells(tables, measured, "3.1", simulated_requests=2000, bursts={"server": 0})
    assert none["model"].tolist() == [NETWORK, SIMULATION]


def test_lines_have_loads_between_those_that_were_measured(tables):
    measured = cells(tables.runs).query("workload == 'get' and workers == 64")
    lines = predict_cells(tables, measured, "3.1", between=1)
    assert lines["num_clients"].tolist() == [6, 34, 192]
    assert len(compare_cells(measured, lines, THROUGHPUT)) == 2


def test_predictions_stand_beside_the_cells(tables, predicted):
    measured = cells(tables.runs)
    compared = compare_cells(measured, predicted, THROUGHPUT)
    assert len(compared) == len(predicted)
    first = measured.merge(compared.iloc[[0]], on=["workload", "workers", "num_clients"]).iloc[0]
    assert first["measured"] == first[f"{THROUGHPUT}_mean"]
    assert first["relative_error"] == pytest.approx(first["predicted"] / first["measured"] - 1)


def test_demands_are_those_of_every_system(tables):
    table = demand_table(tables).set_index("resource")
    assert table.columns.tolist() == ["3.1 get", "3.1 set"]
    assert 1000 / table.loc["server link", "3.1 get"] == pytest.approx(2900, rel=0.03)
    assert table.loc["server link", "3.1 set"] < 0.01


def test_demands_that_are_not_known_are_missing(tables):
    runs = tables.runs.assign(middleware_net_thread_utilization=float("nan"))
    table = demand_table(replace(tables, runs=runs)).set_index("resource")
    assert table.loc["net thread"].isna().all()
