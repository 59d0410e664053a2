"""The SSH servers that this project starts: what all of them are told, and whether one answers."""

from __future__ import annotations

from remote.hosts.ssh.options import SSH_PORT
from remote.hosts.ssh.sockets import connected

COMMON_CONFIG = """\
AuthenticationMethods publickey
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintLastLog no
PrintMotd no
MaxSessions 200
MaxStartups 200
LoginGraceTime 20
Subsystem sftp internal-sftp"""
"""Lines of sshd_config(5): keys only; no PAM and no DNS, so that a connection takes milliseconds;
room for one connection per program that an experiment starts."""

_GREETING = b"SSH-"


def greets(
    address: str,
    port: int = SSH_PORT,
    *,
    timeout_s: float = 0.5,
    connect_command: str | None = None,
) -> bool:
    """Tell whether an SSH server greets at the address, to which that command may connect."""
    try:
        with connected(address, port, timeout_s, connect_command) as connection:
            return connection.recv(len(_GREETING)) == _GREETING
    except OSError:
        return False
