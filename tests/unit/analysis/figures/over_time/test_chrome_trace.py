"""The trace is held against the rules of the Trace Event Format that its viewers rely on."""

import json
import shutil
from collections import Counter, defaultdict

import numpy as np
import pytest

from analysis.figures.over_time.chrome_trace import to_chrome_trace
from analysis.traces.blame import slowest_requests
from analysis.traces.followed_requests import followed_requests
from analysis.traces.host_pauses import host_pauses
from tests.helpers.followed_run import (
    TO_SERVER_MS,
    WIRE_MS,
    Passage,
    ordinary_passages,
    write_run,
)

COUNT = 60


@pytest.fixture(params=["apart", "crowded", "captured", "black box"])
def run(request, tmp_path):
    passages = ordinary_passages(np.random.default_rng(3), COUNT)
    if request.param != "apart":  # connections, workers and servers have several at a time
        for one in passages:
            one.sent_s /= 5000
    pauses = {"m1/middleware/": [(0.001, 0.02, "hiccup"), (0.002, 0.005, "gc: Copy")]}
    captured = request.param in ("captured", "black box")
    run = write_run(tmp_path, passages, pauses=pauses, captured=captured)
    if request.param == "black box":
        shutil.rmtree(run / "m1/middleware")
    return run


@pytest.fixture
def events(run):
    requests, pauses = followed_requests(run), host_pauses(run)
    blamed = slowest_requests(requests, pauses, 5)[["blamed", "blamed_share"]]
    trace = to_chrome_trace(requests.join(blamed), pauses)
    text = json.dumps(trace, allow_nan=False)
    document = json.loads(text)
    assert document["displayTimeUnit"] in ("ms", "ns")
    return document["traceEvents"]


def of_phase(events, phase):
    return [event for event in events if event["ph"] == phase]


def test_events_have_what_their_phase_needs(events):
    needed = {
        "X": {"name", "cat", "ts", "dur", "pid", "tid"},
        "M": {"name", "pid", "tid", "args"},
        "s": {"name", "cat", "id", "ts", "pid", "tid"},
    }
    needed |= {"t": needed["s"], "f": needed["s"] | {"bp"}}
    for event in events:
        assert needed[event["ph"]] <= set(event), event
        assert all(isinstance(event[name], int) for name in ("pid", "tid"))
        assert isinstance(event.get("ts", 0), int)
        assert event.get("ts", 0) >= 0
        assert event.get("dur", 0) >= 0
        assert isinstance(event["name"], str)


def test_every_process_and_thread_has_one_name(events):
    named = Counter(
        (event["name"], event["pid"], event["tid"] if event["name"] == "thread_name" else 0)
        for event in of_phase(events, "M")
    )
    assert set(named.values()) == {1}
    for event in of_phase(events, "X"):
        assert ("process_name", event["pid"], 0) in named
        assert ("thread_name", event["pid"], event["tid"]) in named
    hosts = {e["args"]["name"] for e in of_phase(events, "M") if e["name"] == "process_name"}
    assert hosts == {"c1", "m1", "s1", "s2", "s3"}
    tids = [e["tid"] for e in of_phase(events, "M") if e["name"] == "thread_name"]
    assert len(tids) == len(set(tids))


def test_slices_of_a_thread_follow_or_contain_each_other(events):
    threads = defaultdict(list)
    for event in of_phase(events, "X"):
        threads[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for spans in threads.values():
        open_until = []
        for start, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_until and open_until[-1] <= start:
                open_until.pop()
            assert not open_until or end <= open_until[-1], (start, end, open_until)
            open_until.append(end)


def test_a_flow_leads_each_request_from_its_sending_to_its_servers(events):
    flows = defaultdict(list)
    for event in events:
        if event["ph"] in "stf":
            flows[event["id"]].append(event)
    assert len(flows) == COUNT
    slices = {(e["pid"], e["tid"], e["ts"]) for e in of_phase(events, "X")}
    for steps in flows.values():
        assert "".join(step["ph"] for step in steps) in ("sttf", "stttf")
        assert [step["ts"] for step in steps] == sorted(step["ts"] for step in steps)
        assert all((step["pid"], step["tid"], step["ts"]) in slices for step in steps)
        assert steps[-1]["bp"] == "e"


def test_what_is_blamed_is_told_where_that_was_asked(events):
    told = [e["args"] for e in of_phase(events, "X") if "args" in e]
    assert len(told) == COUNT
    assert sum("blamed" in args for args in told) == 5


def test_a_server_has_a_request_between_the_packets_on_its_host(tmp_path):
    run = write_run(tmp_path, [Passage(servers=("s2",))], captured=True)
    events = to_chrome_trace(followed_requests(run))["traceEvents"]
    call, inside = of_phase(events, "X")[-2:]
    around_us = 1000 * (WIRE_MS + TO_SERVER_MS)
    assert (inside["pid"], inside["tid"]) == (call["pid"], call["tid"])
    assert (inside["name"], inside["ts"]) == ("in the server", call["ts"] + around_us)
    assert inside["dur"] == call["dur"] - 2 * around_us


def test_slices_last_as_long_as_what_they_show(tmp_path):
    run = write_run(tmp_path, [Passage(servers=("s2",), worker=4)])
    requests = slowest_requests(followed_requests(run), host_pauses(run))
    events = to_chrome_trace(requests)["traceEvents"]
    slices = of_phase(events, "X")
    (threads,) = [[e["args"]["name"] for e in of_phase(events, "M") if e["name"] == "thread_name"]]
    assert threads == ["198.18.0.11:40000", "from 198.18.0.11:40000", "worker 4", "for m1 worker 4"]
    assert [(one["name"], one["ts"], one["dur"]) for one in slices] == [
        ("get", 0, 2420),
        ("get", 500, 320),
        ("preprocessing", 500, 20),
        ("queue", 520, 300),
        ("get", 820, 1100),
        ("sending", 820, 50),
        ("servers", 870, 1000),
        ("replying", 1870, 50),
        ("get", 870, 1000),
    ]
    assert slices[0]["args"]["blamed"] == "nothing"
