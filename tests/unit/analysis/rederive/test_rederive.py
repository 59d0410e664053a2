import pandas as pd
import pytest

from analysis.rederive import (
    agreement,
    disagreements,
    read_only_cells,
    rebuild_cells,
    rederive_all,
    side_by_side,
)
from analysis.rederive.rows import COLUMNS, rows_of


@pytest.fixture(scope="module")
def derived():
    return rederive_all()


def of(derived, study, table):
    rows = derived[(derived["study"] == study) & (derived["table"] == table)]
    return rows.set_index("quantity")


def test_every_row_says_how_and_every_disagreement_says_why(derived):
    assert list(derived) == COLUMNS
    assert (derived["basis"] != "").all()
    assert (derived.loc[~derived["agrees"], "remark"] != "").all()
    assert len(derived) > 250


@pytest.mark.parametrize(
    ("table", "disagreeing"),
    [
        ("t02_2kr_read_throughput", ["fraction Z"]),  # printed 0.0005, is 29470 / SST
        ("t03_2kr_write_response", []),
        ("t04_2kr_write_throughput", []),
    ],
)
def test_yenicelik_effects_follow_from_his_raw_values(derived, table, disagreeing):
    rows = of(derived, "yenicelik2018", table)
    assert rows.index[~rows["agrees"]].tolist() == disagreeing


def test_yenicelik_table_1_is_not_of_table_10(derived):
    rows = of(derived, "yenicelik2018", "t01_2kr_read_response")
    assert not rows["agrees"].any()
    assert rows["remark"].str.contains("table 10 repeats table 12").all()
    assert rows.loc["q I", "rederived"] == pytest.approx(14.44, abs=0.005)  # that of table 3


def test_yenicelik_single_queue_agrees_but_for_the_unstable_32_workers(derived):
    rows = of(derived, "yenicelik2018", "t05_mm1_pred")
    assert set(rows.index[~rows["agrees"]]) == {
        "rho 32", "pred_queue_len 32", "pred_latency_ms 32", "pred_wait_ms 32",
    }  # fmt: skip
    assert of(derived, "yenicelik2018", "t06_mm1_err")["agrees"].all()


def test_yenicelik_many_servers_are_those_of_both_middlewares(derived):
    rows = of(derived, "yenicelik2018", "t07_mmm_pred")
    assert rows.index[~rows["agrees"]].tolist() == ["rho 32"]
    assert rows.loc["rho 32", "rederived"] > 1
    assert rows.loc["pred_latency_ms 64", "rederived"] == pytest.approx(10.28, abs=0.05)


@pytest.mark.parametrize("table", ["t07_2k4_write", "t08_2k4_read"])
def test_schmid_percentages_follow_from_effects_and_intervals(derived, table):
    rows = of(derived, "schmid2018", table)
    assert rows["agrees"].all()
    assert len(rows) == 40


def test_schmid_cells_are_those_of_his_text():
    reads = rebuild_cells("t08_2k4_read", "throughput").set_index(
        ["servers", "middlewares", "workers"]
    )["published"]
    assert reads.loc[1].mean() == 2913
    assert reads.loc[3].mean() == 8363
    assert reads.loc[(3, 1, 8)] == 7254


def test_interactive_law_holds_at_the_clients_but_for_one_cell(derived):
    rows = derived[derived["table"].isin(["section 3.1", "section 3.2"])]
    assert len(rows) == 12
    (odd,) = rows.loc[~rows["agrees"]].to_dict("records")
    assert (odd["study"], odd["table"]) == ("yenicelik2018", "section 3.2")
    assert odd["quantity"] == "response_time_ms set"  # X R = 227, his sweep ends at 192
    assert odd["remark"].startswith("N = 192, the load next to X R; X R = 227 are more clients")


def test_yenicelik_bandwidths_are_nominal_over_4000_bytes(derived):
    rows = of(derived, "yenicelik2018", "bandwidth")
    assert rows["agrees"].all()
    assert rows["rederived"].tolist() == [6250, 6250, 25000, 25000, 3125, 3125]


def test_yenicelik_derived_throughput_is_clients_over_the_middlewares_time(derived):
    rows = of(derived, "yenicelik2018", "s4_2_full_system")
    assert rows.loc[[f"x_derived_ops_s {w}" for w in (8, 32, 64)], "agrees"].all()
    assert not rows.loc["x_derived_ops_s 16", "agrees"]


def test_khalil_overheads_are_differences(derived):
    assert of(derived, "khalil2016", "s3_3_overhead")["agrees"].all()


def test_read_only_cells_of_all_studies_follow_from_one_link():
    cells = read_only_cells()
    assert len(cells) == 28
    three_servers = cells["quantity"].str.contains("3 servers") & (
        cells["study"] == "yenicelik2018"
    )
    assert cells.loc[~three_servers, "agrees"].all()
    error = cells["rederived"] / cells["published"] - 1
    schmid = (cells["study"] == "schmid2018") & (cells["table"] == "t08_2k4_read")
    assert error[schmid].abs().max() < 0.025
    assert error[three_servers].abs().max() < 0.08
    assert (cells.loc[~cells["agrees"], "remark"] != "").all()


def test_rows_compare_on_the_index_of_what_was_published():
    published, rederived = pd.Series({"b": 1.0, "a": 2.0}), pd.Series({"a": 2.04, "b": 1.2})
    rows = rows_of("study", "table", "x", published, rederived, 0.05, "formula")
    assert rows["quantity"].tolist() == ["x b", "x a"]
    assert rows["agrees"].tolist() == [False, True]


def test_overviews_count_and_explain_what_disagrees(derived):
    counts = agreement(derived)
    assert counts["values"].sum() == len(derived)
    assert counts["agree"].sum() == derived["agrees"].sum()
    verdicts = counts.set_index(["study", "table"])["verdict"]
    assert verdicts["yenicelik2018", "t01_2kr_read_response"] == "differs"
    assert verdicts["yenicelik2018", "t02_2kr_read_throughput"] == "differs in 1"
    assert verdicts["schmid2018", "t07_2k4_write"] == "agrees"
    listed = disagreements(derived)
    assert listed["values"].sum() == (~derived["agrees"]).sum()
    assert (listed["reason"] != "").all()


def test_tables_stand_side_by_side(derived):
    table = side_by_side(derived, "khalil2016", "s3_3_overhead")
    assert table["agrees"].eq("yes").all()
    assert table["relative_error"].abs().max() < 0.05
    with pytest.raises(ValueError, match="nothing of \\['t99'\\] of khalil2016"):
        side_by_side(derived, "khalil2016", "t99")
