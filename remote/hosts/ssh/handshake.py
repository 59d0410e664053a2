"""From a host of the inventory to an authenticated SSH client; each failure has its message."""

from __future__ import annotations

import shlex
import socket
from functools import partial
from typing import Any

import paramiko
from paramiko.ssh_exception import NoValidConnectionsError

from remote.errors import HostGone, HostKeyRejected, HostUnreachable
from remote.hosts.inventory import Host
from remote.hosts.ssh.known_hosts import Pins, fingerprint, pinned_name, pins_of
from remote.hosts.ssh.options import SSH_PORT

CONNECT_TIMEOUT_S = 10.0
# What ssh-keyscan calls the types of keys; the same names are in the files of a host's own keys.
_KEYSCAN_TYPES = {"ssh-ed25519": "ed25519", "ssh-rsa": "rsa"}
_SIGNATURES = {"ssh-rsa": ("rsa-sha2-512", "rsa-sha2-256")}


def open_client(host: Host, tunnel: paramiko.Channel | None = None) -> paramiko.SSHClient:
    """Connect to `host`, check its key, log in.

    Parameters
    ----------
    tunnel : a channel of the jump host that leads to the host's port, None to connect directly.

    Raises
    ------
    HostKeyRejected
        The host's key is unknown, revoked, or differs from the pinned one.
    HostGone
        No answer in time, or the user was refused, as a host does that is booting.
    HostUnreachable
        The key cannot be used.
    """
    if host.identity_file and not host.identity_file.is_file():
        remedy = "Correct `ansible_ssh_private_key_file` in the inventory."
        raise HostUnreachable(
            host.name, f"the key file {host.identity_file} does not exist", remedy
        )
    pins = _read_pins(host)
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(_Verification(host, pins))
    try:
        client.connect(
            host.address,
            port=host.port,
            username=host.user,
            key_filename=str(host.identity_file) if host.identity_file else None,
            timeout=CONNECT_TIMEOUT_S,
            banner_timeout=CONNECT_TIMEOUT_S,
            auth_timeout=CONNECT_TIMEOUT_S,
            channel_timeout=CONNECT_TIMEOUT_S,
            allow_agent=True,  # it may hold the key of a file that has a passphrase
            look_for_keys=host.identity_file is None,
            sock=tunnel,
            transport_factory=partial(_transport, pins),
        )
    except BaseException as exc:
        client.close()
        if isinstance(exc, paramiko.SSHException | OSError | EOFError):
            raise _explained(host, exc) from exc
        raise
    return client


def ssh_command(host: Host) -> str:
    """Return the command by which a user gets to the host as this module does."""
    words = ["ssh"]
    if host.identity_file:
        words += ["-i", str(host.identity_file)]
    if host.port != SSH_PORT:
        words += ["-p", str(host.port)]
    if host.jump:
        words += ["-J", ",".join(_jump_specs(host.jump))]
    return shlex.join([*words, f"{host.user}@{host.address}"])


class _Verification(paramiko.MissingHostKeyPolicy):
    """Refuses what is not pinned; asked about every key, since the client is told of none."""

    def __init__(self, host: Host, pins: Pins) -> None:
        self.host = host
        self.pins = pins

    def missing_host_key(
        self, client: paramiko.SSHClient, hostname: str, key: paramiko.PKey
    ) -> None:
        """Return if the key is pinned; HostKeyRejected otherwise."""
        host, kind = self.host, key.get_name()
        if self.pins.allow(kind, key.get_base64()):
            return
        shown = f"the {kind} key of {host.address} ({fingerprint(key.asbytes())})"
        file = shlex.quote(str(host.known_hosts))
        if not self.pins.keys:
            where = f"is not in {host.known_hosts}"
            if not host.known_hosts.exists():
                where += ", which does not exist"
            raise HostKeyRejected(host.name, f"{shown} {where}", _how_to_pin(host, kind))
        if (kind, key.get_base64()) in self.pins.revoked:
            raise HostKeyRejected(
                host.name, f"{shown} is revoked in {host.known_hosts}", "Give the host a new key."
            )
        name = shlex.quote(pinned_name(host.address, host.port))
        raise HostKeyRejected(
            host.name,
            f"{shown} is not the one in {host.known_hosts}: it was reinstalled, or someone stands "
            "in between",
            f"If you know why it changed: `ssh-keygen -f {file} -R {name}`. "
            f"{_how_to_pin(host, kind)}",
        )


def _how_to_pin(host: Host, kind: str) -> str:
    short = _KEYSCAN_TYPES.get(kind, "ecdsa")
    scan = f"ssh-keyscan -p {host.port} -t {short} {host.address}"
    if host.jump:  # only the jump host can reach it
        scan = f"{ssh_command(host.jump)} {scan}"
    return (
        f"Compare that fingerprint with the one that `ssh-keygen -lf /etc/ssh/ssh_host_{short}_key"
        f".pub` shows on the host's console, then add the key: "
        f"`{scan} >> {shlex.quote(str(host.known_hosts))}`."
    )


def _jump_specs(jump: Host) -> list[str]:
    port = f":{jump.port}" if jump.port != SSH_PORT else ""
    return [*(_jump_specs(jump.jump) if jump.jump else []), f"{jump.user}@{jump.address}{port}"]


def _read_pins(host: Host) -> Pins:
    try:
        text = host.known_hosts.read_text(errors="replace")
    except FileNotFoundError:
        return Pins()
    except OSError as exc:
        raise HostKeyRejected(
            host.name, f"{host.known_hosts} cannot be read: {exc}", "Make it readable."
        ) from exc
    return pins_of(text, host.address, host.port)


def _transport(pins: Pins, sock: Any, **options: Any) -> paramiko.Transport:
    """Make a transport that asks the host for a key of a type that is pinned."""
    transport = paramiko.Transport(sock, **options)
    security = transport.get_security_options()
    first = [s for kind in pins.types for s in _SIGNATURES.get(kind, (kind,))]
    known = tuple(security.key_types)
    security.key_types = tuple(dict.fromkeys([*(s for s in first if s in known), *known]))
    return transport


def _explained(host: Host, exc: Exception) -> HostUnreachable:
    """Return the error that tells a user why there is no connection and what to try."""
    if isinstance(exc, paramiko.PasswordRequiredException):
        remedy = f"Load it into your agent: `ssh-add {host.identity_file or ''}`."
        return HostUnreachable(host.name, "the key has a passphrase", remedy)
    if isinstance(exc, paramiko.AuthenticationException):
        return HostGone(
            host.name,
            f"user {host.user} was refused ({exc})",
            f"Check the key file {host.identity_file} and the host's authorized_keys: "
            f"`{ssh_command(host)}`.",
        )
    if isinstance(exc, paramiko.SSHException):
        remedy = f"Try `{ssh_command(host)}`."
        if "No authentication methods" in str(exc):
            remedy = (
                "Name a key in the inventory (`ansible_ssh_private_key_file`), or `ssh-add` it."
            )
        return HostGone(host.name, str(exc), remedy)
    reason = str(exc) or "the connection was closed"
    if isinstance(exc, NoValidConnectionsError):
        reason = "; ".join(str(error) for error in exc.errors.values())
    if isinstance(exc, TimeoutError):
        reason = f"no answer from {host.address} within {CONNECT_TIMEOUT_S:g} s"
    if isinstance(exc, socket.gaierror):
        reason = f"the name {host.address} is unknown ({exc})"
    return HostGone(host.name, reason, f"Is the host up? `lab status`, or `{ssh_command(host)}`.")
