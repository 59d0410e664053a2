import numpy as np
import pandas as pd
import pytest

from analysis.traces.blame import blame, slowest_requests, usual_requests
from analysis.traces.followed_requests import STAGES, followed_requests
from analysis.traces.host_pauses import host_pauses
from tests.helpers.followed_run import SERVERS, Passage, ordinary_passages, write_run

STAGE_OF = {
    "queue": ["queueing_time"],
    "slowest server": ["servers_time"],
    "link": ["link_there", "link_back"],
    "processing": ["sending_time", "replying_time"],
    "garbage collection": list(STAGES[:-1]),
    "pause of m1": list(STAGES[:-1]),
    "pause of c1": ["link_back"],
    "pause of server": ["servers_time"],
}
PLANTED = tuple(STAGE_OF)
RUNS = 48


def planted_run(folder, seed):
    """A run in which one request is slow for a reason of which, and only of which, we know."""
    rng = np.random.default_rng(seed)
    passages = ordinary_passages(rng, 60)
    what = PLANTED[seed % len(PLANTED)]
    victim = passages[rng.integers(len(passages))]
    stage, extra_ms = str(rng.choice(STAGE_OF[what])), rng.uniform(10, 60)
    within_ms = rng.uniform(0, victim.stages_ms[stage])  # into the stage, when it begins
    start_s = victim.at_s(stage) + within_ms / 1000
    victim.stages_ms = {**victim.stages_ms, stage: victim.stages_ms[stage] + extra_ms}
    pauses = {place: list(others(rng)) for place in ("c1/memtier-0-", "m1/middleware/")}
    stopped = [(host, float(rng.uniform(0, 100)), 0.01) for host in SERVERS]
    if stage != "queueing_time":  # which a server that it does not ask can have kept long
        idle = next(host for host in SERVERS if host not in victim.servers)
        stopped.append((idle, victim.sent_s - 0.001, 0.1))  # of no matter to it
    if what == "garbage collection":
        slept_s = float(rng.uniform(0, 0.001))  # it began before the thread was due
        pauses["m1/middleware/"].append((start_s + slept_s, extra_ms / 1000 - slept_s, "gc: Copy"))
    if what == "pause of m1":
        pauses["m1/middleware/"].append((start_s, extra_ms / 1000, "hiccup"))
    if what == "pause of c1":
        pauses["c1/memtier-0-"].append((start_s, extra_ms / 1000, "hiccup"))
    if what == "pause of server":
        what = f"pause of {victim.servers[0]}"
        stopped.append((victim.servers[0], start_s, extra_ms / 1000))
    offset_s = float(rng.uniform(-0.1, 0.1))
    run = write_run(
        folder, passages, pauses=pauses, stopped=stopped, offsets_s={"m1": (offset_s, offset_s)}
    )
    return run, victim, what


def others(rng):
    """Pauses that have nothing to do with anything."""
    for cause in rng.choice(["hiccup", "gc: Copy"], size=20):
        yield float(rng.uniform(0, 100)), float(rng.uniform(0.002, 0.006)), str(cause)


@pytest.mark.slow
def test_of_planted_reasons_almost_all_are_found(tmp_path):
    wrong = []
    for seed in range(RUNS):
        run, victim, what = planted_run(tmp_path / str(seed), seed)
        slowest = slowest_requests(followed_requests(run), host_pauses(run), 3).iloc[0]
        assert (slowest["client"], slowest["number"]) == (victim.client, victim.number)
        if slowest["blamed"] != what or slowest["blamed_share"] < 0.8:
            wrong.append((seed, what, slowest["blamed"], slowest["blamed_share"]))
    assert len(wrong) <= 1, wrong


def request(**changes):
    usual = {f"{stage}_ms": 1.0 for stage in STAGES}
    row = {"sent_s": 10.0, "middleware": "m1", "client_host": "c1", "instance": 0, **usual}
    row |= {"servers": ("s1",), "request_type": "get"} | changes
    row["response_time_ms"] = sum(row[name] for name in usual)
    return pd.Series(row)


def pause(host, process, start_ms, length_ms, cause="hiccup"):
    row = [host, process, 10 + start_ms / 1000, length_ms / 1000, cause]
    return pd.DataFrame([row], columns=["host", "process", "start_s", "length_s", "cause"])


USUAL = request()
NONE = pause("m1", "middleware", 0, 0).iloc[:0]


def test_the_largest_stage_is_blamed_with_its_share_of_the_excess():
    slow = request(queueing_time_ms=7.0, servers_time_ms=3.0)
    found = blame(slow, NONE, USUAL)
    assert (found.what, found.share) == ("queue", pytest.approx(6 / 8))


def test_a_pause_takes_no_more_than_the_excess_that_it_overlaps_with():
    slow = request(queueing_time_ms=11.0)  # from 2 to 13 ms, of which 10 are too many
    found = blame(slow, pause("m1", "middleware", 9, 100), USUAL)
    assert (found.what, found.share) == ("queue", pytest.approx(6 / 10))
    found = blame(slow, pause("m1", "middleware", -100, 106), USUAL)
    assert found.what == "queue"
    found = blame(slow, pause("m1", "middleware", -100, 200), USUAL)
    assert (found.what, found.share) == ("pause of m1", pytest.approx(1))


@pytest.mark.parametrize(
    ("host", "process", "stage", "what"),
    [
        ("m1", "middleware", "link_there", "pause of m1"),
        ("m1", "middleware", "servers_time", "pause of m1"),
        ("m1", "middleware", "link_back", "link"),
        ("m2", "middleware", "queueing_time", "queue"),
        ("c1", "memtier-0", "link_back", "pause of c1"),
        ("c1", "memtier-0", "queueing_time", "queue"),
        ("c1", "memtier-1", "link_back", "link"),
        ("s1", "server", "servers_time", "pause of s1"),
        ("s2", "server", "servers_time", "slowest server"),
        ("s1", "server", "queueing_time", "pause of s1"),
        ("s2", "server", "queueing_time", "pause of s2"),  # its workers wait for that server
    ],
)
def test_a_pause_counts_where_it_can_have_kept_the_request(host, process, stage, what):
    slow = request(**{f"{stage}_ms": 20.0})
    assert blame(slow, pause(host, process, -1, 50), USUAL).what == what


def test_pauses_share_what_they_took():
    slow = request(queueing_time_ms=21.0)
    both = [pause("m1", "middleware", 3, 13, "gc: Copy"), pause("m1", "middleware", 17, 5)]
    found = blame(slow, pd.concat(both), USUAL)
    assert (found.what, found.share) == ("garbage collection", pytest.approx(13 / 20))


def test_a_request_is_held_against_the_median_of_its_kind(tmp_path):
    sets = [Passage(number=n, sent_s=n, request_type="set") for n in range(5)]
    for one in sets:
        one.stages_ms = {**one.stages_ms, "servers_time": 50.0}
    gets = [Passage(number=n, sent_s=n + 0.5) for n in range(5, 10)]
    gets[2].stages_ms = {**gets[2].stages_ms, "queueing_time": 30.0}
    run = write_run(tmp_path, [*sets, *gets])
    requests = followed_requests(run)
    usual = usual_requests(requests)
    assert usual.loc["set", "servers_time_ms"] == pytest.approx(50)
    assert usual.loc["get", "servers_time_ms"] == pytest.approx(1)
    slowest = slowest_requests(requests, host_pauses(run), 6)
    assert slowest["blamed"].tolist()[-1] == "queue"
    assert slowest["excess_ms"].tolist()[:5] == pytest.approx([0] * 5, abs=1e-5)
