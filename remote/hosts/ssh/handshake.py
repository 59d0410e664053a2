"""From a host of the inventory to an authenticated SSH client; each failure has its message."""

from __future__ import annotations

import shlex
import socket
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import paramiko
from paramiko.ssh_exception import NoValidConnectionsError

from records.documents import read_regular
from remote.errors import HostGone, HostKeyRejected, HostUnreachable
from remote.hosts.inventory import Host
from remote.hosts.ssh.identities import is_file
from remote.hosts.ssh.known_hosts import Pins, fingerprint, parse_pins, pinned_name
from remote.hosts.ssh.login import KeyLogin, LoginRefused, NotingTransport
from remote.hosts.ssh.options import SSH_PORT, USER_KNOWN_HOSTS
from remote.hosts.ssh.sockets import connect_socket

CONNECT_TIMEOUT_S = 10.0
_LARGEST_BYTES = 16 << 20  # of a known_hosts file
# What ssh-keyscan calls the types of keys; the same names are in the files of a host's own keys.
_KEYSCAN_TYPES = {"ssh-ed25519": "ed25519", "ssh-rsa": "rsa"}
_SIGNATURES = {"ssh-rsa": ("rsa-sha2-512", "rsa-sha2-256")}


def open_client(host: Host, tunnel: paramiko.Channel | None = None) -> paramiko.SSHClient:
    """Connect to `host`, check its key, log in; HostGone if it is silent or refuses the user.

    Parameters
    ----------
    tunnel : a channel of the jump host that leads to the host's port, None to connect directly.
    """
    _require_named_key(host)
    pins = _read_pins(host)
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(_Verification(host, pins))
    try:
        client.connect(
            host.address,
            port=host.port,
            username=host.user,
            timeout=CONNECT_TIMEOUT_S,
            banner_timeout=CONNECT_TIMEOUT_S,
            auth_timeout=CONNECT_TIMEOUT_S,
            channel_timeout=CONNECT_TIMEOUT_S,
            auth_strategy=KeyLogin(host),
            sock=tunnel or _passed_on(host),
            transport_factory=partial(_transport, pins),
        )
    except BaseException as exc:
        client.close()
        if isinstance(exc, paramiko.SSHException | OSError | EOFError):
            raise _explained(host, exc) from exc
        raise
    return client


def _require_named_key(host: Host) -> None:
    """Refuse a key file of the inventory that is missing; ssh passes over those of ssh_config."""
    file = host.identity_file
    if file is None or file in (host.keys.files or ()):
        return
    if not is_file(file) and not is_file(Path(f"{file}.pub")):
        remedy = "Correct `ansible_ssh_private_key_file` in the inventory."
        raise HostUnreachable(host.name, f"the key file {file} does not exist", remedy)


def ssh_command(host: Host) -> str:
    """Return the command by which a user gets to the host as this module does."""
    return shlex.join(ssh_words(host))


def ssh_words(host: Host) -> list[str]:
    """Return the words of that command."""
    return ["ssh", *ssh_options(host), _account(host)]


def ssh_options(host: Host, always: Sequence[str] = ()) -> list[str]:
    """Return the options by which `ssh` finds the way to the host and its key.

    Parameters
    ----------
    always : more options, which hold for its jump hosts, too.
    """
    words = list(always)
    if host.identity_file:
        words += ["-i", str(host.identity_file)]
    if not _is_usual(host.known_hosts):
        words += ["-o", f"UserKnownHostsFile={shlex.quote(str(host.known_hosts))}"]
    if host.port != SSH_PORT:
        words += ["-p", str(host.port)]
    if host.jump is None:
        return [*words, *_passing_options(host)]
    jumps = _jumps(host)
    if not always and all(j.identity_file is None and _is_usual(j.known_hosts) for j in jumps):
        return [*words, "-J", ",".join(map(_jump_spec, jumps))]
    # `-J` would forget key and known_hosts on the way.
    way = ["ssh", *ssh_options(host.jump, always), "-W", f"[{host.address}]:{host.port}"]
    return [*words, "-o", f"ProxyCommand={shlex.join([*way, _account(host.jump)])}"]


def _passing_options(host: Host) -> list[str]:
    if not host.connect_command:
        return []
    return ["-o", f"ProxyCommand={host.connect_command}", "-o", "ProxyUseFdpass=yes"]


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


def _is_usual(known_hosts: Path) -> bool:
    return known_hosts == Path(USER_KNOWN_HOSTS).expanduser()


def _jumps(host: Host) -> list[Host]:
    return [*_jumps(host.jump), host.jump] if host.jump else []


def _jump_spec(jump: Host) -> str:
    return _account(jump) + (f":{jump.port}" if jump.port != SSH_PORT else "")


def _account(host: Host) -> str:
    return f"{host.user}@{host.address}"


def _read_pins(host: Host) -> Pins:
    try:
        text = read_regular(host.known_hosts, _LARGEST_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return Pins()
    except OSError as exc:
        raise HostKeyRejected(
            host.name, f"{host.known_hosts} cannot be read: {exc}", "Make it readable."
        ) from exc
    return parse_pins(text, host.address, host.port)


def _passed_on(host: Host) -> socket.socket | None:
    if host.connect_command is None:
        return None
    return connect_socket(host.address, host.port, CONNECT_TIMEOUT_S, host.connect_command)


def _transport(pins: Pins, sock: Any, **options: Any) -> paramiko.Transport:
    """Make a transport that asks the host for a key of a type that is pinned."""
    transport = NotingTransport(sock, **options)
    security = transport.get_security_options()
    first = [s for kind in pins.types for s in _SIGNATURES.get(kind, (kind,))]
    known = tuple(security.key_types)
    security.key_types = tuple(dict.fromkeys([*(s for s in first if s in known), *known]))
    return transport


def _explained(host: Host, exc: Exception) -> HostUnreachable:
    if isinstance(exc, LoginRefused):
        return _explained_refusal(host, exc)
    if isinstance(exc, paramiko.AuthenticationException):
        return HostGone(
            host.name,
            f"user {host.user} was refused ({exc})",
            f"Check the key file {host.identity_file} and the host's authorized_keys: "
            f"`{ssh_command(host)}`.",
        )
    if isinstance(exc, paramiko.SSHException):
        return HostGone(host.name, str(exc), f"Try `{ssh_command(host)}`.")
    reason = str(exc) or "the connection was closed"
    if isinstance(exc, NoValidConnectionsError):
        reason = "; ".join(str(error) for error in exc.errors.values())
    if isinstance(exc, TimeoutError):
        reason = f"no answer from {host.address} within {CONNECT_TIMEOUT_S:g} s"
    if isinstance(exc, socket.gaierror):
        reason = f"the name {host.address} is unknown ({exc})"
    return HostGone(host.name, reason, f"Is the host up? `lab status`, or `{ssh_command(host)}`.")


def _explained_refusal(host: Host, exc: LoginRefused) -> HostUnreachable:
    others = "".join(f"; {problem}" for problem in exc.problems)
    if exc.too_many:
        reason = (
            f"too many keys: the host ended the login of {host.user} after {exc.offered} of "
            f"{exc.available} keys, because its sshd allows no more attempts (MaxAuthTries)"
        )
        remedy = (
            "Offer only the key that the host accepts: in ~/.ssh/config write `IdentitiesOnly yes` "
            "and one `IdentityFile FILE` for this host. If an agent holds the key, FILE is its "
            "public key (`ssh-add -L` prints it)."
        )
        return HostUnreachable(host.name, f"{reason}{others}", remedy)
    if exc.locked:
        names = " ".join(map(str, exc.locked))
        reason = f"the key {names} has a passphrase, and no agent holds it{others}"
        return HostUnreachable(host.name, reason, f"Load it into your agent: `ssh-add {names}`.")
    if not exc.available:
        reason = f"there is no key to log in with{others}"
        remedy = "Name a key in the inventory (`ansible_ssh_private_key_file`), or `ssh-add` it."
        return HostUnreachable(host.name, reason, remedy)
    keys = f"{exc.offered} keys" if exc.offered > 1 else "its key"
    return HostGone(
        host.name,
        f"user {host.user} was refused ({keys}{others})",
        f"Check the key file {host.identity_file or ''} and the host's authorized_keys: "
        f"`{ssh_command(host)}`.".replace("file  and", "and"),
    )
