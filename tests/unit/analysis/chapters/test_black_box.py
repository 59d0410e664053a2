"""What chapters 4, 5, 6 and 9 tell of a middleware that tells nothing and has no workers."""

import pytest

from analysis.chapters.gets_and_multi_gets import multi_gets
from analysis.chapters.routing_and_replication import replication
from analysis.chapters.two_k_factorial import factor_effects
from analysis.chapters.writes import full_system
from analysis.laws import summary
from analysis.laws.bottlenecks import utilization_overview, utilization_table
from analysis.statistics.factorial.carriers import carriers_table
from analysis.statistics.factorial.designs import analyse_designs
from analysis.statistics.factorial.effects_table import RESPONSES
from analysis.tables.loading import load_tables
from records.paths import REFERENCE
from records.text.words import MISSING
from tests.helpers.black_box import as_black_box

MOST_CLIENTS = 288  # of sections 3.2 and 4.1


def held(*sections):
    return as_black_box(load_tables(REFERENCE, "0", *sections))


def test_its_sets_to_one_server_stand_beside_those_to_three():
    loads, bounds = full_system.beside_one_server(held("3.2", "4.1"))
    assert set(loads["num_servers"]) == set(bounds["num_servers"]) == {1, 3}
    assert set(loads["workers"]) == {MOST_CLIENTS}


def test_its_queue_is_told_without_the_utilization_of_workers():
    tables = held("4.1")
    of = utilization_table(tables.hosts, tables.runs, ["workers"])
    (row,) = utilization_overview(of, ["workers"]).to_dict("records")
    assert row["queue_length"] > 0
    assert "Busy workers (%)" not in row


def test_its_multi_gets_are_whole_in_both_sections():
    tables = multi_gets.with_modes(held("5.1", "5.2"))
    assert not tables.hosts["sharded"].any()
    means = multi_gets.multi_get_cells(tables.request_types)
    assert means["multi_get_keys"].is_unique
    assert means["response_time_ms_repetitions"].min() >= 3
    assert multi_gets.mode_table(means).empty
    assert multi_gets.predictions_by_mode(multi_gets.prediction_table(tables)).empty


def test_its_design_has_two_factors():
    runs = held("6").runs
    factors = factor_effects.varied(runs)
    assert factors == ("num_servers", "num_middlewares")
    found = analyse_designs(runs, factors, RESPONSES)
    assert {"A", "B", "AB"} < set(carriers_table(found).columns)
    table = factor_effects.studies_table(found).set_index("effect")
    assert set(table.loc["C", "This campaign"]) == {MISSING}
    assert MISSING not in set(table.loc["A", "This campaign"])


def test_it_is_compared_with_no_middleware_whatever_its_routing():
    tables = replication.with_systems(held("9"))
    through = replication.of_ring(summary.cells(tables.runs))
    (one,) = through.to_dict("records")
    assert (one["num_middlewares"], one["dispatch"]) == (1, "pipelined")
    limits = replication.summary_table(summary.cells(tables.runs), replication.bounds_table(tables))
    khalil = replication.khalil_table(limits, tables.runs)
    ours = khalil[khalil["source"] == "This campaign"]
    assert sorted(ours["relative_throughput"]) == [
        pytest.approx(ours["relative_throughput"].min()),
        1,
    ]
