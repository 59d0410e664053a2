import pandas as pd
import pytest

from analysis.chapters.published_results.rederived import (
    agreement,
    disagreements,
    rederive_all,
    side_by_side,
)
from analysis.studies import rows
from analysis.studies.names import cell_name, readable
from analysis.studies.rederived_designs import rebuild_cells
from analysis.studies.rederived_stations import station_table
from analysis.studies.rows import COLUMNS, KINDS, rows_of


@pytest.fixture(scope="module")
def derived():
    return rederive_all()


def of(derived, study, table):
    rows = derived[(derived["study"] == study) & (derived["table"] == table)]
    return rows.set_index("quantity")


def test_every_row_says_how_and_every_disagreement_says_why(derived):
    assert list(derived) == COLUMNS
    assert (derived["basis"] != "").all()
    assert ((derived["remark"] != "") == ~derived["agrees"]).all()
    assert set(derived["kind"]) == set(KINDS)
    assert len(derived) > 600
    assert (derived["tolerance"] >= 0).all()
    wide = derived["tolerance"] > 0.02 * derived["rederived"].abs()
    laws = derived["kind"].isin([rows.INTERACTIVE, rows.LITTLE, rows.OVERHEAD])
    assert (derived.loc[laws & wide & (derived["study"] != "su2015"), "within"] != "rounding").all()


@pytest.mark.parametrize(
    ("table", "disagreeing"),
    [
        ("t02_2kr_read_throughput", ["fraction Z"]),  # printed 0.0005, is 29470 / SST
        ("t03_2kr_write_response", []),
        ("t04_2kr_write_throughput", []),
    ],
)
def test_yenicelik_effects_follow_from_his_raw_values(derived, table, disagreeing):
    found = of(derived, "yenicelik2018", table)
    assert found.index[~found["agrees"]].tolist() == disagreeing


def test_yenicelik_means_and_errors_follow_from_his_values(derived):
    tables = derived[derived["table"].str.contains("_raw_") & (derived["study"] == "yenicelik2018")]
    assert len(tables) == 4 * 8 * 4
    assert tables["agrees"].all()


def test_yenicelik_table_1_is_not_of_table_10(derived):
    found = of(derived, "yenicelik2018", "t01_2kr_read_response")
    assert not found["agrees"].any()
    assert found["remark"].str.contains("table 10 repeats table 12").all()
    assert found.loc["q I", "rederived"] == pytest.approx(14.44, abs=0.005)  # that of table 3


def test_yenicelik_single_queue_agrees_but_for_the_unstable_32_workers(derived):
    found = of(derived, "yenicelik2018", "t05_mm1_pred")
    assert set(found.index[~found["agrees"]]) == {
        "rho 32", "pred_queue_len 32", "pred_latency_ms 32", "pred_wait_ms 32",
    }  # fmt: skip
    assert of(derived, "yenicelik2018", "t06_mm1_err")["agrees"].all()


def test_yenicelik_many_servers_are_those_of_both_middlewares(derived):
    found = of(derived, "yenicelik2018", "t07_mmm_pred")
    assert found.index[~found["agrees"]].tolist() == ["rho 32"]
    assert found.loc["rho 32", "rederived"] > 1
    assert found.loc["pred_latency_ms 64", "rederived"] == pytest.approx(10.28, abs=0.05)


@pytest.mark.parametrize("table", ["t07_2k4_write", "t08_2k4_read"])
def test_schmid_percentages_follow_from_effects_and_intervals(derived, table):
    found = of(derived, "schmid2018", table)
    assert found["agrees"].all()
    assert len(found) == 40  # 16 shares, 16 verdicts, 8 response times of cells


def test_schmid_cells_are_those_of_his_text():
    reads = rebuild_cells("t08_2k4_read", "throughput").set_index(
        ["servers", "middlewares", "workers"]
    )["published"]
    assert reads.loc[1].mean() == 2913
    assert reads.loc[3].mean() == 8363
    assert reads.loc[(3, 1, 8)] == 7254


def test_interactive_law_holds_at_the_clients_but_for_one_cell(derived):
    found = derived[derived["quantity"].str.startswith("response_time_ms, section")]
    assert len(found) == 12
    (odd,) = found.loc[~found["agrees"]].to_dict("records")
    assert (odd["study"], odd["table"]) == ("yenicelik2018", "s3_3_max_2mw")
    assert odd["quantity"] == "response_time_ms, section 3.2, set"  # his sweep ends at 192
    assert odd["remark"] == "X R = 227 clients, he had fewer"


def test_yenicelik_bandwidths_are_nominal_over_4000_bytes(derived):
    found = of(derived, "yenicelik2018", "bandwidth")
    assert found["agrees"].all()
    assert found["rederived"].tolist() == [6250, 6250, 25000, 25000, 3125, 3125]


def test_yenicelik_derived_throughput_is_clients_over_the_middlewares_time(derived):
    found = of(derived, "yenicelik2018", "s4_2_full_system")
    assert found.loc[[f"x_derived_ops_s {w}" for w in (8, 32, 64)], "agrees"].all()
    assert not found.loc["x_derived_ops_s 16", "agrees"]


def test_khalil_overheads_are_differences(derived):
    assert of(derived, "khalil2016", "s3_3_overhead")["agrees"].all()


def test_rows_compare_on_the_index_of_what_was_published():
    published, rederived = pd.Series({"b": 1.0, "a": 2.0}), pd.Series({"a": 2.04, "b": 1.2})
    found = rows_of("study", "links", "table", "x", published, rederived, 0.05, "formula", "why")
    assert found["quantity"].tolist() == ["x b", "x a"]
    assert found["agrees"].tolist() == [False, True]
    assert found["remark"].tolist() == ["why", ""]


def test_overviews_count_and_explain_what_disagrees(derived):
    counts = agreement(derived)
    assert counts["values"].iloc[-1] == len(derived)
    assert counts["agree"].iloc[-1] == derived["agrees"].sum()
    assert len(counts) <= 28
    of_kind = counts.set_index(["study", "kind"])
    yenicelik = of_kind.loc[("Yenicelik\N{NO-BREAK SPACE}2018", rows.EFFECTS)]
    assert yenicelik[["places", "values", "agree"]].tolist() == [
        "tables 1 to 4, 9 to 12", 160, 152,
    ]  # fmt: skip
    cetin = of_kind.loc[("Cetin\N{NO-BREAK SPACE}2018", rows.INTERACTIVE)]
    assert cetin["by_construction"] == 6
    su = of_kind.loc[("Su\N{NO-BREAK SPACE}2015", rows.INPUTS)]
    assert su["places"] == "table 3"
    assert pd.isna(su["values"])
    listed = disagreements(derived)
    assert listed["values"].sum() == (~derived["agrees"]).sum()
    assert len(listed) <= 24
    assert (listed["reason"] != "").all()
    assert (listed["first"] + listed["reason"]).str.len().max() < 62  # stays on a line


def test_numbers_stand_side_by_side(derived):
    table = side_by_side(derived, "khalil2016", rows.OVERHEAD)
    assert table["agrees"].all()
    assert table["quantity"].iloc[-1] == "mean response time (\N{MICRO SIGN}s), with middleware"
    with pytest.raises(ValueError, match="nothing of links of khalil2016"):
        side_by_side(derived, "khalil2016", rows.LINKS)


@pytest.mark.parametrize(
    ("quantity", "words"),
    [
        ("rho 32", "utilization, 32 workers"),
        ("attribution_pct of response_time A", "share of the variation of response time, A (%)"),
        ("queue_len_both_mw 8", "queue length of both, 8 workers"),
        ("queue_len 8", "queue length, 8 workers"),
        ("response_time_ms set", "response time (ms), sets"),
        ("response_time_ms, section 3.2, set", "R (ms), section 3.2, sets"),
        ("throughput allowed by 600 Mbit/s", "throughput allowed by 600 Mbit/s"),
        ("write-only, y_max / y_min", "write-only, largest over smallest"),
        ("approx_overhead throughput_mean", "overhead, mean throughput (op/s)"),
        ("diff_R_pct of row 1, 4 clients", "difference of response times (%), of row 1, 4 clients"),
    ],
)
def test_quantities_are_named_in_words(quantity, words):
    assert readable(quantity) == words


def test_no_quantity_is_left_as_a_key(derived):
    assert not derived["quantity"].map(readable).str.contains("_").any()


def test_systems_are_counted_in_words():
    assert cell_name(1, 1, 8) == "1 server, 1 middleware, 8 workers"
    assert cell_name(2, 0, 0) == "2 servers, no middleware"


def test_stations_are_what_was_observed_printed_and_computed():
    table = station_table().set_index(["measure", "model", "workers"])
    assert len(table) == 16
    at = table.loc[("queue_length", "M/M/1", 32)]
    assert at.tolist() == [48.51, 1796.46, pytest.approx(560.4, abs=0.05)]
