import math

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.queueing_models.open_loop import (
    TOKEN_BUCKET,
    ServiceCenter,
    compare_open,
    error_rows,
    open_curves,
    run_errors,
    scv,
    waiting_time,
)
from analysis.models import SimulationOptions, System, mm1, mmm, simulate

SERVICE_TIME = 4096 * 8 / 100e6


def runs_of(rates, response_times_ms, service_time_s=SERVICE_TIME, service_scv=0.0, **more):
    runs = pd.DataFrame(
        {
            "arrival_rate_per_s": rates,
            "repetition": 1,
            "measured_rate_per_s": rates,
            "service_time_s": service_time_s,
            "service_scv": service_scv,
            "machine_share": math.nan,
            "client_response_time_ms": response_times_ms,
        }
    )
    return runs.assign(**more)


def simulated(rate, link_times):
    system = System(
        client_machines=1,
        request_bytes=0,
        reply_bytes=4096,
        client_link_rate=math.inf,
        server_link_rate=100e6,
    )
    options = SimulationOptions(warm_up_s=2, duration_s=60, link_times=link_times)
    return simulate(system, arrival_rate=rate, options=options).measures


def test_waiting_time_is_that_of_the_known_models():
    rate = np.array([0.0, 0.5, 0.9])
    np.testing.assert_allclose(waiting_time(rate, 1.0), mm1(rate, 1.0).waiting_time)
    np.testing.assert_allclose(waiting_time(rate, 1.0, 1, 0.0), rate / 2 / (1 - rate))  # M/D/1
    np.testing.assert_allclose(waiting_time(3.0, 2.0, 8), mmm(3.0, 0.5, 8).waiting_time)
    assert np.isnan(waiting_time(1.0, 1.0)).all()


@pytest.mark.slow
@pytest.mark.parametrize(("link_times", "right"), [("constant", "M/D/1"), ("exponential", "M/M/1")])
def test_the_right_model_is_found_for_a_simulated_link(link_times, right):
    rates = [1000.0, 2000.0, 2600.0]
    runs = [simulated(rate, link_times) for rate in rates]
    measured = runs_of(rates, [run.loc["client_response_time_ms", "mean"] for run in runs])
    measured["measured_rate_per_s"] = [run.loc["throughput_ops_per_s", "mean"] for run in runs]
    table = compare_open(ServiceCenter(runs=measured))
    errors = table.groupby("model")["relative_error"].apply(lambda e: e.abs().max())
    assert errors[right] < 0.06
    assert errors.idxmin() == right
    assert errors.max() > 0.2


def test_overload_has_no_prediction():
    measured = runs_of([100.0, 900.0, 1100.0], [1.1, 5.5, 400.0], 1e-3, 0.1)
    table = compare_open(ServiceCenter(runs=measured)).set_index(["model", "arrival_rate_per_s"])
    assert table.loc["M/D/1", "utilization"].tolist() == pytest.approx([0.1, 0.9, 1.1])
    assert table["predicted"].isna().groupby("arrival_rate_per_s").all().tolist() == [
        False, False, True,
    ]  # fmt: skip
    assert table.index.unique("model").tolist() == ["M/M/1", "M/D/1", "M/G/1"]


def test_each_run_is_predicted_from_its_own_rate_and_service_time():
    rates = np.array([850.0, 900.0, 950.0])
    truth_ms = 1000 * mm1(rates, 1000.0).response_time
    measured = runs_of(900.0, truth_ms, 1e-3).assign(
        measured_rate_per_s=rates, repetition=[1, 2, 3]
    )
    table = compare_open(ServiceCenter(runs=measured)).set_index("model")
    assert table.loc["M/M/1", "relative_error"] == pytest.approx(0, abs=1e-12)
    assert table.loc["M/M/1", "predicted"] == pytest.approx(truth_ms.mean())
    of_the_mean = 1000 * float(mm1(900.0, 1000.0).response_time)
    assert of_the_mean / truth_ms.mean() < 0.85  # what a prediction from means would have given
    assert table.loc["M/D/1", "error_ci_high"] < 0
    assert table.loc["M/D/1", "repetitions"] == 3


def test_stations_that_were_not_measured_give_no_rows():
    center = ServiceCenter(runs=runs_of([], []))
    assert compare_open(center).empty
    assert open_curves(center).empty
    assert error_rows({"link": center}).empty


def test_a_token_bucket_is_told_from_a_link_that_sends_one_message_after_the_other():
    rates, burst_bytes = [1000.0, 2600.0], 16384
    system = System(
        client_machines=1, request_bytes=0, reply_bytes=4096, client_link_rate=math.inf,
        server_link_burst=burst_bytes,
    )  # fmt: skip
    options = SimulationOptions(duration_s=60)
    runs = [simulate(system, arrival_rate=rate, options=options).measures for rate in rates]
    measured = runs_of(rates, [0.5 + run.loc["client_response_time_ms", "mean"] for run in runs])
    center = ServiceCenter(
        runs=measured,
        other_time=5e-4,
        burst_time=burst_bytes * 8 / 100e6,
    )
    table = compare_open(center).set_index(["model", "arrival_rate_per_s"])
    assert table.index.unique("model").tolist() == ["M/M/1", "M/D/1", TOKEN_BUCKET]
    errors = table["relative_error"]
    assert errors[TOKEN_BUCKET].abs().max() < 0.06
    assert errors["M/D/1"].min() > 0.3


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="service_time must be > 0, got 0"):
        waiting_time(1.0, 0.0)
    with pytest.raises(ValueError, match="service_scv must be >= 0"):
        waiting_time(1.0, 0.1, 1, -1.0)


def test_curves_pass_through_the_predictions():
    measured = runs_of([900.0, 100.0], [5.5, 1.1], np.array([0.9e-3, 1.1e-3]), [0.2, 0.4])
    center = ServiceCenter(runs=measured, other_time=1e-3)
    curves, table = open_curves(center), compare_open(center)
    assert table["model"].unique().tolist() == ["M/M/1", "M/D/1", "M/G/1"]
    for model, curve in curves.groupby("model"):
        ends = curve.iloc[[0, -1]]
        own = table[table["model"] == model]
        assert ends["response_time_ms"].tolist() == pytest.approx(own["predicted"].tolist())
        assert ends["utilization"].tolist() == pytest.approx(own["utilization"].tolist())


def test_a_rate_of_which_one_run_is_overloaded_has_no_prediction():
    measured = runs_of(900.0, [5.0, 9.0], 1e-3).assign(
        measured_rate_per_s=[900.0, 1001.0], repetition=[1, 2]
    )
    center = ServiceCenter(runs=measured)
    assert run_errors(center)["predicted"].isna().tolist() == [False, True] * 2
    assert compare_open(center)[["predicted", "relative_error"]].isna().all(axis=None)


def test_scv_of_histograms():
    constant = pd.DataFrame({"upper_edge_ms": [2.0], "count": [9]})
    two = pd.DataFrame({"upper_edge_ms": [1.0, 3.0], "count": [5, 5]})
    assert scv(constant) == 0
    assert scv(two) == pytest.approx(0.25)
    assert math.isnan(scv(constant.assign(count=1)))
