"""The way to an SSH server: by which device, through which socket, and whether one answers."""

from __future__ import annotations

import json
import re
import socket
import subprocess

from remote.errors import LabError
from remote.hosts.ssh.options import SSH_PORT
from remote.programs import run

_TOKEN = re.compile("%([%hnp])")
_GREETING = b"SSH-"


def route_leaves_by(address: str, device: str) -> bool:
    """Whether packets to the IPv4 `address` leave this machine by a network device; none is sent.

    An address of the lab must never be sent to by the default route when the lab is down.
    """
    try:
        routes = json.loads(run(["ip", "-json", "route", "get", address]))
    except LabError:
        return False
    return any(route.get("dev") == device for route in routes)


def greets(
    address: str,
    port: int = SSH_PORT,
    *,
    timeout_s: float = 0.5,
    connect_command: str | None = None,
) -> bool:
    """Whether an SSH server greets at the address, to which `connect_command` may connect."""
    try:
        with connect_socket(address, port, timeout_s, connect_command) as connection:
            return connection.recv(len(_GREETING)) == _GREETING
    except OSError:
        return False


def connect_socket(
    address: str, port: int, timeout_s: float, command: str | None = None
) -> socket.socket:
    """Return a socket that is connected to a port of TCP; OSError if nothing listens there in time.

    Parameters
    ----------
    timeout_s : to connect, and of the socket afterwards.
    command : ssh_config's ProxyCommand with ProxyUseFdpass, which connects in our place, from where
        the address can be reached; None to connect from here.
    """
    if command is None:
        return socket.create_connection((address, port), timeout=timeout_s)
    tokens = {"%": "%", "h": address, "n": address, "p": str(port)}
    filled = _TOKEN.sub(lambda match: tokens[match[1]], command)
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            process = subprocess.Popen(
                ["sh", "-c", f"exec {filled}"],
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.PIPE,
                text=True,
                errors="replace",
            )
        connection = _received(ours, process, timeout_s)
    connection.settimeout(timeout_s)
    return connection


def _received(
    ours: socket.socket, process: subprocess.Popen[str], timeout_s: float
) -> socket.socket:
    """Return the socket that a process passes on; the process has ended then."""
    assert process.stderr is not None  # it is a pipe
    with process:
        try:
            ours.settimeout(timeout_s)
            _, passed, _, _ = socket.recv_fds(ours, 1, 1, socket.MSG_CMSG_CLOEXEC)
            if not passed:
                raise OSError(process.stderr.read().strip() or "no socket was passed on")
        finally:
            process.kill()
    return socket.socket(fileno=passed[0])
