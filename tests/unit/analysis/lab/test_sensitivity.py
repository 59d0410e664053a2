import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.lab.sensitivity import (
    COUNT,
    PARAMETERS,
    RATE,
    UNEXPLAINED,
    predict_elasticities,
    predict_measured,
    sensitivity_table,
)
from analysis.models import System, message_bytes
from analysis.tables.tidying import tidy_campaign
from records.sensitivity import (
    AS_IT_IS,
    CLIENTS,
    DELAY,
    MACHINE_BY_DILATION,
    THROUGHPUT,
    WORKERS,
    factors_of,
)
from tests.helpers.campaign import build_campaign, build_network_runs

STEP = factors_of(0.2)
RATES = [name for name, one in PARAMETERS.items() if one.kind == RATE and "quota" not in name]
SYSTEM = System(
    middlewares=1, workers=64, network_delay=4.5e-4, net_thread_time=4e-5, server_time=2e-5,
    machine_time=1e-4, machine_cores=2, **message_bytes("get"),
)  # fmt: skip
FACTORS = {name: STEP for name in RATES} | {WORKERS: (51 / 64, 77 / 64), CLIENTS: (0.75, 1.25)}
TRUTH = {"server link rate": 0.7, DELAY: 0.2, "client link rate": 0.0, WORKERS: -0.3}


def measured(truth, *, repetitions=3, noise=0.003, factors=STEP):
    """Throughputs of powers of their parameters, with noise."""
    rng = np.random.default_rng(5)
    cells = [(AS_IT_IS, 1.0, 0.0)]
    cells += [(name, factor, power) for name, power in truth.items() for factor in factors]
    rows = [
        (name, factor, 2900 * factor**power * (1 + noise * rng.normal()))
        for name, factor, power in cells
        for _ in range(repetitions)
    ]
    return pd.DataFrame(rows, columns=["parameter", "factor", THROUGHPUT])


@pytest.mark.parametrize(("clients", "largest"), [(6, DELAY), (192, "server link rate")])
def test_the_model_follows_what_limits_it(clients, largest):
    predicted = predict_elasticities(SYSTEM, clients, FACTORS)
    assert max(RATES, key=predicted.get) == largest
    assert sum(predicted[name] for name in RATES) == pytest.approx(1, abs=0.02)
    assert predicted[CLIENTS] == pytest.approx(1 if clients == 6 else 0, abs=0.1)


def test_the_rates_of_the_model_sum_to_1_and_those_it_lacks_are_left_open():
    small = {name: factors_of(1e-3) for name in RATES}
    predicted = predict_elasticities(SYSTEM, 24, small)
    assert sum(predicted.values()) == pytest.approx(1, abs=1e-6)
    assert all(value > 0 for value in predicted.values())
    assert math.isnan(
        predict_elasticities(SYSTEM, 6, {"server CPU quota": STEP})["server CPU quota"]
    )


def test_the_model_is_made_of_what_the_system_as_it_is_has_shown(tmp_path):
    folder = build_campaign(
        tmp_path, sections=["3.1"], clients_per_thread=(32,), workers=(64,), repetitions=2
    )
    tables = tidy_campaign(build_network_runs(folder))
    predicted = predict_measured(tables, {"server link rate": STEP, MACHINE_BY_DILATION: STEP})
    assert set(predicted) == {"server link rate", MACHINE_BY_DILATION}
    assert all(0 <= value <= 1 for value in predicted.values())


@pytest.mark.parametrize("unequal", ["links", "round trips"])
def test_unequal_hosts_have_no_model(tmp_path, unequal):
    folder = build_campaign(
        tmp_path, sections=["3.1"], clients_per_thread=(32,), workers=(64,), repetitions=2
    )
    tables = tidy_campaign(build_network_runs(folder))
    if unequal == "links":
        is_c2 = tables.hosts["host"] == "c2"
        slow = tables.hosts["rate_mbit_per_s"].mask(is_c2, 25.0)
        tables = replace(tables, hosts=tables.hosts.assign(rate_mbit_per_s=slow))
    else:
        far = np.where(tables.pings["source"] == "c2", 5.0, 0.9)
        tables = replace(tables, pings=tables.pings.assign(emulated_round_trip_time_ms=far))
    with pytest.raises(ValueError, match="hosts of a role differ"):
        predict_measured(tables, {DELAY: STEP})


def test_the_largest_comes_first_and_what_lacks_of_1_last():
    factors = dict.fromkeys(TRUTH, STEP)
    table = sensitivity_table(measured(TRUTH), factors, {"server link rate": 0.75, DELAY: 0.2})
    assert table["parameter"].tolist() == [
        "server link rate", WORKERS, DELAY, "client link rate", UNEXPLAINED,
    ]  # fmt: skip
    rows = table.set_index("parameter")
    for name, expected in (TRUTH | {UNEXPLAINED: 0.1}).items():
        assert rows.loc[name, "lower"] < expected < rows.loc[name, "upper"]
    assert rows["kind"].to_dict() == dict.fromkeys(rows.index, RATE) | {WORKERS: COUNT}
    assert rows.loc["server link rate", "model"] == 0.75
    assert rows["model"].isna().sum() == 3  # without that of a rate the sum is not known either
    assert (rows["repetitions"] == 3).all()
    assert not rows["curved"].any()


def test_what_was_not_measured_stands_behind_and_is_told_by_no_sum():
    runs = measured({"server link rate": 0.7})
    runs = runs[runs["factor"] != STEP[0]]
    factors = {DELAY: STEP, "server link rate": STEP}
    table = sensitivity_table(runs, factors)
    assert table["measured"].isna().all()
    assert (table["repetitions"] == 0).all()
    assert sensitivity_table(runs.iloc[:0], factors)["lower"].isna().all()


def test_a_knee_is_told():
    runs = measured({"server link rate": 1.0, DELAY: 0.1}, noise=1e-3)
    above = (runs["parameter"] == "server link rate") & (runs["factor"] > 1)
    runs.loc[above, THROUGHPUT] = runs.loc[runs["parameter"] == AS_IT_IS, THROUGHPUT].to_numpy()
    rows = sensitivity_table(runs, {"server link rate": STEP, DELAY: STEP}).set_index("parameter")
    assert rows["curved"].to_dict() == {"server link rate": True, DELAY: False, UNEXPLAINED: False}


def test_parameters_that_there_are_not_are_named():
    with pytest.raises(ValueError, match="no parameter colour; there are client link rate, middle"):
        sensitivity_table(measured(TRUTH), {"colour": STEP})
    with pytest.raises(ValueError, match=r"no parameter 1 / s3 link rate; .*such as s3 link rate"):
        sensitivity_table(measured(TRUTH), {"1 / s3 link rate": STEP})


def test_limits_of_single_hosts_are_rates_without_a_model():
    truth = {"s3 link rate": 0.8, "1 / s-3 network delay": 0.1, "s3 CPU quota": 0.0}
    table = sensitivity_table(measured(truth), dict.fromkeys(truth, STEP))
    rows = table.set_index("parameter")
    assert rows.index[0] == "s3 link rate"
    assert set(rows["kind"]) == {RATE}
    assert rows.loc[UNEXPLAINED, "lower"] < 0.1 < rows.loc[UNEXPLAINED, "upper"]
    predicted = predict_elasticities(SYSTEM, 6, dict.fromkeys(truth, STEP))
    assert all(map(math.isnan, predicted.values()))
