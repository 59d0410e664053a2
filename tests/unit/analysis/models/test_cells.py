from dataclasses import replace

import pytest

from analysis.models.cells import (
    NETWORK,
    SIMULATION,
    compare_cells,
    demand_table,
    for_plot,
    predict_cells,
)
from analysis.sections.summary import cells
from analysis.tables.tidying import tidy_campaign
from analysis.words.models import model_sentences
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
    assert full["throughput_ops_per_s"].to_numpy() == pytest.approx([2900, 2900], rel=0.03)


def test_below_saturation_there_is_no_bottleneck(predicted):
    idle = predicted.query("workload == 'set' and workers == 64 and num_clients == 6")
    assert idle["bottleneck"].tolist() == ["none"] * 2


def test_bursts_reach_the_simulation_alone(tables):
    measured = cells(tables.runs).query("workload == 'get' and workers == 64 and num_clients == 6")
    few = {"simulated_requests": 2000}
    without = predict_cells(tables, measured, "3.1", **few)
    known = {"server_link_burst": 16384}
    with_bursts = predict_cells(tables, measured, "3.1", known=known, **few)
    change = with_bursts["throughput_ops_per_s"] / without["throughput_ops_per_s"] - 1
    assert change[with_bursts["model"] == NETWORK].tolist() == [0]
    assert (change[with_bursts["model"] == SIMULATION] > 0).all()


def test_predictions_stand_beside_the_cells(tables, predicted):
    measured = cells(tables.runs)
    compared = compare_cells(measured, predicted, "throughput_ops_per_s")
    assert len(compared) == len(predicted)
    drawn = for_plot(compared, measured, "throughput_ops_per_s")
    one = drawn.iloc[0]
    assert one["client_throughput_ops_per_s_predicted"] == one["predicted"]
    assert one["client_throughput_ops_per_s_mean"] == one["measured"]
    sentences = model_sentences(compared)
    assert sentences.count("- **Workload") == 2
    assert "The network of queues is within 5\N{NO-BREAK SPACE}%" in sentences


def test_demands_name_what_would_saturate(tables):
    table = demand_table(tables, "3.1", workers=64).set_index(["workload", "resource"])
    assert table.loc[("get", "server link"), "saturation_ops_per_s"] == pytest.approx(
        2900, rel=0.03
    )
    assert table.loc[("set", "server link"), "service_demand_ms"] < 0.01


def test_demands_that_are_not_known_are_missing(tables):
    runs = tables.runs.assign(middleware_net_thread_utilization=float("nan"))
    table = demand_table(replace(tables, runs=runs), "3.1", workers=64).set_index("resource")
    unknown = table.loc["net thread", ["service_demand_ms", "saturation_ops_per_s"]]
    assert unknown.isna().all(axis=None)
