import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.results import ParseError, read_ping

DATA = Path(__file__).parents[3] / "data" / "ping"


def test_replies_and_summary():
    result = read_ping(DATA / "ok.txt")
    assert result.target == "127.0.0.1"
    assert (result.transmitted, result.received) == (5, 5)
    assert result.replies["sequence_number"].tolist() == [1, 2, 3, 4, 5]
    first = (DATA / "ok.txt").read_text().splitlines()[1]
    assert first.startswith(f"[{result.replies.loc[0, 'epoch_s']:.6f}]")
    assert first.endswith(f"time={result.replies.loc[0, 'round_trip_time_ms']:.3f} ms")


def test_killed_ping_has_replies_but_no_summary():
    result = read_ping(DATA / "killed.txt")
    assert len(result.replies) == 6
    assert result.transmitted is None


def test_lost_late_and_double_replies(tmp_path):
    path = tmp_path / "ping.txt"
    path.write_text(
        "PING m1 (198.18.0.21) 56(84) bytes of data.\n"
        "64 bytes from m1 (198.18.0.21): icmp_req=1 ttl=64 time=0.5 ms\n"
        "64 bytes from m1 (198.18.0.21): icmp_req=1 ttl=64 time=0.7 ms (DUP!)\n"
        "[1795222477.680354] no answer yet for icmp_seq=2\n"
        "[1795222478.680354] From 198.18.0.1 icmp_seq=3 Destination Host Unreachable\n"
        "\n"
        "--- m1 ping statistics ---\n"
        "3 packets transmitted, 1 received, +1 duplicates, +1 errors, 66.6667% packet loss,"
        " time 2002ms\n"
        "rtt min/avg/max/mdev = 0.5/0.5/0.5/0.0 ms, pipe 2\n"
    )
    result = read_ping(path)
    assert result.replies["round_trip_time_ms"].tolist() == [0.5]
    assert math.isnan(result.replies.loc[0, "epoch_s"])
    assert (result.transmitted, result.received) == (3, 1)


BUSYBOX = """\
PING 198.18.0.31 (198.18.0.31): 56 data bytes
64 bytes from 198.18.0.31: seq=0 ttl=64 time=0.055 ms
64 bytes from 198.18.0.31: seq=1 ttl=64 time=0.070 ms
64 bytes from 198.18.0.31: seq=1 ttl=64 time=0.090 ms (DUP!)

--- 198.18.0.31 ping statistics ---
3 packets transmitted, 2 packets received, 1 duplicates, 33% packet loss
round-trip min/avg/max = 0.055/0.062/0.070 ms
"""
BSD = """\
PING s1.lab (198.18.0.31): 56 data bytes
64 bytes from 198.18.0.31: icmp_seq=0 ttl=64 time=0.055 ms
Request timeout for icmp_seq 1
64 bytes from 198.18.0.31: icmp_seq=2 ttl=64 time=0.070 ms

--- s1.lab ping statistics ---
3 packets transmitted, 2 packets received, 33.3% packet loss
round-trip min/avg/max/stddev = 0.055/0.062/0.070/0.008 ms
"""


@pytest.mark.parametrize("text", [BUSYBOX, BSD], ids=["busybox", "bsd"])
def test_pings_of_other_systems_are_read(tmp_path, text):
    path = tmp_path / "ping.txt"
    path.write_text(text)
    result = read_ping(path)
    assert result.target == "198.18.0.31"
    assert result.replies["round_trip_time_ms"].tolist() == [0.055, 0.070]
    assert result.replies["sequence_number"].iloc[0] == 0
    assert (result.transmitted, result.received) == (3, 2)


@pytest.mark.parametrize(
    ("line", "target"),
    [
        ("PING ::1(::1) 56 data bytes", "::1"),
        ("PING localhost(localhost (::1)) 56 data bytes", "localhost (::1)"),
        ("PING a (10.0.0.5) from 10.0.0.1 eth0: 56(84) bytes of data.", "10.0.0.5"),
    ],
)
def test_other_first_lines(tmp_path, line, target):
    path = tmp_path / "ping.txt"
    path.write_text(line + "\r\n64 bytes from x: icmp_seq=1 ttl=64 time=1 ms\r\n")
    result = read_ping(path)
    assert result.target == target
    assert result.replies["round_trip_time_ms"].tolist() == [1.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("ping: connect: Network is unreachable\n", ":1: no PING line"),
        ("PING a (1.2.3.4) 56(84) bytes of data.\ngarbage\n", ":2: not a line of ping: 'garbage'"),
        (
            "PING a (1.2.3.4) 56(84) bytes of data.\n"
            "64 bytes from a: icmp_seq=1 ttl=64 time=1.2.3 ms\n",
            ":2: not a line of ping",
        ),
    ],
)
def test_foreign_text_is_an_error(tmp_path, text, message):
    path = tmp_path / "ping.txt"
    path.write_text(text)
    with pytest.raises(ParseError, match=message):
        read_ping(path)


def test_summary_that_contradicts_the_replies_is_an_error(tmp_path):
    path = tmp_path / "ping.txt"
    path.write_text((DATA / "ok.txt").read_text().replace("5 received", "4 received"))
    with pytest.raises(ParseError, match="5 replies, but the summary counts 4"):
        read_ping(path)


@settings(max_examples=50, deadline=None)
@given(share=st.floats(0, 1))
def test_cut_anywhere_gives_a_prefix_or_an_error(tmp_path_factory, share):
    text = (DATA / "ok.txt").read_text()
    path = tmp_path_factory.getbasetemp() / "ping-cut.txt"
    path.write_text(text[: int(share * len(text))])
    try:
        replies = read_ping(path).replies
    except ParseError as error:
        assert str(path) in str(error)
    else:
        whole = read_ping(DATA / "ok.txt").replies
        assert replies.to_numpy().tolist() == whole.iloc[: len(replies)].to_numpy().tolist()
