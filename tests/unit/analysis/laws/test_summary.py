import pandas as pd
import pytest

from analysis.laws.summary import (
    capacity_table,
    cells,
    comparison_table,
    error_bar_words,
    middleware_table,
    repetition_words,
    varied,
)
from analysis.studies.printed import published_summary, published_workers
from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_run


@pytest.fixture(scope="module")
def runs(synthetic):
    return synthetic("2.1", "3.1").runs


@pytest.fixture(scope="module")
def baseline(runs):
    return cells(runs.query("section == '2.1'"))


@pytest.fixture(scope="module")
def with_middleware(runs):
    return cells(runs.query("section == '3.1'"))


def test_cells_are_configurations(baseline, with_middleware):
    assert len(baseline) == 2 * 2
    assert "workers" not in baseline
    assert len(with_middleware) == 2 * 2 * 2
    assert with_middleware["workers"].dtype == int
    assert (with_middleware["client_throughput_ops_per_s_repetitions"] == 2).all()


def test_no_accepted_run_is_said(runs):
    with pytest.raises(ValueError, match=r"no accepted run to aggregate: Tables\.rejected"):
        cells(runs.iloc[:0])


def test_capacity_by_workers(synthetic):
    measured = cells(synthetic("4.1", clients_per_thread=(12, 32)).runs)
    table = capacity_table(measured, ["workload", "workers"])
    by_workers = table.set_index(["workload", "workers"])["throughput_ops_per_s"]
    assert by_workers[("set", 8)] == pytest.approx(8000, rel=0.03)
    assert by_workers[("set", 64)] == pytest.approx(14000, rel=0.03)


def test_capacity_as_the_middleware_measured_it(with_middleware):
    by = ["workload", "workers"]
    there = capacity_table(with_middleware, by, measured_on="middleware").set_index(by)
    clients = capacity_table(with_middleware, by).set_index(by)
    assert (there["num_clients"] == clients["num_clients"]).all()
    assert there["measured_on"].unique() == ["middleware"]
    faster = clients["response_time_ms"] - there["response_time_ms"]
    assert faster.tolist() == pytest.approx([0.5] * 4, abs=0.01)


def test_captions_say_what_the_error_bars_are(runs, baseline):
    expected = "error bars 95 % confidence intervals, 2 repetitions"
    assert error_bar_words(baseline) == expected
    once = cells(runs.query("section == '2.1' and repetition == 1"))
    assert error_bar_words(once) == "no error bars from 1 repetition"
    assert error_bar_words(pd.DataFrame()) == "nothing measured"
    some = cells(runs.query("section == '2.1' and (repetition == 1 or workload == 'get')"))
    assert repetition_words(some) == "1 to 2 repetitions"


def test_middleware_and_clients_stand_below_each_other(with_middleware):
    table = middleware_table(with_middleware)
    assert table["measured_on"].tolist() == ["middleware", "clients"] * 2
    assert table["section"].unique() == ["3.1"]
    sets = table.query("workload == 'set'").set_index("measured_on")
    assert sets["workers"].unique() == [64]
    assert sets.loc["clients", "throughput_ops_per_s"] == pytest.approx(
        sets.loc["middleware", "throughput_ops_per_s"], rel=1e-3
    )
    difference = (
        sets.loc["clients", "response_time_ms"] - sets.loc["middleware", "response_time_ms"]
    )
    assert difference == pytest.approx(0.5, abs=0.01)


def test_comparison_puts_each_study_beside_ours(baseline):
    on = ["workload", "measured_on"]
    table = comparison_table(capacity_table(baseline), published_summary("2.1"), on)
    assert table["study"].tolist() == ["cetin2018", "schmid2018", "yenicelik2018"] * 2
    schmid = table.query("study == 'schmid2018' and workload == 'get'").iloc[0]
    assert schmid["study_throughput_ops_per_s"] == 2954
    assert schmid["throughput_ratio"] == pytest.approx(schmid["throughput_ops_per_s"] / 2954)
    assert schmid[["num_clients", "study_num_clients"]].tolist() == [12, 6]


def test_comparison_by_place_and_by_workers(with_middleware):
    by_place = comparison_table(
        middleware_table(with_middleware), published_summary("3.1"), ["workload", "measured_on"]
    )
    assert len(by_place) == 12
    by, on = ["workload", "workers"], ["workload", "workers", "measured_on"]
    ours = capacity_table(with_middleware, by, measured_on="middleware")
    by_workers = comparison_table(ours, published_workers(), on)
    assert by_workers["workers"].tolist() == [8, 64]
    at_clients = capacity_table(with_middleware, by)
    assert comparison_table(at_clients, published_workers(), on).empty


def test_cells_keep_apart_whatever_a_section_varies(tmp_path):
    for keys in (1, 9):
        for sharded in (True, False):
            config = {"workload": "get", "clients_per_thread": 2, "workers": 64}
            build_run(tmp_path, "5", {**config, "multi_get_keys": keys, "sharded": sharded})
    build_run(tmp_path, "2.1", {"workload": "get", "clients_per_thread": 2})
    runs = tidy_campaign(tmp_path).runs
    table = cells(runs)
    assert varied(runs) == ["sharded", "multi_get_keys"]
    assert len(table) == 5
    assert table.query("section == '5'")[["sharded", "multi_get_keys"]].duplicated().sum() == 0
    assert not [name for name in table if name.startswith(("routing_", "workers_", "replicas_"))]


def test_baseline_capacity(baseline):
    table = capacity_table(baseline).set_index("workload")
    assert table.loc["get", "throughput_ops_per_s"] == pytest.approx(2900, rel=0.02)
    assert table.loc["get", "num_clients"] < table.loc["set", "num_clients"]
    assert (table["throughput_ci_low_ops_per_s"] < table["throughput_ops_per_s"]).all()
    assert (table["nominal_capacity_ops_per_s"] >= table["throughput_ops_per_s"] * 0.99).all()
    assert table["knee_clients_ci_high"].notna().all()


def test_the_smallest_number_of_workers_that_is_enough_is_shown(with_middleware):
    gets = middleware_table(with_middleware).query("workload == 'get'")
    assert gets["workers"].unique() == [8]  # 64 are within the noise
