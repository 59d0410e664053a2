"""Tables of a capture with two gets and a set in the first second, and a get in the next."""

import gzip
import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from analysis.results import ParseError, read_packets
from analysis.tables.details import request_type_measures, server_seconds
from analysis.tables.measures import MIDDLEWARE_TIMES, middleware_measures, middleware_seconds
from tests.helpers.manifests import manifest_of

SECOND = 1_795_000_000
FILES = {
    "windows.csv": f"""\
epoch_s,request_type,requests,keys,errors,hits,misses,bytes_in,bytes_out,\
response_time_mean_ms,response_time_min_ms,response_time_max_ms,response_time_count,\
service_time_mean_ms,service_time_min_ms,service_time_max_ms,service_time_count,\
queueing_and_processing_time_mean_ms,queueing_and_processing_time_min_ms,\
queueing_and_processing_time_max_ms,queueing_and_processing_time_count,\
servers_net_time_mean_ms,servers_net_time_min_ms,servers_net_time_max_ms,servers_net_time_count
{SECOND},get,2,2,0,1,1,20,200,3.0,2.0,4.0,2,1.0,1.0,1.0,1,1.0,1.0,1.0,1,1.0,1.0,1.0,1
{SECOND},set,1,1,1,0,0,99,9,5.0,5.0,5.0,1,,,,0,,,,0,,,,0
{SECOND + 1},get,1,1,0,1,0,10,100,2.0,2.0,2.0,1,1.5,1.5,1.5,1,0.5,0.5,0.5,1,1.5,1.5,1.5,1
""",
    "queue.csv": f"""\
epoch_s,arrivals,jobs_mean,jobs_found_mean
{SECOND},4,0.013,0.5
{SECOND + 1},0,0.002,
""",
    "servers.csv": f"""\
epoch_s,server,requests,keys,errors,hits,misses,bytes_in,bytes_out,response_time_mean_ms,\
response_time_min_ms,response_time_max_ms
{SECOND},10.0.0.1:11211,2,2,0,1,1,20,200,1.0,1.0,1.0
""",
    "histograms.csv": f"""\
epoch_s,time,server,request_type,upper_edge_us,count
{SECOND},response_time,,get,2003,1
{SECOND},response_time,,get,4007,1
{SECOND},response_time,,set,5007,1
{SECOND},server_time,10.0.0.1:11211,get,1001,2
{SECOND + 1},response_time,,get,2003,1
""",
}
SUMMARY = {
    "configuration": {"listen": "10.0.0.2:11212", "servers": ["10.0.0.1:11211"]},
    "requests": 4,
    "requests_without_reply": 0,
    "servers": [{"address": "10.0.0.1:11211", "requests": 2}],
}


@pytest.fixture
def directory(tmp_path):
    for name, text in {**FILES, "summary.json": json.dumps(SUMMARY)}.items():
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def run(result, stable_s=2):
    window = {"start_epoch_s": SECOND, "end_epoch_s": SECOND + stable_s, "stable_s": stable_s}
    manifest = manifest_of(window=window, roles={"servers": ["s1"]})

    def in_window(rows):
        return rows[rows["epoch_s"].between(SECOND, SECOND + stable_s, inclusive="left")]

    seconds = pd.DataFrame(
        {"second": [0], "request_type": "get", "requests": 1, "response_time_ms": 1.0}
    )
    generator = SimpleNamespace(seconds=seconds)
    return SimpleNamespace(
        manifest=manifest,
        middlewares={"m1": result},
        in_window=in_window,
        generators={0: generator},
    )


def test_tables_are_read_with_what_is_unknown_as_nan(directory):
    result = read_packets(directory)
    assert result.windows["response_time_mean_ms"].tolist() == [3, 5, 2]
    assert result.windows["queueing_time_mean_ms"].isna().all()
    assert {f"{time}_mean_ms" for time in MIDDLEWARE_TIMES} <= set(result.windows)
    assert result.queue["jobs_mean"].tolist() == [0.013, 0.002]
    assert result.utilization.empty
    assert result.bins.empty


def test_measures_of_a_run(directory):
    measures = middleware_measures(run(read_packets(directory)))
    assert measures["middleware_throughput_ops_per_s"] == 2
    assert measures["middleware_arrival_rate_ops_per_s"] == 2
    assert measures["middleware_response_time_ms"] == pytest.approx((3 * 2 + 5 + 2) / 4)
    assert measures["middleware_service_time_ms"] == pytest.approx((1 + 1.5) / 2)
    assert measures["middleware_errors"] == 1
    assert measures["middleware_response_time_p50_ms"] == pytest.approx(2.003)
    for unknown in ("queueing_time_ms", "queue_length", "waiting_workers", "cpu_cores"):
        assert np.isnan(measures[f"middleware_{unknown}"]), unknown
    for kind in ("worker", "net_thread"):
        assert np.isnan(measures[f"middleware_{kind}_utilization"])


def test_seconds_and_details_of_a_run(directory):
    seen = run(read_packets(directory))
    seconds = middleware_seconds(seen)
    assert seconds["requests"].tolist() == [3, 1]
    assert seconds[["queueing_time_ms", "queue_length", "waiting_workers"]].isna().all(axis=None)
    kinds = request_type_measures(seen).set_index(["side", "request_type"])
    assert kinds.loc[("middleware", "get"), "service_time_ms"] == pytest.approx(1.25)
    servers = server_seconds(seen)
    assert servers["server"].tolist() == ["s1"]
    assert servers["throughput_ops_per_s"].tolist() == [2]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("windows.csv", "cut: it contains 3 of 4 requests"),
        ("histograms.csv", "cut: it contains 3 of 4 requests"),
        ("servers.csv", "cut: it contains 0 of 2 requests"),
    ],
)
def test_a_table_that_lacks_its_last_row_is_told(directory, name, message):
    rows = FILES[name].splitlines(keepends=True)
    (directory / f"{name}.gz").write_bytes(gzip.compress("".join(rows[:-1]).encode()))
    with pytest.raises(ParseError, match=message):
        read_packets(directory)


def test_a_summary_without_counts_is_told(directory):
    (directory / "summary.json.gz").write_bytes(gzip.compress(b"{}"))
    with pytest.raises(ParseError, match="a field is missing or wrong: KeyError"):
        read_packets(directory)
