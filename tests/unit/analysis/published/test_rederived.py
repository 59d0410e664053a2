import pandas as pd
import pytest

from analysis.published.names import cell_name, readable
from analysis.published.rederived import (
    agreement,
    disagreements,
    read_only_cells,
    rebuild_cells,
    rederive_all,
    shown,
    side_by_side,
    two_digits,
)
from analysis.published.rows import COLUMNS, rows_of
from analysis.published.stations_again import rounding_of_rho
from analysis.words.rederived import (
    agreement_sentences,
    khalil_loads_sentence,
    link_sentences,
    remark_sentences,
    rounding_sentence,
    stability_sentence,
)


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
    assert (derived["tolerance"] >= 0).all()
    wide = derived["tolerance"] > 0.02 * derived["rederived"].abs()
    laws = derived["table"].isin(["section 3.1", "section 3.2", "s3_3_overhead"])
    assert (derived.loc[laws & wide, "within"] != "rounding").all()


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
    assert (cells.loc[cells["agrees"], "remark"] == "").all()
    send_less = cells["remark"].str.startswith("three of his servers together send less")
    assert (cells.loc[send_less, "published"] < cells.loc[send_less, "rederived"]).all()
    assert cells["servers"].value_counts().to_dict() == {1: 17, 3: 8, 2: 3}
    told = link_sentences(cells).replace("\N{NO-BREAK SPACE}", " ")
    assert (
        "Schmid's own throughput of one server without middleware (section 2.1), so that 1 cell "
        "agrees by construction. 16 cells with one server come out as that constant, too" in told
    )
    assert "8 cells with two or three servers" in told
    assert "decides only in 3 cells" in told
    lines = remark_sentences(cells).splitlines()
    assert len(lines) == cells.loc[cells["remark"] != "", "remark"].nunique()
    assert any("3 servers, 2 middlewares, 32 workers**: three of his" in line for line in lines)


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
    assert verdicts["cetin2018", "section 3.1"] == "agrees, N inferred"
    assert counts.loc[counts["table"] == "section 3.1", "within"].eq("3 %").all()
    assert shown(counts).loc[0, ["study", "table"]].tolist() == [
        "Yenicelik\N{NO-BREAK SPACE}2018",
        "table 2",
    ]
    listed = disagreements(derived)
    assert listed["values"].sum() == (~derived["agrees"]).sum()
    assert (listed["reason"] != "").all()


def test_tables_stand_side_by_side(derived):
    table = side_by_side(derived, "khalil2016", "s3_3_overhead")
    assert table["agrees"].eq("yes").all()
    assert table["relative_error"].abs().max() < 0.05
    assert table["quantity"].iloc[-1] == "mean response time (\N{MICRO SIGN}s), with middleware"
    cetin = side_by_side(derived, "cetin2018", "section 3.1", "section 3.2")
    assert cetin["agrees"].eq("N inferred").all()
    assert side_by_side(derived, "schmid2018", "section 3.1")["agrees"].eq("yes").all()
    with pytest.raises(ValueError, match="nothing of \\['t99'\\] of khalil2016"):
        side_by_side(derived, "khalil2016", "t99")


@pytest.mark.parametrize(
    ("quantity", "words"),
    [
        ("rho 32", "utilization, 32 workers"),
        ("attribution_pct of response_time A", "share of the variation of response time, A (%)"),
        ("queue_len_both_mw 8", "queue length of both middlewares, 8 workers"),
        ("queue_len 8", "queue length of one middleware, 8 workers"),
        ("response_time_ms set", "response time (ms), sets"),
        ("throughput allowed by 600 Mbit/s", "throughput allowed by 600 Mbit/s"),
        ("write-only, y_max / y_min", "write-only, largest over smallest throughput"),
        ("approx_overhead throughput_mean", "overhead, mean throughput (op/s)"),
    ],
)
def test_quantities_are_named_in_words(quantity, words):
    assert readable(quantity) == words


def test_no_quantity_is_left_as_a_key(derived):
    assert not derived["quantity"].map(readable).str.contains("_").any()


@pytest.mark.parametrize(
    ("value", "text"), [(2e-5, "0.00002"), (0.074482, "0.074"), (744.7, "740"), (0.0, "0")]
)
def test_tolerances_have_two_digits(value, text):
    assert two_digits(value) == text


def test_systems_are_counted_in_words():
    assert cell_name(1, 1, 8) == "1 server, 1 middleware, 8 workers"
    assert cell_name(2, 0, 0) == "2 servers, no middleware"


def test_the_headline_says_what_was_tested(derived):
    told = agreement_sentences(derived)
    assert told.startswith(f"Of {len(derived)} derived numbers, {derived['agrees'].sum()} agree")
    assert "(0.1 % and rounding; 1 %; " in told
    assert "3 %; " in told
    assert "7 of these agree by construction" in told  # Yenicelik's 3 of 4, and Cetin's 4
    assert "9 reasons" in told


def test_rates_of_32_workers_are_told_apart():
    told = stability_sentence()
    first, second = told.split("are beyond what a stable queue bears; ")
    assert "section 7 (\N{GREEK SMALL LETTER RHO} = 1.00119)" in first
    assert "table 7 (\N{GREEK SMALL LETTER RHO} = 1.00657)" in first
    assert "table 5 (\N{GREEK SMALL LETTER RHO} = 0.99822)" in second


def test_a_rounded_utilization_leaves_the_queue_open():
    row = rounding_of_rho(32)
    assert row["queue_low"] < row["queue"] < row["published"] < row["queue_high"]
    assert row[["rho_low", "rho", "rho_high"]].tolist() == pytest.approx([0.9985, 0.999, 0.9995])
    assert "787 are among them" in rounding_sentence()


def test_khalils_columns_are_of_different_loads():
    told = khalil_loads_sentence()
    assert "128 clients and 1 server without the middleware, 192 clients and 3 servers" in told
