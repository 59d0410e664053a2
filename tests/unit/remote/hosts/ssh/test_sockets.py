"""Sockets that are connected here or by a command that passes them on."""

import shlex
import socket
import sys

import pytest

from remote.hosts.ssh.sockets import connect_socket, greets
from remote.providers.local_lab.rootless import dial
from tests.helpers.ports import free_port

DIAL = shlex.join([sys.executable, "-I", "-S", dial.__file__]) + " %h %p"
TIMEOUT_S = 60.0  # only ends a test that hangs


@pytest.mark.parametrize("command", [None, DIAL])
def test_socket_leads_to_the_address(command):
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        connect_socket(*listener.getsockname(), TIMEOUT_S, command) as connection,
    ):
        accepted, peer = listener.accept()
        with accepted:
            assert connection.getsockname() == peer
            assert connection.gettimeout() == TIMEOUT_S
            accepted.sendall(b"SSH-2.0-x\r\n")
            assert connection.recv(20) == b"SSH-2.0-x\r\n"


def test_command_that_does_not_connect_is_told_with_its_words():
    address = ("127.0.0.1", free_port())
    with pytest.raises(OSError, match=r"127\.0\.0\.1 port \d+: Connection refused"):
        connect_socket(*address, TIMEOUT_S, DIAL)
    assert not greets(*address, connect_command=DIAL)


def test_command_that_passes_nothing_on_is_an_error():
    with pytest.raises(OSError, match="no socket was passed on"):
        connect_socket("127.0.0.1", 22, TIMEOUT_S, "true")


def test_command_that_takes_too_long_is_ended():
    with pytest.raises(TimeoutError):
        connect_socket("127.0.0.1", 22, 0.1, "sleep 60")


def test_tokens_are_those_of_ssh():
    with pytest.raises(OSError, match=r"^h1 h1 2200 100%$"):
        connect_socket("h1", 2200, TIMEOUT_S, "echo %h %n %p 100%% >&2")
