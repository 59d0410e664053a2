"""A socket to an SSH server: connected here, or by a command that passes it on, as for ssh."""

from __future__ import annotations

import re
import socket
import subprocess

_TOKEN = re.compile("%([%hnp])")


def connected(
    address: str, port: int, timeout_s: float, command: str | None = None
) -> socket.socket:
    """Return a socket that is connected to a port of TCP.

    Parameters
    ----------
    timeout_s : to connect, and of the socket afterwards.
    command : ssh_config's ProxyCommand with ProxyUseFdpass, which connects in our place, from where
        the address can be reached; None to connect from here.

    Raises
    ------
    OSError
        Nothing listens there, or not in time; or the command passes no socket on.
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
