"""Machine-repairman models and parallel M/M/1 queues against known results."""

import numpy as np
import pandas as pd
import pytest

from analysis.chapters.message_queues import networks, parallel_queues
from analysis.chapters.message_queues.demands import measured_demands
from analysis.chapters.message_queues.parallel_queues import (
    PARALLEL,
    PARALLEL_ONCE,
    SHARED,
    repairman_times,
    station_time,
)
from analysis.models.open import mm1
from tests.helpers.queues import queue_tables

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
