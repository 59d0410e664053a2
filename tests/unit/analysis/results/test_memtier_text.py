import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.results import (
    ParseError,
    read_memtier_hgrm,
    read_memtier_json,
    read_memtier_text,
)
from analysis.results.histograms import histogram_percentiles

DATA = Path(__file__).parents[3] / "data" / "memtier"
VERSIONS = ["1.2.17", "1.3.0", "1.4.0", "2.3.1"]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", ["set-only", "get-only", "mixed-multiget6", "get-misses"])
def test_report_says_what_the_json_file_says(version, name):
    (report,) = read_memtier_text(DATA / version / f"{name}.out")
    run = read_memtier_json(DATA / version / f"{name}.json").run
    assert report.title == run.title == "ALL STATS"
    columns = ["reported_throughput_ops_per_s", "bytes_per_s"]
    for kind in ("set", "get", "total"):
        printed, exact = report.totals.loc[kind], run.totals.loc[kind]
        np.testing.assert_allclose(printed[columns], exact[columns], rtol=1e-3)
        np.testing.assert_allclose(
            printed["response_time_ms"], exact["response_time_ms"], rtol=0.02, atol=0.005
        )
        if kind in run.histograms:
            rows = report.percentiles.query("request_type == @kind")
            assert rows["response_time_ms"].tolist() == (
                histogram_percentiles(run.histograms[kind], rows["percentile"]).tolist()
            )


def test_report_without_title_is_that_of_one_run(tmp_path):
    lines = (DATA / "1.2.17" / "get-only.out").read_text().splitlines(keepends=True)
    path = tmp_path / "1.2.8.out"
    path.write_text("".join(lines[:3] + lines[7:]))
    (report,) = read_memtier_text(path)
    assert report.title == "ALL STATS"
    assert report.totals.loc["get", "response_time_ms"] > 1


def test_report_of_several_runs_has_a_table_for_each():
    reports = read_memtier_text(DATA / "2.3.1" / "runs2.out")
    runs = read_memtier_json(DATA / "2.3.1" / "runs2.json").runs
    assert [report.title for report in reports] == [run.title for run in runs]
    percentiles = reports[0].percentiles.query("request_type == 'total'")
    assert percentiles["percentile"].tolist() == [25, 50, 75, 90, 95, 99, 99.9]


def test_distribution_rises_to_all_requests_and_leaves_idle_types_out():
    (report,) = read_memtier_text(DATA / "1.4.0" / "mixed-multiget6.out")
    assert report.distribution["request_type"].unique().tolist() == ["set", "get"]
    for _, rows in report.distribution.groupby("request_type"):
        assert rows["upper_edge_ms"].is_monotonic_increasing
        assert rows["cumulative_percent"].iloc[-1] == 100


@pytest.mark.parametrize("file", ["2.3.1/refused.out", "1.4.0/interrupted.out"])
def test_a_killed_tool_leaves_no_table(file):
    with pytest.raises(ParseError, match=r"\.out: no results table"):
        read_memtier_text(DATA / file)


def edited(tmp_path: Path, file: str, old: str, new: str) -> Path:
    text = (DATA / file).read_text()
    assert old in text
    path = tmp_path / f"edited{Path(file).suffix}"
    path.write_text(text.replace(old, new, 1))
    return path


def test_rows_are_read_where_no_rule_stands_above_them(tmp_path):
    rule = f"{'-' * 124}\n"
    path = edited(tmp_path, "1.4.0/set-only.out", rule, "")
    (report,) = read_memtier_text(path)
    assert report.totals.index.tolist() == ["set", "get", "wait", "total"]
    assert report.totals.equals(read_memtier_text(DATA / "1.4.0" / "set-only.out")[0].totals)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Waits ", "Sets ", r"edited\.out:12: a second row of 'Sets'"),
        ("Waits           0.00", "Waits           fast", ":12: not a number: 'fast'"),
        ("Waits           0.00", "Waits", ":12: 9 cells expected"),
        ("Hits/sec", "Ops/sec", ":8: not the column titles of memtier"),
        (
            "GET       0.031        0.000",
            "GET       0.031        0.0.0",
            ":21: not a row of the dis",
        ),
    ],
)
def test_no_row_of_a_report_vanishes(tmp_path, old, new, message):
    with pytest.raises(ParseError, match=message):
        read_memtier_text(edited(tmp_path, "1.4.0/get-only.out", old, new))


def test_the_last_line_is_not_the_title(tmp_path):
    text = (DATA / "1.4.0" / "get-only.out").read_text()
    path = tmp_path / "report.out"
    path.write_text(text.split("ALL STATS\n")[1] + "See you\n")
    assert read_memtier_text(path)[0].title == "ALL STATS"


@pytest.mark.parametrize("run", [1, 2])
@pytest.mark.parametrize("kind", ["FULL", "GET_command", "SET_command"])
def test_hdr_files_agree_with_each_other(kind, run):
    name = f"hdr_{kind}_RUN_{run}" if kind == "FULL" else f"hdr_{kind}_run_{run}"
    histogram = read_memtier_hgrm(DATA / "2.3.1" / f"{name}.hgrm")
    table = pd.read_csv(DATA / "2.3.1" / f"{name}.txt", sep=r"\s+", comment="#")
    total = histogram["count"].sum()
    assert table["TotalCount"].iloc[-1] == total
    expected = histogram_percentiles(histogram, 100 * table["TotalCount"] / total)
    np.testing.assert_allclose(table["Value"], expected, atol=0.0051)


WHOLE = {
    "2.3.1/get-only.out": lambda path: read_memtier_text(path)[0].totals,
    "1.2.17/set-only.out": lambda path: read_memtier_text(path)[0].totals,
    "2.3.1/hdr_FULL_RUN_1.hgrm": read_memtier_hgrm,
}


@settings(max_examples=100, deadline=None)
@given(file=st.sampled_from(sorted(WHOLE)), share=st.floats(0, 1))
def test_cut_anywhere_gives_the_whole_result_or_an_error(tmp_path_factory, file, share):
    whole, read = (DATA / file).read_bytes(), WHOLE[file]
    path = tmp_path_factory.getbasetemp() / Path(file).name
    path.write_bytes(whole[: math.floor(share * len(whole))])
    try:
        result = read(path)
    except ParseError as error:
        assert str(path) in str(error)
    else:
        assert result.equals(read(DATA / file))


def test_damaged_histogram_logs_are_errors(tmp_path):
    path = tmp_path / "hdr.hgrm"
    path.write_text("#[x]\n1.0,2.0,3.0,HISTxxxx\n")
    with pytest.raises(ParseError, match=r"hdr\.hgrm:2: not an encoded HdrHistogram"):
        read_memtier_hgrm(path)
    path.write_text("#[x]\nhello\n")
    with pytest.raises(ParseError, match=r"hdr\.hgrm:2: not a line of a histogram log: 'hello'"):
        read_memtier_hgrm(path)
