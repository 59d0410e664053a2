import math

import numpy as np
import pandas as pd
import pytest

from analysis.models import SimulationOptions, System, mm1, mmm, simulate
from analysis.sections.open_loop import (
    TOKEN_BUCKET,
    UNEXPLAINED,
    ServiceCenter,
    compare_open,
    scv,
    waiting_time,
)

SERVICE_TIME = 4096 * 8 / 100e6


def cells(rates, response_times_ms, half_width_ms=0.05):
    times = np.array(response_times_ms, dtype=float)
    return pd.DataFrame(
        {
            "arrival_rate_per_s": rates,
            "client_throughput_ops_per_s_mean": rates,
            "client_response_time_ms_mean": times,
            "client_response_time_ms_ci_low": times - half_width_ms,
            "client_response_time_ms_ci_high": times + half_width_ms,
        }
    )


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


@pytest.mark.parametrize(("link_times", "right"), [("constant", "M/D/1"), ("exponential", "M/M/1")])
def test_the_right_model_is_found_for_a_simulated_link(link_times, right):
    rates = [1000.0, 2000.0, 2600.0]
    runs = [simulated(rate, link_times) for rate in rates]
    measured = cells(rates, [run.loc["client_response_time_ms", "mean"] for run in runs])
    measured["client_throughput_ops_per_s_mean"] = [
        run.loc["throughput_ops_per_s", "mean"] for run in runs
    ]
    table = compare_open(measured, ServiceCenter(service_time=SERVICE_TIME))
    errors = table.groupby("model")["relative_error"].apply(lambda e: e.abs().max())
    assert errors[right] < 0.06
    assert errors.idxmin() == right
    assert errors.max() > 0.2


def test_overload_and_wrong_assumptions_are_told():
    measured = cells([100.0, 900.0, 1100.0], [1.1, 5.5, 400.0])
    measured.loc[1, "client_throughput_ops_per_s_mean"] = 700.0
    center = ServiceCenter(service_time=1e-3, service_scv=0.1)
    table = compare_open(measured, center).set_index(["model", "arrival_rate_per_s"])
    assert table.loc[("M/D/1", 1100), "verdict"] == "no prediction"
    assert "no steady state" in table.loc[("M/D/1", 1100), "reason"]
    far = table.loc[("M/M/1", 900), "reason"].replace("\xa0", " ")
    assert "arrivals came at 78 % of the rate" in far
    assert "SCV" not in far  # it would make the model predict too much, not too little
    near = table.loc[("M/M/1", 100), "reason"]
    assert "SCV of 0.10, not 1.00, which matters little here" in near
    assert "assumptions hold" in table.loc[("M/G/1", 100), "reason"]
    assert table.loc[("M/M/1", 100), "verdict"] == "agrees"


def test_an_error_is_explained_only_by_what_leads_to_its_sign():
    center = ServiceCenter(service_time=1e-3, service_scv=0.1)
    slow, fast = cells([500.0], [9.0]), cells([500.0], [1.2])  # M/M/1 says 2 ms
    too_little = compare_open(slow, center).set_index("model")["reason"]
    assert too_little.str.endswith(UNEXPLAINED).all()
    too_much = compare_open(fast, center).set_index("model")["reason"]
    assert "SCV of 0.10, not 1.00" in too_much["M/M/1"]
    assert too_much["M/G/1"].endswith(UNEXPLAINED)


def test_a_token_bucket_is_told_from_a_link_that_sends_one_message_after_the_other():
    rates, burst_bytes = [1000.0, 2600.0], 16384
    system = System(
        client_machines=1, request_bytes=0, reply_bytes=4096, client_link_rate=math.inf,
        server_link_burst=burst_bytes,
    )  # fmt: skip
    options = SimulationOptions(duration_s=60)
    runs = [simulate(system, arrival_rate=rate, options=options).measures for rate in rates]
    measured = cells(rates, [0.5 + run.loc["client_response_time_ms", "mean"] for run in runs])
    center = ServiceCenter(
        service_time=SERVICE_TIME,
        other_time=5e-4,
        service_scv=0.0,
        burst_time=burst_bytes * 8 / 100e6,
        unserved_share=pd.Series([0.97, 0.6], measured.index),
    )
    table = compare_open(measured, center).set_index(["model", "arrival_rate_per_s"])
    assert table.index.unique("model").tolist() == ["M/M/1", "M/D/1", TOKEN_BUCKET]
    errors = table["relative_error"]
    assert errors[TOKEN_BUCKET].abs().max() < 0.06
    assert errors["M/D/1"].min() > 0.3
    told = table.loc[("M/D/1", 1000), "reason"].replace("\xa0", " ")
    assert "lets 4.0 replies pass at once: 97 % of the requests took less than 0.83 ms" in told
    assert "assumptions hold" in table.loc[(TOKEN_BUCKET, 1000), "reason"]


def test_scv_of_histograms():
    constant = pd.DataFrame({"upper_edge_ms": [2.0], "count": [9]})
    two = pd.DataFrame({"upper_edge_ms": [1.0, 3.0], "count": [5, 5]})
    assert scv(constant) == 0
    assert scv(two) == pytest.approx(0.25)
    assert math.isnan(scv(constant.assign(count=1)))


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="no cell has an arrival_rate_per_s"):
        compare_open(
            cells([1.0], [1.0]).drop(columns="arrival_rate_per_s"), ServiceCenter(service_time=1e-3)
        )
    with pytest.raises(ValueError, match="service_time must be > 0, got 0"):
        waiting_time(1.0, 0.0)
    with pytest.raises(ValueError, match="service_scv must be >= 0"):
        waiting_time(1.0, 0.1, 1, -1.0)
