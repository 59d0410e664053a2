import numpy as np
import pandas as pd
import pytest

from analysis.laws.summary import cells
from analysis.models import mm1, mmm
from analysis.models.fed_with_closed_loops import (
    BEST_SECOND,
    SERVICE_TIMES,
    best_seconds,
    recipe_table,
    station_predictions,
)

RESPONSE_TIME = "middleware_response_time_ms"


@pytest.fixture(scope="module")
def tables(synthetic):
    return synthetic("3.1")


def of(table, model, recipe, num_clients=6):
    rows = table.query("workload == 'get' and workers == 8 and num_clients == @num_clients")
    rows = rows[(rows["model"] == model) & (rows["service_rate_from"] == recipe)]
    (row,) = rows.to_dict("records")
    return row


def mmm_cell(utilization, workers=8, service_time_s=1e-3):
    """One cell and its windows that are those of M/M/m in truth."""
    rate = utilization * workers / service_time_s
    response_time_ms = 1000 * float(mmm(rate, 1 / service_time_s, workers).response_time)
    cell = {
        "section": "3.1", "workload": "set", "workers": workers, "num_clients": 6,
        "middleware_throughput_ops_per_s_mean": rate,
        "middleware_worker_utilization_mean": utilization,
        f"{RESPONSE_TIME}_mean": response_time_ms,
        f"{RESPONSE_TIME}_ci_low": np.nan, f"{RESPONSE_TIME}_ci_high": np.nan,
    }  # fmt: skip
    second = {
        "workload": "set", "workers": workers, "stable": True, "side": "middleware",
        "time_dilation": 10.0, "throughput_ops_per_s": 1.01 * rate,
    }  # fmt: skip
    return pd.DataFrame([cell]), pd.DataFrame([second])


def test_the_studies_recipe_takes_the_largest_second_and_the_mean(tables):
    measured = cells(tables.runs)
    best = best_seconds(tables.windows).set_index(["workload", "workers"])
    table = station_predictions(measured, tables.windows)
    one = of(table, "M/M/1", BEST_SECOND)
    cell = measured.query("workload == 'get' and workers == 8 and num_clients == 6").iloc[0]
    rate = cell["middleware_throughput_ops_per_s_mean"]
    expected = mm1(rate, best.loc[("get", 8), "best_second_ops_per_s"]).response_time
    assert one["predicted"] == pytest.approx(float(expected) * 1000, rel=0.01)
    assert one["measured"] == cell[f"{RESPONSE_TIME}_mean"]
    assert 0 < one["utilization"] <= 1
    assert len(table) == 2 * 2 * len(measured)


@pytest.mark.parametrize("utilization", [0.3, 0.8])
def test_service_times_find_what_is_mmm_in_truth_and_the_best_second_does_not(utilization):
    table = station_predictions(*mmm_cell(utilization))
    right, wrong = (
        table[(table["model"] == "M/M/m") & (table["service_rate_from"] == recipe)].iloc[0]
        for recipe in (SERVICE_TIMES, BEST_SECOND)
    )
    assert right["relative_error"] == pytest.approx(0, abs=1e-9)
    assert right["utilization"] == pytest.approx(utilization)
    assert wrong["relative_error"] > 1
    assert wrong["utilization"] == pytest.approx(1 / 1.01)


def test_one_request_more_in_the_best_second_is_a_step_of_the_dilation():
    table = station_predictions(*mmm_cell(0.5)).query("model == 'M/M/1'")
    studies = table[table["service_rate_from"] == BEST_SECOND].iloc[0]
    expected_ms = 1000 * float(mm1(4000, 4040 + 10).response_time)
    assert studies["one_request_more"] == pytest.approx(expected_ms)
    own = table[table["service_rate_from"] == SERVICE_TIMES]
    assert own["one_request_more"].isna().all()


def test_at_utilization_one_nothing_is_predicted(tables):
    seconds = tables.windows.assign(throughput_ops_per_s=1.0)
    measured = cells(tables.runs).assign(middleware_worker_utilization_mean=1.001)
    table = station_predictions(measured, seconds)
    assert np.isnan(table["predicted"]).all()
    assert (table["utilization"] > 1).all()


def test_workers_that_do_not_tell_their_time_leave_the_best_second(tables):
    measured = cells(tables.runs).assign(middleware_worker_utilization_mean=float("nan"))
    table = station_predictions(measured, tables.windows).groupby("service_rate_from")
    known = table["predicted"].count()
    assert known[SERVICE_TIMES] == 0
    assert known[BEST_SECOND] > 0


def test_without_a_middleware_there_is_nothing_to_model(tables):
    nothing = cells(tables.runs).assign(middleware_throughput_ops_per_s_mean=float("nan"))
    with pytest.raises(ValueError, match="no cell has a middleware"):
        station_predictions(nothing, pd.DataFrame())


def test_each_cell_has_two_rows(tables):
    predictions = station_predictions(cells(tables.runs), tables.windows)
    table = recipe_table(predictions)
    assert len(table) == len(predictions) / 2
    assert table["service_rate_from"].tolist()[:2] == [BEST_SECOND, SERVICE_TIMES]
    row = table.query("workload == 'get' and workers == 8 and num_clients == 6").iloc[0]
    assert row["M/M/1"] == of(predictions, "M/M/1", BEST_SECOND)["predicted"]
    assert row["M/M/m"] == of(predictions, "M/M/m", BEST_SECOND)["predicted"]
