"""What memtier prints as it runs, and its files of single connections."""

import numpy as np
import pytest

from analysis.results import ParseError
from analysis.results.memtier.connections import distribution_counts, read_memtier_connection
from analysis.results.memtier.progress import read_memtier_printout
from tests.unit.analysis.imports.folders import connection, printed

PROGRESS = [
    "[RUN #1 20%,   0 secs]  2 threads:        2902 ops,    2902 (avg:    2902) ops/sec, "
    "11.48MB/sec (avg: 11.48MB/sec),  1.37 (avg:  1.37) msec latency",
    "[RUN #1 40%,   2 secs]  2 threads 32 conns:        5791 ops,    2888 (avg:    2895) ops/sec, "
    "11.43MB/sec (avg: 11.45MB/sec),  1.38 (avg:  1.38) msec latency",
    "[RUN #1 100%,   2 secs]  0 threads:        5799 ops,    2888 (avg:    2895) ops/sec, "
    "11.43MB/sec (avg: 11.45MB/sec),  1.38 (avg:  1.38) msec latency",
]


def test_lines_of_progress_are_seconds(tmp_path):
    path = tmp_path / "memtier.out"
    path.write_text("\r".join(PROGRESS) + "\n\n" + printed())
    run = read_memtier_printout(path)
    assert (run.threads, run.clients_per_thread, run.duration_s) == (1, 1, 10)
    assert run.seconds["requests"].tolist() == [2902, 5799 - 2902]
    assert run.seconds["response_time_ms"].tolist() == [1.37, 1.38]
    assert run.report.totals["response_time_ms"]["get"] == 10


def test_standard_output_alone_has_no_seconds(tmp_path):
    path = tmp_path / "memtier.out"
    path.write_text(printed())
    assert read_memtier_printout(path).seconds.empty


def test_requests_that_fall_are_refused(tmp_path):
    path = tmp_path / "memtier.out"
    path.write_text("\r".join([PROGRESS[1], PROGRESS[0]]) + "\n" + printed())
    with pytest.raises(ParseError, match="requests fall from 5791 to 2902"):
        read_memtier_printout(path)


def test_a_throughput_of_0_leaves_the_response_time(tmp_path):
    path = tmp_path / "memtier.out"
    path.write_text(printed(throughput=0, time_ms=49.791))
    totals = read_memtier_printout(path).report.totals
    assert totals["response_time_ms"]["get"] == 49.791
    assert np.isnan(totals["response_time_ms"]["set"])


def test_a_connection_has_seconds_and_a_distribution(tmp_path):
    path = tmp_path / "client-1-0-0.csv"
    path.write_text(connection(requests=7, time_s=0.0025, seconds=3))
    read = read_memtier_connection(path)
    assert read.seconds["get"].tolist() == [[second, 7, 2.5, 7, 0] for second in range(3)]
    assert len(read.seconds["set"]) == 0
    counts = distribution_counts(read.distributions["get"], 21)
    assert counts["upper_edge_ms"].tolist() == [9, 11]
    assert distribution_counts(read.distributions["set"], 0).empty


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (printed(), "not a file of --client-stats"),
        (connection()[:400], "the file is cut"),
        (connection().replace("GET Hits", "Hits"), "column 'GET Hits' is missing"),
        (connection().replace("1,0,0.0000", "1,0,0.x000", 1), "a cell below is no number"),
        (connection().replace("1,0,0.0", "1,0.0", 1), ": 11 cells expected, got 10"),
    ],
)
def test_a_damaged_file_of_a_connection_is_refused(tmp_path, text, message):
    path = tmp_path / "client-1-0-0.csv"
    path.write_text(text)
    with pytest.raises(ParseError) as error:
        read_memtier_connection(path)
    assert message in str(error.value)
