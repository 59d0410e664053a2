from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from analysis.models.asymptotes import (
    asymptote_table,
    bounds_over,
    least_response_time,
    least_service_time,
)
from analysis.models.system import System
from analysis.statistics.loads.message_sizes import message_bytes
from analysis.tables.loading import load_tables
from records.paths import REFERENCE


def test_round_trips_are_those_of_all_hops():
    sizes = message_bytes("get")
    direct = System(**sizes, network_delay=0.5e-3)
    through = System(**sizes, network_delay=0.5e-3, middlewares=1)
    assert least_response_time(direct) == pytest.approx(1e-3)
    assert least_response_time(through) == pytest.approx(2e-3)
    assert least_service_time(through) == pytest.approx(1e-3)


def test_bounds_meet_at_the_knee():
    throughput, response_time = bounds_over(1000, 0.01, 0.0, np.array([1, 10, 100]))
    assert throughput.tolist() == [100, 1000, 1000]
    assert response_time.tolist() == [0.01, 0.01, 0.1]


def test_clients_that_think_move_the_knee_and_wait_less():
    throughput, response_time = bounds_over(1000, 0.01, 0.04, np.array([10, 50, 100]))
    assert throughput.tolist() == [200, 1000, 1000]
    assert response_time == pytest.approx([0.01, 0.01, 0.06])


def test_each_think_time_has_a_knee_of_its_own():
    tables = load_tables(REFERENCE, "0", "2.1")
    thinking = tables.runs.assign(think_time_s=0.05)
    both = replace(tables, runs=pd.concat([tables.runs, thinking], ignore_index=True))
    bounds = asymptote_table(both).set_index(["workload", "think_time_s"])
    alone = asymptote_table(tables).set_index("workload")
    assert "think_time_s" not in alone
    for workload in ("get", "set"):
        still, away = bounds.loc[workload, 0.0], bounds.loc[workload, 0.05]
        assert still["knee_clients"] == alone.loc[workload, "knee_clients"]
        more = away["knee_clients"] - still["knee_clients"]
        assert more == pytest.approx(0.05 * still["most_ops_per_s"])


@pytest.mark.parametrize(
    ("section", "by"), [("2.1", ["workload"]), ("3.1", ["workload", "workers"])]
)
def test_what_was_measured_reaches_its_bounds_and_does_not_pass_them(section, by):
    tables = load_tables(REFERENCE, "0", section)
    systems = ["section", *by]
    bounds = asymptote_table(tables, systems).set_index(systems)
    loaded = tables.runs.query("num_clients > 0")
    largest = loaded.groupby(systems)["client_throughput_ops_per_s"].max()
    assert (largest / bounds["most_ops_per_s"]).between(0.95, 1.03).all()
    knees = bounds["most_ops_per_s"] * bounds["least_response_time_ms"] / 1000
    assert bounds["knee_clients"].to_numpy() == pytest.approx(knees.to_numpy())


def test_the_limit_is_named():
    bounds = asymptote_table(load_tables(REFERENCE, "3.1"), ["section", "workload", "workers"])
    limits = bounds.set_index(["workload", "workers"])["limit"]
    assert limits["set", 8] == "workers"
    assert limits["get", 64] == "server link"
