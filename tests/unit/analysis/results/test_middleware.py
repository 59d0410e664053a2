import json
import math
from pathlib import Path

import numpy as np
import pytest

from analysis.results import ParseError, read_middleware
from analysis.results.histograms import histogram_percentiles, merge_histograms
from tests.helpers.tools import START_EPOCH_S, histogram_of, middleware_files

DATA = Path(__file__).parents[3] / "data" / "middleware"
CONFIG = {"workload": "get", "clients_per_thread": 1, "workers": 8}
FILES = middleware_files(CONFIG, 2900.0, 2.0)


@pytest.fixture
def stats_dir(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_real_files_agree_with_the_middlewares_own_summary():
    result = read_middleware(DATA)
    for request_type, expected in result.summary["requests"].items():
        windows = result.windows.query("request_type == @request_type")
        assert windows["requests"].sum() == expected["requests"]
        assert windows["misses"].sum() == expected["misses"]
        for time in ("response_time", "queueing_time", "service_time"):
            merged = whole(DATA, time, request_type, -START_EPOCH_S, math.inf)
            printed = expected[f"{time}_ms"]
            assert merged["count"].sum() == printed["count"]
            percentiles = [printed["p50"], printed["p90"], printed["p95"], printed["p99"]]
            assert histogram_percentiles(merged, [50, 90, 95, 99]) == pytest.approx(
                percentiles, rel=0.01
            )
    assert result.bins["count"].sum() > 0


def whole(directory, time="response_time", request_type="get", start=0, end=6):
    rows = read_middleware(directory).histograms_by_second(
        time, start_epoch_s=START_EPOCH_S + start, end_epoch_s=START_EPOCH_S + end
    )
    chosen = rows[rows["request_type"] == request_type]
    return merge_histograms([chosen[["upper_edge_ms", "count"]]])


def test_empty_cells_are_missing(stats_dir):
    path = stats_dir / "windows.csv"
    header = path.read_text().splitlines()[0].split(",")
    cells = ["1795000000", "set", *[""] * (len(header) - 2)]
    path.write_text(",".join(header) + "\n" + ",".join(cells) + "\n")
    row = read_middleware(stats_dir).windows.iloc[0]
    assert row["request_type"] == "set"
    assert np.isnan(row["response_time_mean_ms"])


def test_a_run_without_requests_has_empty_frames(stats_dir):
    path = stats_dir / "windows.csv"
    path.write_text(path.read_text().splitlines()[0] + "\n")
    windows = read_middleware(stats_dir).windows
    assert windows.empty
    assert windows["requests"].dtype == float


def test_histograms_of_the_window_are_merged(stats_dir):
    assert whole(stats_dir)["count"].sum() == 6 * 2900
    stable = whole(stats_dir, start=2, end=5)
    assert stable["count"].sum() == 3 * 2900
    assert (
        histogram_percentiles(stable, [50]).tolist()
        == histogram_percentiles(whole(stats_dir), [50]).tolist()
    )
    assert whole(stats_dir, request_type="set").empty


def test_tags_of_servers_and_stamps_relative_to_the_start(stats_dir):
    encoded, _ = histogram_of(1.0, 10, 3)
    servers = ("198.18.0.31:11211", "d1:5432/lab")  # a database has a slash in its name
    tags = [*(f"server_time/{server}/get" for server in servers), "service_time/multi-get-6"]
    rows = [f"Tag={tag},1.500,1.000,2.0,{encoded}" for tag in tags]
    start = f"#[StartTime: {START_EPOCH_S}.250 (seconds since epoch)]"
    (stats_dir / "histograms.hlog").write_text("\n".join([start, *rows]) + "\n")
    intervals = read_middleware(stats_dir).intervals
    assert intervals["time"].tolist() == ["server_time", "server_time", "service_time"]
    assert intervals["server"].tolist() == [*servers, ""]
    assert intervals["request_type"].tolist() == ["get", "get", "multi-get-6"]
    assert intervals["epoch_s"].tolist() == [START_EPOCH_S + 1.75] * 3


@pytest.mark.parametrize("name", [name for name in FILES if name != "summary.json"])
def test_a_last_line_without_its_end_is_dropped(stats_dir, name):
    path = stats_dir / name
    path.write_text(path.read_text()[:-3])
    cut = read_middleware(stats_dir)
    path.write_text(FILES[name])
    complete = read_middleware(stats_dir)
    frames = {"histograms.hlog": "intervals"}.get(name, name.removesuffix(".csv"))
    expected = getattr(complete, frames).iloc[:-1]
    assert getattr(cut, frames).to_dict("list") == expected.to_dict("list")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("windows.csv", "request_type", "kind", r"windows\.csv:1: columns request_type are miss"),
        ("queue.csv", ",50000000", ",much", r"queue\.csv:2: heap_used_bytes must be a number"),
        ("queue.csv", ",50000000", ",-5", r"queue\.csv:2: heap_used_bytes must be >= 0, got -5"),
        ("queue.csv", "cpu_s", "arrivals", r"queue\.csv:1: a column stands twice"),
        ("histograms.hlog", "Tag=", "Label=", r"histograms\.hlog:4: not a line of a histogram"),
    ],
)
def test_damage_is_an_error_with_the_line(stats_dir, name, old, new, message):
    path = stats_dir / name
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ParseError, match=message):
        read_middleware(stats_dir)


def test_a_damaged_histogram_is_an_error_when_it_is_decoded(stats_dir):
    path = stats_dir / "histograms.hlog"
    path.write_text(path.read_text().replace("HISTFAAA", "HISTFBBB"))
    with pytest.raises(ParseError, match=r"histograms\.hlog: not an encoded HdrHistogram"):
        whole(stats_dir)


def test_bins_are_read_when_the_middleware_wrote_them(stats_dir):
    assert read_middleware(stats_dir).bins.empty
    (stats_dir / "bins.csv").write_text(
        "time,request_type,bin_start_ms,count\nresponse_time,get,1.4,17\nresponse_time,get,500,1\n"
    )
    bins = read_middleware(stats_dir).bins
    assert bins["bin_start_ms"].tolist() == [1.4, 500]
    assert bins["time"].unique() == ["response_time"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("windows.csv", "cut: it contains 37465 of 61778 requests"),
        ("queue.csv", "cut: it contains 18341 of 61778 arrivals"),
        ("servers.csv", "cut: it contains 37465 of 61778 requests"),
        ("utilization.csv", "cut: it contains 19 of 30 rows"),
        ("bins.csv", "cut: it contains 61578 of 61778 values of queueing_time"),
        ("histograms.hlog", "cut: it contains 7 of 10 seconds of response_time"),
    ],
)
def test_a_file_cut_at_a_lines_end_is_an_error_after_a_clean_end(tmp_path, name, message):
    for path in DATA.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    whole = (tmp_path / name).read_text().splitlines(keepends=True)
    (tmp_path / name).write_text("".join(whole[: len(whole) * 2 // 3]))
    with pytest.raises(ParseError, match=message):
        read_middleware(tmp_path)


def test_a_killed_middleware_has_a_summary_that_is_some_seconds_old(tmp_path):
    for path in DATA.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    summary = json.loads((DATA / "summary.json").read_text())
    summary["clean_shutdown"] = False
    summary["requests"]["get"]["requests"] -= 1000
    (tmp_path / "summary.json").write_text(json.dumps(summary))
    assert len(read_middleware(tmp_path).windows) == 10
    summary["clean_shutdown"] = True
    summary["requests"]["get"].pop("requests")
    (tmp_path / "summary.json").write_text(json.dumps(summary))
    with pytest.raises(ParseError, match=r"summary\.json: a field is missing or wrong"):
        read_middleware(tmp_path)
