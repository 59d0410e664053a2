"""Logs of other middlewares: rows of seconds between markers, rows of requests, histograms."""

import numpy as np
import pytest

from analysis.results import ParseError
from analysis.results.middleware_logs import read_middleware_log
from records.import_plan import FileTable

SECONDS = FileTable(
    reader="csv-seconds",
    name="x",
    start="STAT START",
    end="STAT END",
    columns={
        "qlen": "queue_length",
        "nset": "set.requests",
        "nmget": "multi-get.requests",
        "sqt": "set.queueing_time_s",
        "mqt": "multi-get.queueing_time_s",
        "swt": "set.service_time_s",
        "mwt": "multi-get.service_time_s",
    },
    histograms={
        "set": ["SET HIST START", "SET HIST END"],
        "get": ["GET HIST START", "GET HIST END"],
    },
)
LOG = """Listening
STAT START
secs,qlen,nset,nmget,sqt,mqt,swt,mwt
1,3,10,5,0.001,0.002,0.003,0.004
1,5,20,0,0.002,NaN,0.004,NaN
STAT END
SET HIST START
4
   0 0
   1 2
   2 0
   3 28
SET HIST END
GET HIST START
0
GET HIST END
"""
REQUESTS = FileTable(
    reader="csv-requests",
    name="x",
    separator=";",
    columns={
        "arrived": "t0_ns",
        "taken": "t2_ns",
        "sent": "t3_ns",
        "answered": "t4_ns",
        "done": "t5_ns",
        "op": "request_type",
        "waiting": "queue_length",
    },
    request_types={"S": "set", "G": "get"},
)


def request(start_ms: float, op: str = "S", waiting: int = 0) -> str:
    """Return the row of a request that waits 1 ms and then is served for 4 ms."""
    stamps = [int((start_ms + part) * 1e6) for part in (0, 1, 1.5, 4.5, 5)]
    return ";".join(map(str, [*stamps, op, waiting]))


def requests(*rows: str) -> str:
    """Return a log of requests."""
    return "\n".join(["arrived;taken;sent;answered;done;op;waiting", *rows, ""])


def read(tmp_path, text, table=SECONDS):
    """Read a log."""
    path = tmp_path / "mw.out"
    path.write_text(text)
    return read_middleware_log(path, table)


def test_rows_are_seconds_of_each_type(tmp_path):
    log = read(tmp_path, LOG)
    sets = log.seconds[log.seconds["request_type"] == "set"]
    assert sets["second"].tolist() == [0, 1]
    assert sets["requests"].tolist() == [10, 20]
    assert sets["queueing_time_ms"].tolist() == [1, 2]
    assert sets["response_time_ms"].tolist() == [4, 6]
    assert len(log.seconds) == 3
    assert log.queue["queue_length"].tolist() == [3, 5]


def test_bins_of_a_histogram_begin_at_0_and_empty_ones_are_left_out(tmp_path):
    histograms = read(tmp_path, LOG).histograms
    assert list(histograms) == ["set"]
    assert histograms["set"]["count"].tolist() == [2, 28]
    assert np.allclose(histograms["set"]["upper_edge_ms"], [0.2, 0.4])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("STAT END\n", "", "the file is cut: no line 'STAT END'"),
        ("STAT START\n", "", "no line 'STAT START'"),
        ("nmget", "mget", "no column 'nmget'"),
        ("0.001,0.002", "0.001;0.002", "mw.out:4: 8 cells expected, got 7"),
        ("0.001", "x", "mw.out:4: could not convert"),
        ("   3 28\n", "", "4 bins expected, got 3"),
        ("SET HIST END\n", "", "no line 'SET HIST END'"),
        ("1,3,10,5,0.001,0.002,0.003,0.004\n1,5,20,0,0.002,NaN,0.004,NaN\n", "", "no rows"),
    ],
)
def test_a_damaged_log_is_refused_with_its_place(tmp_path, old, new, message):
    with pytest.raises(ParseError) as error:
        read(tmp_path, LOG.replace(old, new))
    assert message in str(error.value)


def test_requests_become_seconds_by_the_time_of_the_reply(tmp_path):
    rows = [request(0), request(10, "G", 4), request(990, "G", 2), request(1000)]
    log = read(tmp_path, requests(*rows), REQUESTS)
    counts = log.seconds.set_index(["second", "request_type"])["requests"]
    assert counts.to_dict() == {(0, "get"): 2, (0, "set"): 1, (1, "set"): 1}
    assert np.allclose(log.seconds["response_time_ms"], 5)
    assert np.allclose(log.seconds["queueing_time_ms"], 1)
    assert np.allclose(log.seconds["service_time_ms"], 4)
    assert np.allclose(log.seconds["servers_net_time_ms"], 3)
    assert log.queue["queue_length"].tolist() == [2, 0]
    assert log.histograms["get"]["count"].tolist() == [2]
    assert 5 <= log.histograms["get"]["upper_edge_ms"].iloc[0] <= 5.1 + 1e-9


def test_time_stamps_in_the_wrong_order_are_refused(tmp_path):
    swapped = FileTable(
        reader="csv-requests",
        name="x",
        separator=";",
        columns={"done": "t0_ns", "arrived": "t5_ns"},
    )
    with pytest.raises(ParseError, match="time stamps go backwards"):
        read(tmp_path, requests(request(0)), swapped)


def test_an_unknown_type_of_request_is_refused(tmp_path):
    with pytest.raises(ParseError, match=r"mw.out:2: type of request 'D'"):
        read(tmp_path, requests(request(0, "D")), REQUESTS)
