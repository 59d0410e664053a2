"""From packets to requests: whatever befalls packets, requests are told as they were."""

import itertools

import pytest

from analysis.results import read_packets
from remote.packets.program import endpoint, observe
from tests.helpers.captures import (
    ETHERNET,
    FIN,
    LISTEN,
    MS,
    RST,
    SLL,
    SLL2,
    Talk,
    Tape,
    set_of,
    value,
)

GET, HIT = b"get a\r\n", value(b"a", b"x" * 100) + b"END\r\n"
STORED = b"STORED\r\n"


@pytest.fixture
def tape():
    return Tape()


@pytest.fixture
def seen(tape, tmp_path):
    """What is seen of the tape."""

    def seen(servers=(), listen=LISTEN, **how):
        path = tape.write(tmp_path / "capture.pcap", **how)
        observe(path, listen=listen, servers=servers, output=tmp_path / "packets")
        return read_packets(tmp_path / "packets")

    return seen


def ask(talk, at_ns, request=GET, reply=HIT, takes_ns=MS):
    talk.up(at_ns, request)
    talk.down(at_ns + takes_ns, reply)


@pytest.mark.parametrize("link", [ETHERNET, SLL, SLL2])
@pytest.mark.parametrize("nano", [True, False])
@pytest.mark.parametrize("big", [True, False])
def test_a_request_and_its_reply(tape, seen, link, nano, big):
    tape.link = link
    ask(Talk(tape, LISTEN, 4000).open(0), 5000)
    result = seen(nano=nano, big=big)
    (row,) = result.windows.to_dict("records")
    assert (row["request_type"], row["requests"], row["keys"]) == ("get", 1, 1)
    assert (row["hits"], row["misses"], row["errors"]) == (1, 0, 0)
    assert (row["bytes_in"], row["bytes_out"]) == (len(GET), len(HIT))
    assert row["response_time_mean_ms"] == row["response_time_max_ms"] == 1
    assert row["service_time_count"] == 0
    assert result.summary["packets"] == 4


def test_ipv6(tape, seen):
    address = "[fd00::2]:11212"
    ask(Talk(tape, address, 4000, client="fd00::9").open(0), 5000)
    assert seen(listen=address).windows["requests"].sum() == 1


def test_retransmitted_and_doubled_packets_count_once(tape, seen):
    talk = Talk(tape, LISTEN, 4000).open(0)
    for at in range(10):
        ask(talk, at * 10 * MS + 5000)
        talk.again(at * 10 * MS + 5 * MS, 0, GET, back=len(GET))
        talk.again(at * 10 * MS + 6 * MS, 1, HIT, back=len(HIT))
    tape.packets = list(itertools.chain.from_iterable((p, p) for p in tape.packets))
    result = seen()
    assert result.windows["requests"].sum() == 10
    assert result.windows["response_time_max_ms"].max() == 1
    assert result.summary["repeated_segments"] == 2 + 60
    assert result.summary["abandoned_connections"] == 0


def test_a_retransmission_may_bring_more(tape, seen):
    talk = Talk(tape, LISTEN, 4000).open(0)
    talk.up(10_000, b"get a")
    talk.again(20_000, 0, b"get a\r\nget b\r\n", back=5)
    talk.next[0] += len(b"\r\nget b\r\n")
    talk.down(30_000, HIT + b"END\r\n")
    assert seen().windows["requests"].sum() == 2


@pytest.mark.parametrize("first", [1000, 2**32 - 10])
def test_early_packets_wait_for_those_before_them(tape, seen, first):
    talk = Talk(tape, LISTEN, 4000, first=first).open(0)
    request = set_of(b"a", b"0123456789")
    parts = [request[i : i + 8] for i in range(0, len(request), 8)]
    for part in parts:
        talk.up(10_000, part)
    times = [packet[0] for packet in tape.packets[2:]]
    moved = zip(reversed(range(len(times))), tape.packets[2:], strict=True)
    tape.packets[2:] = [(10_000 + 1000 * late, packet) for late, (_, packet) in moved]
    talk.down(100_000, STORED)
    result = seen()
    last = 10_000 + 1000 * (len(parts) - 1)
    assert result.windows["response_time_mean_ms"].tolist() == [pytest.approx((1e5 - last) / 1e6)]
    assert result.summary["lost_segments"] == 0


def test_a_lost_reply_is_noticed_by_the_next_request(tape, seen):
    talk, other = (Talk(tape, LISTEN, port).open(port) for port in (4000, 4001))
    ask(talk, 1 * MS)
    talk.up(3 * MS, GET)
    talk.lose(1, HIT)
    for at in range(5, 10):
        ask(talk, at * 2 * MS)
        ask(other, at * 2 * MS)
    result = seen()
    assert result.windows["requests"].sum() == 1 + 5
    assert result.summary["lost_segments"] == result.summary["abandoned_connections"] == 1
    assert result.summary["requests_without_reply"] == 1
    assert result.summary["connections"] == 2


def test_a_hole_at_the_end_is_a_loss(tape, seen):
    talk = Talk(tape, LISTEN, 4000).open(0)
    talk.lose(0, b"get")
    talk.up(MS, b" a\r\n")
    assert seen().summary["lost_segments"] == 1


def test_noreply_requests_have_none(tape, seen):
    talk = Talk(tape, LISTEN, 4000).open(0)
    talk.up(MS, set_of(b"a", b"x", b" noreply") + GET)
    talk.down(2 * MS, HIT)
    result = seen()
    assert result.windows["request_type"].tolist() == ["get"]
    assert result.summary["noreply_requests"] == 1
    assert result.queue["arrivals"].sum() == 1


def test_a_connection_from_before_begins_where_it_is_quiet(tape, seen):
    talk = Talk(tape, LISTEN, 4000)
    talk.down(1 * MS, b"half of a value\r\nEND\r\n")  # the reply to a request of before
    talk.up(2 * MS, b"the rest of a data block\r\n")
    talk.down(3 * MS, STORED)
    for at in range(2, 6):
        ask(talk, at * 2 * MS)
    result = seen()
    assert result.windows["requests"].tolist() == [4]
    assert result.summary["abandoned_connections"] == 0


def test_a_connection_from_before_that_sends_ahead_is_given_up(tape, seen):
    talk = Talk(tape, LISTEN, 4000)
    talk.up(1 * MS, GET)
    talk.up(2 * MS, GET)
    talk.down(3 * MS, HIT)
    result = seen()
    assert result.windows.empty
    assert result.summary["reasons"] == {
        "requests are sent ahead, and its beginning was not captured": 1
    }


def test_a_connection_from_before_without_a_request_is_told(tape, seen):
    talk = Talk(tape, LISTEN, 4000)
    talk.up(1 * MS, b"xxx")
    assert seen().summary["reasons"] == {"it was never seen where a request begins": 1}


def test_replies_that_are_not_to_their_requests_end_the_reading(tape, seen):
    talk = Talk(tape, LISTEN, 4000).open(0)
    ask(talk, 1 * MS, GET, STORED)
    other = Talk(tape, LISTEN, 4001).open(1)
    other.down(1 * MS, STORED)
    assert sorted(seen().summary["reasons"]) == [
        "a reply has no request",
        "a reply is not that to its request",
    ]


@pytest.mark.parametrize(("side", "flags"), [(1, FIN | 16), (0, RST)])
def test_ports_are_used_again(tape, seen, side, flags):
    first = Talk(tape, LISTEN, 4000).open(0)
    ask(first, 1 * MS)
    first.up(3 * MS, GET)
    first.shut(4 * MS, side, flags)
    ask(Talk(tape, LISTEN, 4000, first=9_000_000).open(5 * MS), 6 * MS)
    result = seen()
    assert result.windows["requests"].tolist() == [2]
    assert result.summary["connections"] == 2
    assert result.summary["requests_without_reply"] == 1
    assert result.queue["jobs_mean"].sum() == pytest.approx((1 + 1 + 1) / 1000)


def test_ports_are_used_again_without_an_end(tape, seen):
    ask(Talk(tape, LISTEN, 4000).open(0), 1 * MS)
    ask(Talk(tape, LISTEN, 4000, first=9_000_000).open(5 * MS), 6 * MS)
    assert seen().windows["requests"].tolist() == [2]


def test_a_short_snap_length_suffices_for_one_value_a_packet(tape, seen):
    talk = Talk(tape, LISTEN, 4000).open(0)
    setting, reply = set_of(b"a", b"x" * 4096), value(b"a", b"x" * 4096) + b"END\r\n"
    for at in range(1, 4):
        ask(talk, 4 * at * MS, setting, STORED)
        ask(talk, (4 * at + 2) * MS, GET, reply)
    result = seen(snap=120)
    rows = result.windows.set_index("request_type")
    assert rows["bytes_in"].to_dict() == {"get": 3 * len(GET), "set": 3 * len(setting)}
    assert rows["bytes_out"].to_dict() == {"get": 3 * len(reply), "set": 3 * len(STORED)}
    assert result.summary["abandoned_connections"] == 0


def test_a_short_snap_length_hides_where_the_next_request_begins(tape, seen):
    talk = Talk(tape, LISTEN, 4000).open(0)
    talk.up(1 * MS, set_of(b"a", b"x" * 4096) + set_of(b"b", b"x" * 4096))
    talk.down(2 * MS, STORED + STORED)
    result = seen(snap=120)
    assert result.windows.empty
    assert result.summary["reasons"] == {"a message begins in what was not captured": 1}
    assert result.summary["lost_segments"] == 0


def test_a_capture_may_be_cut_anywhere(tape, tmp_path):
    ask(Talk(tape, LISTEN, 4000).open(0), 5000)
    whole = tape.write(tmp_path / "whole.pcap").read_bytes()
    ends = [24 + sum(len(packet) + 16 for _, packet in tape.packets[:i]) for i in range(5)]
    for length in range(24, len(whole) + 1):
        path = tmp_path / "cut.pcap"
        path.write_bytes(whole[:length])
        summary = observe(path, listen=LISTEN, output=tmp_path / "packets")
        assert summary["is_cut"] is (length not in ends)
        assert summary["requests"] == (summary["packets"] == 4)


def test_what_is_no_capture_is_told(tmp_path):
    path = tmp_path / "capture.pcap"
    for content, message in [(b"", "tcpdump wrote nothing"), (b"x" * 99, "is no capture")]:
        path.write_bytes(content)
        with pytest.raises(ValueError, match=message):
            observe(path, listen=LISTEN, output=tmp_path)
    Tape(link=9).write(path)
    with pytest.raises(ValueError, match="links of type 9"):
        observe(path, listen=LISTEN, output=tmp_path)


@pytest.mark.parametrize("text", ["10.0.0.1", "10.0.0.1:x", ":11211", "no such host:1"])
def test_endpoints_that_are_none(text):
    with pytest.raises(ValueError, match=r"not ADDRESS:PORT|no such host"):
        endpoint(text)
