from dataclasses import replace

import pandas as pd
import pytest

from analysis.chapters.queueing_models.cells import (
    BUCKETS,
    MEASURES,
    NETWORK,
    SIMULATION,
    THROUGHPUT,
    compare_cells,
    demand_table,
    predict_cells,
)
from analysis.laws.summary import cells
from analysis.models.calibration_split import draw_calibration_split


@pytest.fixture(scope="module")
def tables(synthetic):
    return synthetic("0", "3.1")


@pytest.fixture(scope="module")
def predicted(tables):
    return predict_cells(tables, cells(tables.runs), "3.1", simulated_requests=1000, processes=1)


def test_every_cell_is_predicted_by_both_models(tables, predicted):
    assert len(predicted) == 2 * len(cells(tables.runs))
    assert set(predicted["model"]) == {NETWORK, SIMULATION}
    full = predicted.query("workload == 'get' and workers == 64 and num_clients == 192")
    assert full["bottleneck"].tolist() == ["server link"] * 2
    assert full[THROUGHPUT].to_numpy() == pytest.approx([2900, 2900], rel=0.03)


def test_links_that_let_bursts_pass_make_a_third_model(tables):
    measured = cells(tables.runs).query("workload == 'get' and workers == 64 and num_clients == 6")
    bursts = {"client": 0, "server": 16384}
    table = predict_cells(
        tables, measured, "3.1", simulated_requests=1000, processes=1, bursts=bursts
    )
    rates = table.set_index("model")[THROUGHPUT]
    assert rates.index.tolist() == [NETWORK, SIMULATION, BUCKETS]
    assert rates[NETWORK] < rates[SIMULATION] < rates[BUCKETS]
    none = predict_cells(
        tables, measured, "3.1", simulated_requests=1000, processes=1, bursts={"server": 0}
    )
    assert none["model"].tolist() == [NETWORK, SIMULATION]


def test_every_prediction_of_a_simulation_carries_its_interval(predicted):
    simulated = predicted[predicted["model"] == SIMULATION]
    assert (simulated["replications"] >= 5).all()
    for measure in MEASURES:
        assert (simulated[f"{measure}_ci_low"] <= simulated[measure]).all()
        assert (simulated[measure] <= simulated[f"{measure}_ci_high"]).all()
        half = (simulated[f"{measure}_ci_high"] - simulated[f"{measure}_ci_low"]) / 2
        assert (half / simulated[measure]).max() <= 0.01
    assert predicted.loc[predicted["model"] == NETWORK, "replications"].isna().all()


def test_predictions_stand_beside_the_cells_that_judge_them(tables, predicted):
    measured = cells(tables.runs)
    compared = compare_cells(measured, predicted, THROUGHPUT)
    assert len(compared) == len(predicted) / 2
    key = ["workload", "workers", "num_clients"]
    judged = draw_calibration_split(tables.runs).query("half == 'judged'")
    assert len(compared.merge(judged, on=key)) == len(compared)
    first = measured.merge(compared.iloc[[1]], on=key).iloc[0]
    assert first["measured"] == first[f"{THROUGHPUT}_mean"]
    assert first["relative_error"] == pytest.approx(first["predicted"] / first["measured"] - 1)
    assert first["predicted_ci_low"] < first["predicted"] < first["predicted_ci_high"]


def test_cells_that_judge_do_not_reach_the_demands(tables):
    measured = cells(tables.runs).query("workload == 'set'")
    judged = draw_calibration_split(tables.runs).query("half == 'judged'")[
        ["workload", "workers", "num_clients"]
    ]
    runs = tables.runs.merge(judged.assign(is_judged=True), how="left")
    wrong = runs.assign(
        middleware_net_thread_utilization=runs["middleware_net_thread_utilization"].where(
            runs["is_judged"].isna(), 1.0
        )
    )
    same, other = (
        predict_cells(replace(tables, runs=own), measured, "3.1") for own in (tables.runs, wrong)
    )
    pd.testing.assert_frame_equal(same, other)


def test_every_think_time_is_predicted_with_itself(tables):
    thinking = replace(
        tables,
        runs=pd.concat([tables.runs, tables.runs.assign(think_time_s=0.05)], ignore_index=True),
    )
    measured = cells(thinking.runs).query("workload == 'get' and workers == 64")
    table = predict_cells(thinking, measured, "3.1").set_index(["think_time_s", "num_clients"])
    light = table[THROUGHPUT].xs(6, level="num_clients")
    assert light[0.05] == pytest.approx(6 / 0.05, rel=0.1)
    assert light[0.0] > 5 * light[0.05]
    compared = compare_cells(measured, table.reset_index(), THROUGHPUT)
    assert not compared.duplicated(["think_time_s", "num_clients", "model"]).any()
    links = [
        demand_table(one).set_index("resource").loc["server link"] for one in (thinking, tables)
    ]
    pd.testing.assert_series_equal(*links)


def test_lines_have_loads_between_those_that_were_measured(tables):
    measured = cells(tables.runs).query("workload == 'get' and workers == 64")
    lines = predict_cells(tables, measured, "3.1", between=1)
    assert lines["num_clients"].tolist() == [6, 34, 192]
    assert lines["half"].isna().tolist() == [False, True, False]


def test_demands_are_those_of_every_system(tables):
    table = demand_table(tables).set_index("resource")
    assert table.columns.tolist() == ["3.1 get", "3.1 set"]
    assert 1000 / table.loc["server link", "3.1 get"] == pytest.approx(2900, rel=0.03)
    assert table.loc["server link", "3.1 set"] < 0.01
