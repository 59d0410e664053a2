"""The client against replies that are written here."""

import socket
import time

import pytest

from remote.conformance.wire import (
    Client,
    ErrorReply,
    HungUp,
    NoReply,
    OutOfTime,
    Value,
    WrongReply,
    difference,
)


@pytest.fixture
def ends():
    """A client's connection, and what it talks with."""
    mine, other = socket.socketpair()
    with mine, other:
        yield mine, other


def client_of(ends, reply: bytes, patience_s: float = 0.2) -> Client:
    mine, other = ends
    other.sendall(reply)
    return Client(mine, "connection 1", patience_s=patience_s)


def test_values_are_read_with_all_that_is_in_them(ends):
    client = client_of(ends, b"VALUE a 7 5\r\nEND\r\n\r\nVALUE b 0 0 99\r\n\r\nEND\r\n")
    assert client.get(b"a", b"b") == [Value(b"a", 7, b"END\r\n"), Value(b"b", 0, b"")]
    assert ends[1].recv(99) == b"get a b\r\n"


def test_a_set_is_sent_as_the_protocol_has_it(ends):
    client_of(ends, b"STORED\r\n").set(b"a", b"x\r\ny", flags=3, expiry_s=60)
    assert ends[1].recv(99) == b"set a 3 60 4\r\nx\r\ny\r\n"


@pytest.mark.parametrize(
    ("reply", "error", "sentence"),
    [
        (b"", NoReply, "did not reply within 0.2 s to 'get a' on connection 1"),
        (b"VALUE a 0 3\r\nab", NoReply, "did not reply .* 'ab' came"),
        (b"VALUE b 0 1\r\nb\r\nEND\r\n", WrongReply, "'get a' with the value of key 'b'"),
        (b"VALUE a 0 1\r\nbc\r\nEND\r\n", WrongReply, "'c.r' follow the 1 bytes of key 'a'"),
        (
            b"VALUE a 0 1\r\nb\r\nEND\r\n",
            WrongReply,
            "with 1 bytes that are not the 7 bytes of its value",
        ),
        (b"VALUE a 9 7\r\na value\r\nEND\r\n", WrongReply, "with flags 9 instead of 0"),
        (b"VALUE a 0 7\r\na value\r\n" * 2 + b"END\r\n", WrongReply, "with the value twice"),
        (b"END\r\n", WrongReply, "with no value"),
        (b"STORED\r\n", WrongReply, "replied 'STORED' to 'get a' on connection 1"),
        (b"SERVER_ERROR no server\r\n", ErrorReply, "replied 'SERVER_ERROR no server' to 'get a'"),
        (b"ERRORS\r\n", WrongReply, "replied 'ERRORS'"),
        (b"x" * 9000, WrongReply, "without end"),
    ],
)
def test_what_is_no_reply_is_quoted(ends, reply, error, sentence):
    with pytest.raises(error, match=sentence) as raised:
        client_of(ends, reply).expect(b"a", b"a value")
    assert raised.value.difference == difference(b"VALUE a 0 7\r\na value\r\nEND\r\n", reply)


def test_what_follows_a_reply_is_found_before_the_next_request(ends):
    client = client_of(ends, b"STORED\r\nERROR\r\n")
    client.set(b"a", b"1")
    with pytest.raises(WrongReply, match=r"more than the reply to 'set a 0 0 1': 'ERROR"):
        client.get(b"a")


def test_a_client_that_is_hung_up_on_says_after_what(ends):
    client = client_of(ends, b"VALUE a")
    ends[1].close()
    with pytest.raises(HungUp, match="connection 1"):
        client.get(b"a")


def test_a_middleware_that_does_not_read_is_late(ends):
    with pytest.raises(NoReply, match=r"did not read within 0.2 s to 'set a 0 0 10000000'"):
        client_of(ends, b"").set(b"a", bytes(10_000_000))


def test_the_time_of_a_question_ends_before_the_patience(ends):
    client = Client(ends[0], "connection 1", deadline_s=time.monotonic() + 0.1)
    with pytest.raises(OutOfTime):
        client.get(b"a")


def test_what_comes_first_is_told_within_a_time(ends):
    client = client_of(ends, b"any", patience_s=5)
    assert client.first(0.05) == b"any"
    assert client.first(0.05) == b""
    assert not client.is_heard(0.01)
    ends[1].sendall(b"END\r\n")
    assert client.is_heard(1)
    assert client.line() == b"END"


@pytest.mark.parametrize(
    ("expected", "received", "shown"),
    [
        (b"abc", b"abc", []),
        (
            b"END\r\n",
            b"",
            ["byte 0 (5 bytes expected, 0 received)", r"expected END\r\n", "nothing more"],
        ),
        (
            bytes(range(256)),
            bytes(range(128)) + b"?" * 128,
            ["byte 128", r"\x7f\x80\x81", r"\x7f??"],
        ),
        (
            b"x" * 90 + b"a" + b"y" * 90,
            b"x" * 90 + b"b" + b"y" * 90,
            [f"...{'x' * 24}a{'y' * 23}..."],
        ),
    ],
)
def test_the_first_difference_is_shown_with_the_bytes_around_it(expected, received, shown):
    text = difference(expected, received)
    assert [part for part in shown if part not in text] == []
    assert bool(text) == (expected != received)
    if text:
        _, first, second, mark = text.splitlines()
        assert first[: len(mark) - 1].replace("expected", "received") == second[: len(mark) - 1]
