import pandas as pd
import pytest

from analysis.chapters.published_results.rederived import (
    agreement,
    disagreements,
    rederive_all,
)
from analysis.studies import rows
from analysis.studies.names import readable
from analysis.studies.rederived_designs import rebuild_cells
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


UNSTABLE = ["rho 32", "pred_queue_len 32", "pred_latency_ms 32", "pred_wait_ms 32"]


@pytest.mark.parametrize(
    ("study", "table", "disagreeing"),
    [
        ("yenicelik2018", "t02_2kr_read_throughput", ["fraction Z"]),  # is 29470 / SST
        ("yenicelik2018", "t03_2kr_write_response", []),
        ("yenicelik2018", "t04_2kr_write_throughput", []),
        ("yenicelik2018", "t05_mm1_pred", UNSTABLE),
        ("yenicelik2018", "t06_mm1_err", []),
        ("yenicelik2018", "t07_mmm_pred", ["rho 32"]),
        ("yenicelik2018", "bandwidth", []),
        ("schmid2018", "t07_2k4_write", []),
        ("schmid2018", "t08_2k4_read", []),
        ("khalil2016", "s3_3_overhead", []),
    ],
)
def test_numbers_follow_from_what_the_studies_print_but_for_some(
    derived, study, table, disagreeing
):
    found = of(derived, study, table)
    assert set(found.index[~found["agrees"]]) == set(disagreeing)


def test_rederived_numbers_are_those_computed_by_hand(derived):
    table_1 = of(derived, "yenicelik2018", "t01_2kr_read_response")
    assert table_1.loc["q I", "rederived"] == pytest.approx(14.44, abs=0.005)  # that of table 3
    assert not table_1["agrees"].any()
    many = of(derived, "yenicelik2018", "t07_mmm_pred")
    assert many.loc["pred_latency_ms 64", "rederived"] == pytest.approx(10.28, abs=0.05)
    bandwidths = of(derived, "yenicelik2018", "bandwidth")["rederived"]
    assert bandwidths.tolist() == [6250, 6250, 25000, 25000, 3125, 3125]
    system = of(derived, "yenicelik2018", "s4_2_full_system")["agrees"]
    assert [system[f"x_derived_ops_s {w}"] for w in (8, 16, 32, 64)] == [True, False, True, True]


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
    assert odd["quantity"] == "response_time_ms, section 3.2, set"  # his sweep ends at 192
    assert odd["remark"] == "X R = 227 clients, he had fewer"


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
