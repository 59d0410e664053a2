"""Sockets that are connected here or by a command that passes them on."""

import shlex
import socket
import sys

import pytest

from remote.hosts.ssh.server import greets
from remote.hosts.ssh.sockets import connected
from remote.providers.local_lab.rootless import dial

DIAL = shlex.join([sys.executable, "-I", "-S", dial.__file__]) + " %h %p"


@pytest.mark.parametrize("command", [None, DIAL])
def test_socket_leads_to_the_address(command):
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        connected(*listener.getsockname(), 5.0, command) as connection,
    ):
        accepted, peer = listener.accept()
        with accepted:
            assert connection.getsockname() == peer
            assert connection.gettimeout() == 5.0
            accepted.sendall(b"SSH-2.0-x\r\n")
            assert connection.recv(20) == b"SSH-2.0-x\r\n"


def test_command_that_does_not_connect_is_told_with_its_words():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
    with pytest.raises(OSError, match=r"127\.0\.0\.1 port \d+: Connection refused"):
        connected(*address, 5.0, DIAL)
    assert not greets(*address, connect_command=DIAL)


def test_command_that_passes_nothing_on_is_an_error():
    with pytest.raises(OSError, match="no socket was passed on"):
        connected("127.0.0.1", 22, 5.0, "true")


def test_command_that_takes_too_long_is_ended():
    with pytest.raises(TimeoutError):
        connected("127.0.0.1", 22, 0.1, "sleep 60")


def test_tokens_are_those_of_ssh():
    with pytest.raises(OSError, match=r"^h1 h1 2200 100%$"):
        connected("h1", 2200, 5.0, "echo %h %n %p 100%% >&2")
