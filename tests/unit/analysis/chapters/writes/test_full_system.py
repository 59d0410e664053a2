import pytest

from analysis.chapters.writes.full_system import (
    OURS,
    beside_published,
    by_dispatch,
    full_system_table,
    published_full_system,
)
from analysis.laws.summary import cells

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ours(synthetic):
    return full_system_table(cells(synthetic("4.1", clients_per_thread=(12, 32)).runs))


def test_published_queues_are_those_of_both_middlewares():
    published = published_full_system()
    for study in ("yenicelik2018", "cetin2018"):  # Schmid says so himself
        rows = published[published["study"] == study].dropna(subset="queue_length")
        waiting = rows["throughput_ops_per_s"] * rows["queueing_time_ms"] / 1000
        assert (rows["queue_length"] / waiting).median() == pytest.approx(1, abs=0.3)


def test_studies_stand_below_ours(ours):
    table = beside_published(ours, published_full_system())
    assert set(table["workers"]) == {8, 64}
    assert table["study"].tolist()[:2] == [OURS, "schmid2018"]
    schmid = table.query("study == 'schmid2018' and workers == 64").iloc[0]
    assert schmid["num_clients"] == 144
    assert schmid["throughput_ops_per_s"] == 11323
    assert schmid["throughput_ratio"] == pytest.approx(14000 / 11323, rel=0.05)
    assert table.loc[table["study"] == OURS, "throughput_ratio"].isna().all()


def test_workers_that_do_not_wait_are_no_bound(synthetic):
    tables = synthetic("4.4", workers=(2, 64))
    loads, bounds = by_dispatch(tables)
    assert set(loads["system"]) == {"3 servers, sequential", "3 servers, pipelined"}
    most = bounds.set_index(["dispatch", "workers"])["most_ops_per_s"]
    assert most["sequential", 2] < most["sequential", 64]
    assert most["pipelined", 2] == most["pipelined", 64] == most.max()
    least = bounds["least_response_time_ms"] / 1000
    assert (bounds["most_ops_per_s"] * least).tolist() == pytest.approx([96] * 4)
