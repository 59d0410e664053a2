import pytest

from analysis.chapters.published_results.counterparts.counterpart_list import COUNTERPARTS
from analysis.studies.printed import (
    COLUMNS,
    khalil_conditions,
    published_index,
    published_summary,
    published_table,
    published_workers,
    table_name,
)
from records.paths import PUBLISHED


def test_index_lists_exactly_the_files_that_are_there():
    index = published_index()
    listed = {f"{row.study}_{row.table}.csv" for row in index.itertuples()}
    ours = {"index.csv", COUNTERPARTS}
    assert listed == {path.name for path in PUBLISHED.glob("*.csv")} - ours


def test_baseline_of_all_studies_in_one_form():
    summary = published_summary("2.1").set_index(["study", "workload"])
    assert summary.loc[("schmid2018", "get"), "throughput_ops_per_s"] == 2954
    assert summary.loc[("schmid2018", "set"), "throughput_sd_ops_per_s"] == 270
    assert summary.loc[("yenicelik2018", "set"), "num_clients"] == 96
    assert summary.loc[("cetin2018", "set"), "throughput_ops_per_s"] == 17556.5
    assert len(summary) == 6


def test_with_middleware_of_all_studies_in_one_form():
    key = ["study", "workload", "measured_on"]
    summary = published_summary("3.1").set_index(key).sort_index()
    assert summary.loc[("schmid2018", "set", "middleware"), "queueing_time_ms"] == 7.6
    assert summary.loc[("schmid2018", "set", "clients"), "num_clients"] == 192
    assert summary.loc[("schmid2018", "get", "clients"), "miss_rate"] == 0
    assert summary.loc[("cetin2018", "get", "clients"), "miss_rate"] == pytest.approx(0.0095287)
    assert summary.loc[("yenicelik2018", "get", "middleware"), "response_time_ms"] == 7.04
    assert len(summary) == 12


@pytest.mark.parametrize("section", ["2.1", "2.2", "3.1", "3.2"])
def test_summaries_have_the_same_columns(section):
    summary = published_summary(section)
    assert summary.columns.tolist() == COLUMNS
    assert (summary["section"] == section).all()
    assert summary[["study", "workload", "throughput_ops_per_s"]].notna().all(axis=None)


def test_workers_are_those_of_schmid_table_3():
    workers = published_workers().set_index("workers")
    assert workers.loc[64, "throughput_ops_per_s"] == 12351
    assert workers["num_clients"].tolist() == [24, 48, 72, 192, 288]


def test_unknown_table_or_section_is_refused_with_what_there_is():
    with pytest.raises(ValueError, match=r"no table 't99' of 'cetin2018' among .*t01_bandwidth"):
        published_table("cetin2018", "t99")
    with pytest.raises(ValueError, match=r"section must be one of .*, got '9'"):
        published_summary("9")


@pytest.mark.parametrize(
    ("study", "table", "name"),
    [
        ("schmid2018", "t06_full_system", "table 6"),
        ("yenicelik2018", "t02_2kr_read_throughput", "table 2"),
        ("yenicelik2018", "s4_2_full_system", "section 4.2"),
        ("schmid2018", "prose", "running text"),
        ("cetin2018", "t05_full_system", "table 5"),
        ("schmid2018", "section 3.1", "section 3.1"),
    ],
)
def test_tables_are_named_by_their_place(study, table, name):
    assert table_name(study, table) == name


def test_khalils_two_systems_are_not_alike():
    conditions = khalil_conditions()
    assert conditions.loc["without_middleware"].tolist() == [128, 1]
    assert conditions.loc["with_middleware"].tolist() == [192, 3]
