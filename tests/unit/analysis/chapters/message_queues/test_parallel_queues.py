"""Machine-repairman models and parallel M/M/1 queues against known results."""

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.message_queues import beside_su, networks, parallel_queues
from analysis.chapters.message_queues.demands import measured_demands
from analysis.chapters.message_queues.evidence import evidence_of
from analysis.chapters.message_queues.parallel_queues import (
    PARALLEL,
    PARALLEL_ONCE,
    SHARED,
    repairman_times,
    station_time,
)
from analysis.chapters.message_queues.runs import with_databases
from analysis.models.open import mm1
from tests.helpers.queues import by_section, queue_tables

pytestmark = pytest.mark.slow  # chapter 13, which `make test` checks, shows the same


@pytest.fixture(scope="module")
def tables():
    return queue_tables()


def test_parallel_queues_are_those_of_jain():
    rate, service = pd.Series([1.0, 3.0, 3.9, 4.0]), pd.Series(1.0, range(4))
    split = station_time(rate / 4, service)
    assert split[:3] == pytest.approx(mm1(rate[:3] / 4, 1.0).response_time)
    assert np.isnan(split[3])


def test_closed_loops_never_have_more_requests_than_clients():
    """M/M/2//3 by its birth and death process; and alone there is no queue."""
    service, away, clients = 0.5, 2.0, 3
    weights = [1.0]
    for there in range(clients):
        weights.append(weights[-1] * (clients - there) / away / (min(there + 1, 2) / service))
    total = sum(weights)
    throughput = sum(w * min(n, 2) / service for n, w in enumerate(weights)) / total
    expected = sum(n * w for n, w in enumerate(weights)) / total / throughput
    found = repairman_times(
        pd.Series([3, 1, 3]),
        pd.Series([2, 2, 2]),
        pd.Series([service] * 3),
        pd.Series([away, away, np.nan]),
    )
    assert found[:2] == pytest.approx([expected, service])
    assert np.isnan(found[2])


def test_every_cell_has_each_model(tables):
    cells = networks.queue_cells(tables)
    table = parallel_queues.station_models(cells, measured_demands(tables))
    assert table.groupby("model").size().to_dict() == {
        PARALLEL_ONCE: len(cells), PARALLEL: len(cells), SHARED: len(cells),
    }  # fmt: skip
    wide = table.pivot_table(index="num_clients", columns="model", values="predicted").dropna()
    assert (wide[PARALLEL] >= wide[SHARED] - 1e-9).all()
    some = table.query("section == 'q4' and num_clients == 32").set_index("model")
    assert abs(some.loc[SHARED, "relative_error"]) < 0.05
    assert some.loc[PARALLEL, "relative_error"] > 0.5
    assert parallel_queues.station_models(cells.iloc[:0], measured_demands(tables)).empty


def test_components_have_their_servers(tables):
    runs = with_databases(tables)
    table = parallel_queues.component_models(runs, measured_demands(tables))
    servers = table.groupby("component")["num_servers"].first()
    assert servers.to_dict() == {"database": 1, "middleware": 16}
    assert table.query("component == 'database'")["most_ops_per_s"].iloc[0] == pytest.approx(
        2000, rel=0.03
    )
    nothing = parallel_queues.component_models(
        runs[runs["section"] != "q3"], measured_demands(tables)
    )
    assert nothing.empty


def test_our_numbers_stand_beside_su(tables):
    runs, demands = with_databases(tables), measured_demands(tables)
    growth = beside_su.growth_table(runs)
    assert growth["all_workers"].tolist() == [1, 4, 16, 64]
    assert growth["su2015_ms"].tolist() == [0.948, 1.172, 1.912, 3.048]
    assert growth["times_longer"].iloc[0] == growth["su2015_times_longer"].iloc[0] == 1
    law = beside_su.law_table(networks.queue_cells(tables))
    assert law["throughput_difference"].to_numpy() == pytest.approx(0, abs=1e-6)
    parts = beside_su.component_table(runs, demands).set_index("part")
    database, front = parts.loc["database, CPU"], parts.loc["front-end thread"]
    assert database["most_ops_per_s"] == pytest.approx(2000, rel=0.03)
    assert database["su2015_ops_per_s"] == 8400
    assert database["su2015_ms"] == 0.492
    assert front["demand_ms"] == pytest.approx(0.02, rel=0.03)
    assert parts.loc["whole system", "most_ops_per_s"] == pytest.approx(2000, rel=0.03)


def test_loads_have_the_law_both_ways_and_what_is_busy(tables):
    measured = evidence_of(by_section(tables).values())
    table = beside_su.load_table(measured)
    assert table["num_clients"].tolist() == [1, 8, 16, 32, 64, 128]
    assert table["law_response_time_ms"].to_numpy() == pytest.approx(table["response_time_ms"])
    assert table["machine"].to_numpy() == pytest.approx(0.3)
    assert table["database"].to_numpy() == pytest.approx(table["database_predicted"], abs=0.05)
