"""What choices cost is found again in tables into which it was planted."""

import numpy as np
import pytest

from analysis.chapters.message_queues import costs
from analysis.chapters.message_queues.evidence import evidence_of, left_open
from analysis.chapters.message_queues.runs import with_databases
from tests.helpers.queues import OPENED, by_section, queue_tables

pytestmark = pytest.mark.slow  # chapter 13, which `make test` checks, shows the same


@pytest.fixture(scope="module")
def tables():
    return queue_tables(slower_with_row_locks=0.4, polls=0.3)


@pytest.fixture(scope="module")
def runs(tables):
    return with_databases(tables)


def opened(tables):
    """Return the seconds of one run in which a transaction was left open."""
    windows = tables.windows
    return windows[(windows["num_clients"] == OPENED) & (windows["repetition"] == 1)]


def test_locks_are_compared_where_all_else_is_the_same(runs):
    levels = ("locks", "skip-locked", "row-locks")
    ratios = [costs.ratio_of_levels(runs, *levels, largest=largest) for largest in (False, True)]
    assert [ratio.value for ratio in ratios] == pytest.approx([1, 2.5])


def test_a_choice_that_was_not_measured_both_ways_has_no_row(runs):
    table = costs.choices_table(runs).set_index("choice")
    assert "no autovacuum" not in table.index
    assert table.loc["commits do not wait, on a disk", "ratio"] == pytest.approx(1.2)
    assert table.loc["on a disk, not in memory", "ratio"] == pytest.approx(0.5)
    assert "commits do not wait, in memory" not in table.index
    assert table.loc["a second database", "ratio"] == pytest.approx(2, rel=0.05)
    polled = table.loc["polling empty queues"]
    assert polled["database_ms"] == pytest.approx(0.3 * polled["otherwise_ms"], rel=0.05)
    assert costs.paired_runs(runs, "autovacuum", (True, False)).empty
    assert np.isnan(costs.ratio_of_levels(runs, "autovacuum", False, True).value)


def test_a_transaction_left_open_is_told_by_what_is_around_it(tables):
    table = costs.open_transactions(left_open(tables), tables.windows)
    assert table["lasted_s"].tolist() == [60, 60, 60]
    assert table["at_its_end"].to_numpy() == pytest.approx(0.4, rel=0.05)
    assert table["after"].to_numpy() == pytest.approx(1, rel=0.01)
    own = opened(tables)
    falling = costs.blocks_during(own, 60, 60, 3)
    assert falling.is_monotonic_decreasing
    seconds = costs.around(own, 60, 60)["seconds"]
    assert seconds.tolist() == [60, 60, 115]


def test_without_a_second_before_nothing_is_told(tables):
    own = opened(tables)
    assert costs.around(own, 0.0, 60)["over_before"].isna().all()
    assert costs.open_transactions(left_open(tables).iloc[:0], tables.windows).empty


def test_an_empty_queue_costs_what_its_request_needs(runs):
    table = costs.polling_runs(runs)
    times = table.groupby("kind")["database_ms"].mean()
    assert times[costs.MESSAGES] == pytest.approx(0.5, rel=0.05)
    assert times[costs.POLLS] == pytest.approx(0.15, rel=0.05)
    assert costs.polling_runs(runs.assign(client_miss_rate=0.0)).empty


def test_steadiness_is_told_by_the_section_of_fixed_rates(tables):
    found = evidence_of(by_section(tables).values())
    assert len(found.blocks()) == 3
    assert found.kept_rates() == pytest.approx([1, 1, 1])
    assert evidence_of([None, None]) is None
    assert evidence_of([by_section(tables)["q2"]]).blocks() == []
