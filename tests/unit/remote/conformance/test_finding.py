"""Commands that show a finding."""

import subprocess

import pytest

from remote.conformance.finding import by_hand


@pytest.mark.parametrize(
    "requests",
    [
        [b"get a\r\n"],
        [b"set a 0 0 3\r\n'%\\\r\n", b"get a\r\n"],
        [bytes(range(256))],
        [b"get " + b"k" * 251 + b"\r\n"],
        [b"x" * 100_000],
        [b"set half 0 0 4096\r\n" + b"h" * 99],
    ],
)
def test_a_command_sends_the_requests(requests):
    command = by_hand(requests, "127.0.0.1", 11212)
    sending, client = command.rsplit(" | ", 1)
    assert client == "nc -w 2 127.0.0.1 11212"
    assert len(command) < 1000
    for shell in ("sh", "bash"):
        sent = subprocess.run(
            [shell, "-c", sending.replace("sleep 1", ":")], capture_output=True, check=True
        )
        assert sent.stdout == b"".join(requests)


def test_a_long_value_is_made_by_the_command():
    value = bytes(range(256)) * 16
    sending = by_hand([b"set a 0 0 4096\r\n" + value + b"\r\n"], "h", 1).rsplit(" | ", 1)[0]
    sent = subprocess.run(["sh", "-c", sending], capture_output=True, check=True).stdout
    assert sent == b"set a 0 0 4096\r\n" + b"x" * 4096 + b"\r\n"


def test_a_command_begins_inside_of_a_host_where_the_middleware_is_reached_from():
    command = by_hand([b"get a\r\n"], "198.18.0.21", 11212, "ip netns exec c1")
    assert command == r"printf 'get a\r\n' | ip netns exec c1 nc -w 2 198.18.0.21 11212"


def test_without_requests_there_is_no_command():
    assert by_hand([], "127.0.0.1", 11212) == ""
