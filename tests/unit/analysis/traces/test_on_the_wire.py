"""Packets of followed requests: joined with what programs stamped, or in place of it."""

import shutil

import numpy as np
import pytest

from analysis.traces.blame import slowest_requests
from analysis.traces.followed_requests import followed_requests
from analysis.traces.host_pauses import host_pauses
from tests.helpers.followed_run import (
    SERVERS,
    TO_SERVER_MS,
    WIRE_MS,
    Passage,
    ordinary_passages,
    write_run,
)

OFFSETS_S = {"c1": (0.1, 0.1), "m1": (0.3, 0.2), "s1": (-0.05, 0.0), "s3": (0.0, 0.2)}
NEAR_MS = 0.01


@pytest.fixture
def passages():
    return ordinary_passages(np.random.default_rng(5), 40)


def test_every_interface_tells_when_a_request_passed_whatever_the_clocks_say(tmp_path, passages):
    run = write_run(tmp_path, passages, captured=True, offsets_s=OFFSETS_S)
    requests = followed_requests(run)
    assert len(requests) == len(passages)
    for one, row in zip(passages, requests.to_dict("records"), strict=True):
        into_ms, out_ms, asked_ms, answered_ms = (
            1000 * (one.at_s(stage) - one.sent_s)
            for stage in ("preprocessing_time", "link_back", "servers_time", "replying_time")
        )
        assert row["wire_in_ms"] == pytest.approx(into_ms - WIRE_MS, abs=NEAR_MS)
        assert row["wire_out_ms"] == pytest.approx(out_ms + WIRE_MS, abs=NEAR_MS)
        there_ms = WIRE_MS + TO_SERVER_MS
        expected = {
            "wire_sent": asked_ms + WIRE_MS,
            "wire_answered": answered_ms - WIRE_MS,
            "host_in": asked_ms + there_ms,
            "host_out": answered_ms - there_ms,
        }
        for name, value in expected.items():
            assert row[f"server_{name}_ms"] == pytest.approx(
                [value] * len(one.servers), abs=NEAR_MS
            )


def test_what_one_host_has_not_captured_is_missing_there_alone(tmp_path):
    passages = [Passage(servers=("s1", "s2")), Passage(number=1, sent_s=2)]
    run = write_run(tmp_path, passages, captured=True)
    shutil.rmtree(run / "s2/packets")
    path = run / "m1/packets/followed.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    one, other = followed_requests(run).to_dict("records")
    assert np.isfinite(one["server_host_in_ms"]).tolist() == [True, False]
    assert np.isfinite(one["server_wire_sent_ms"]).all()
    assert np.isnan(other["wire_in_ms"])
    assert np.isnan(other["server_wire_sent_ms"]).tolist() == [True]


def test_calls_belong_to_the_nearest_in_time_where_a_connection_is_of_the_same_port(tmp_path):
    passages = [Passage(number=n, sent_s=second) for n, second in enumerate((5, 20))]
    run = write_run(tmp_path, passages, captured=True)
    for host in ("m1", "s1"):
        path = run / host / "packets/followed.csv"
        text = path.read_text().replace("198.18.0.21:50001", "198.18.0.21:50000")
        path.write_text(text.replace(";1;", ";0;").replace("50000,1,", "50000,0,"))
    requests = followed_requests(run)
    there_ms = [times[0] - sent[0] for times, sent in _both(requests)]
    assert there_ms == pytest.approx([TO_SERVER_MS] * 2, abs=NEAR_MS)


def _both(requests):
    return zip(requests["server_host_in_ms"], requests["server_wire_sent_ms"], strict=True)


@pytest.fixture
def black_box(tmp_path, passages):
    run = write_run(tmp_path, passages, captured=True, offsets_s=OFFSETS_S)
    shutil.rmtree(run / "m1/middleware")
    return run


def test_of_a_black_box_packets_tell_the_stages(black_box, passages):
    requests = followed_requests(black_box)
    assert len(requests) == len(passages)
    assert requests["balance_ms"].abs().max() < 1e-6
    assert set(requests["worker"]) == {-1}
    assert requests[["preprocessing_time_ms", "sending_time_ms"]].abs().max(axis=None) < 1e-6
    for one, row in zip(passages, requests.to_dict("records"), strict=True):
        stages_ms = one.stages_ms
        waited_ms = sum(
            stages_ms[name] for name in ("preprocessing_time", "queueing_time", "sending_time")
        )
        assert row["queueing_time_ms"] == pytest.approx(waited_ms + 2 * WIRE_MS, abs=NEAR_MS)
        assert row["servers_time_ms"] == pytest.approx(
            stages_ms["servers_time"] - 2 * WIRE_MS, abs=NEAR_MS
        )
        assert row["servers"] == one.servers
        assert set(one.servers) <= set(SERVERS)


def test_of_a_black_box_servers_and_clients_can_be_blamed(tmp_path):
    passages = [Passage(number=n, sent_s=1 + n) for n in range(9)]
    passages[4].stages_ms = {**passages[4].stages_ms, "servers_time": 60.0}
    run = write_run(
        tmp_path, passages, captured=True, stopped=[("s1", passages[4].at_s("servers_time"), 0.06)]
    )
    shutil.rmtree(run / "m1/middleware")
    pauses = host_pauses(run)
    assert set(pauses["host"]) == {"s1"}
    slowest = slowest_requests(followed_requests(run), pauses, 1).iloc[0]
    assert (slowest["number"], slowest["blamed"]) == (4, "pause of s1")


def test_stamps_stay_what_they_are_without_packets(tmp_path, passages):
    with_packets = followed_requests(write_run(tmp_path / "1", passages, captured=True))
    without = followed_requests(write_run(tmp_path / "2", passages))
    added = [name for name in with_packets if name not in without]
    assert added == [
        "wire_in_ms",
        "wire_out_ms",
        "server_wire_sent_ms",
        "server_wire_answered_ms",
        "server_host_in_ms",
        "server_host_out_ms",
    ]
    assert with_packets[list(without)].equals(without)
