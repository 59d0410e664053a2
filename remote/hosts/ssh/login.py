"""Log in by public key: offer a server one identity after the other until it accepts one."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import paramiko
from paramiko.agent import AgentKey, AgentSSH
from paramiko.auth_strategy import AuthSource, AuthStrategy, SourceResult
from paramiko.pkey import PublicBlob

from remote.hosts.host import Host
from remote.hosts.ssh.identities import FileKeys, Identity, order, public_of, read_files

_DEFAULT_FILES = ("id_rsa", "id_ecdsa", "id_ed25519")  # those of ssh that paramiko can read
_TOO_MANY = "too many"  # sshd: "Too many authentication failures"
_AGENT_TIMEOUT_S = 60.0  # an agent may ask its user whether it may sign


class LoginRefused(paramiko.AuthenticationException):
    """No identity was accepted.

    Parameters
    ----------
    offered, available : identities that the server was offered, and that it could have been
        offered.
    too_many : the server ended the connection because of the number of identities.
    problems : why further keys could not be offered, one sentence each.
    locked : files of private keys that have a passphrase and are in no agent.
    """

    def __init__(
        self,
        *,
        offered: int,
        available: int,
        too_many: bool,
        problems: tuple[str, ...],
        locked: tuple[Path, ...],
    ) -> None:
        super().__init__(f"{offered} of {available} keys were refused")
        self.offered = offered
        self.available = available
        self.too_many = too_many
        self.problems = problems
        self.locked = locked


class NotingTransport(paramiko.Transport):
    """A transport that keeps why the server ended the connection; paramiko only logs it."""

    farewell = ""

    def _parse_disconnect(self, message: paramiko.Message) -> None:
        message.get_int()  # the code, which sshd does not use to tell reasons apart
        self.farewell = message.get_text()


class KeyLogin(AuthStrategy):
    """Logs in to `host` by the keys that its inventory and ssh_config name, as ssh does."""

    def __init__(self, host: Host) -> None:
        super().__init__(paramiko.SSHConfig())
        self._host = host

    def get_sources(self) -> Iterator[AuthSource]:
        """Return nothing: `authenticate` makes no use of paramiko's sources."""
        return iter(())

    def authenticate(self, transport: paramiko.Transport) -> list[SourceResult]:
        """Offer the keys in ssh's order, each once; LoginRefused if the server accepts none."""
        host = self._host
        files = _read_files(host)
        problems = list(files.problems.values())
        with _agent_keys(host.keys.agent, problems) as agent:
            held = {identity: key for identity, key in agent if identity.public}
            signers = _signers(files, held)
            identities = order(files, list(held), only=host.keys.only)
            usable = [identity for identity in identities if identity.public in signers]
            locked = {k: path for k, path in files.locked.items() if k not in signers}
            problems += [
                f"no private key of {identity.name} is in a key file or an agent"
                for identity in identities
                if identity not in usable and identity.public not in locked
            ]
            offered = _offer(transport, host.user, usable, signers, problems)
            if transport.is_authenticated():
                return []
        farewell = transport.farewell if isinstance(transport, NotingTransport) else ""
        raise LoginRefused(
            offered=offered,
            available=len(usable),
            too_many=_TOO_MANY in farewell.lower() and offered < len(usable),
            problems=tuple(problems),
            locked=tuple(locked.values()),
        )


def _read_files(host: Host) -> FileKeys:
    named = [] if host.identity_file is None else [host.identity_file]
    named += host.keys.files or ()
    if host.identity_file is None and host.keys.files is None:
        defaults = [Path("~/.ssh", name).expanduser() for name in _DEFAULT_FILES]
        return read_files(defaults, host.keys.certificates, may_lack=True)
    return read_files(list(dict.fromkeys(named)), host.keys.certificates)


def _signers(files: FileKeys, held: dict[Identity, AgentKey]) -> dict[bytes, paramiko.PKey]:
    """Return what signs for each public key: the agent rather than a file, as ssh prefers it."""
    by_certificate = {i.public: key for i, key in held.items() if i.is_certificate}
    plain = {i.public: key for i, key in held.items() if not i.is_certificate}
    return {**by_certificate, **files.private, **plain}


def _offer(
    transport: paramiko.Transport,
    user: str,
    identities: list[Identity],
    signers: dict[bytes, paramiko.PKey],
    problems: list[str],
) -> int:
    """Offer `identities` until the server is satisfied or ends the connection; return how many."""
    for offered, identity in enumerate(identities, 1):
        key = signers[identity.public]
        kind = paramiko.Message(identity.offered).get_text()
        key.public_blob = PublicBlob(kind, identity.offered) if identity.is_certificate else None
        try:
            wanted = transport.auth_publickey(user, key)
        except paramiko.BadAuthenticationType:
            raise
        except paramiko.SSHException as exc:
            if not transport.is_active():
                if isinstance(exc, paramiko.AuthenticationException):
                    return offered
                raise
            if "timeout" in str(exc).lower():  # the server is silent, whatever it is offered
                raise
            if not isinstance(exc, paramiko.AuthenticationException):  # it was not signed
                problems.append(f"{identity.name} cannot sign: {exc}")
            continue
        if not wanted:
            return offered
        if "publickey" not in wanted:
            problems.append(
                f"{identity.name} was accepted, and the server also asks for {', '.join(wanted)}"
            )
            return offered
    return len(identities)


class _Agent(AgentSSH):
    """An ssh-agent at a socket of any path; paramiko's own knows only that of the environment."""

    def __init__(self, connection: socket.socket) -> None:
        super().__init__()
        self._connect(connection)  # type: ignore[attr-defined]


@contextmanager
def _agent_keys(path: str | None, problems: list[str]) -> Iterator[list[tuple[Identity, AgentKey]]]:
    """Yield the keys of an agent, which can sign until the end; none if there is no agent.

    Parameters
    ----------
    path : socket of the agent, ``none`` for no agent, None for that of ``SSH_AUTH_SOCK``.
    """
    place = os.environ.get("SSH_AUTH_SOCK", "") if path is None else path
    if place in ("", "none"):
        yield []
        return
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(_AGENT_TIMEOUT_S)
        keys: list[tuple[Identity, AgentKey]] = []
        try:
            connection.connect(place)
            for key in _Agent(connection).get_keys():
                with suppress(ValueError):  # of a type that nothing here can offer
                    public = public_of(key.blob)
                    name = f"{key.comment or 'a key'} of the agent"
                    keys.append((Identity(name=name, offered=key.blob, public=public), key))
        except (OSError, paramiko.SSHException) as exc:
            problems.append(f"the agent at {place} does not answer: {exc}")
        yield keys
