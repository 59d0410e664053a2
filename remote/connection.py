"""One SSH connection to one host: run commands, copy files, with errors that name the host."""

from __future__ import annotations

import io
import logging
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import paramiko
from paramiko.ssh_exception import NoValidConnectionsError

from remote.errors import (
    CommandFailed,
    CommandTimeout,
    HostKeyRejected,
    HostUnreachable,
    TransferFailed,
)
from remote.inventory import Host
from remote.testbed.routes import route_leaves_by

# What paramiko logs is raised here as an error that names the host; logged too, it would be noise.
logging.getLogger("paramiko").addHandler(logging.NullHandler())

CONNECT_TIMEOUT_S = 10.0
KEEPALIVE_S = 15
STDERR_TAIL_CHARACTERS = 2000
CHUNK_BYTES = 1 << 20
POLL_S = 0.005
NO_EXIT_STATUS = -1  # what paramiko reports when the connection broke before the command ended
DISK_REMEDY = "The disk of the host may be full: free space there (`df -h`) and run again."


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a command did on a host."""

    host: str
    command: str
    exit_status: int
    stdout: str
    stderr: str


class Connection:
    """An SSH transport to `host`, opened on first use and reopened when it broke.

    Safe to use from several threads: each command has a channel of its own. The host's key must
    be pinned in ``host.known_hosts``; an unknown or changed key is refused.
    """

    def __init__(self, host: Host) -> None:
        self.host = host
        self._client: paramiko.SSHClient | None = None

    def __enter__(self) -> Connection:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        """Connect if there is no living connection.

        Raises
        ------
        HostKeyRejected
            The host's key is unknown or differs from the pinned one.
        HostUnreachable
            No route, no answer, or the key of the user was refused.
        """
        if self._client is not None:
            transport = self._client.get_transport()
            if transport is not None and transport.is_active():
                return
            self.close()
        self._refuse_foreign_route()
        client = paramiko.SSHClient()
        client.set_missing_host_key_policy(paramiko.RejectPolicy())
        try:
            self._load_host_keys(client)
            self._connect(client)
        except BaseException:
            client.close()
            raise
        transport = client.get_transport()
        if transport is not None:
            transport.set_keepalive(KEEPALIVE_S)
        self._client = client

    def close(self) -> None:
        """Close the connection; harmless if it is closed."""
        if self._client is not None:
            self._client.close()
            self._client = None

    def run(
        self, command: str, *, timeout_s: float = 30.0, check: bool = True, stdin: str = ""
    ) -> Result:
        """Run `command` in the user's shell on the host and wait for its end.

        Parameters
        ----------
        command : passed to the remote shell as it is.
        timeout_s : bound on the whole call, in seconds.
        check : raise CommandFailed when the exit status is not 0.
        stdin : text for the command's standard input.

        Raises
        ------
        CommandFailed, CommandTimeout, HostUnreachable
        """
        channel = self._channel(command)
        try:
            channel.exec_command(command)
            if stdin:
                channel.sendall(stdin.encode())
            channel.shutdown_write()
            stdout, stderr = _drain(channel, self.host.name, command, timeout_s)
            status = channel.recv_exit_status()
        except (paramiko.SSHException, OSError, EOFError) as exc:
            raise self._lost(f"`{command}` broke off: {exc}") from exc
        finally:
            channel.close()
        if status == NO_EXIT_STATUS:
            raise self._lost(f"`{command}` broke off: the connection was closed")
        result = Result(
            host=self.host.name, command=command, exit_status=status, stdout=stdout, stderr=stderr
        )
        if check and status != 0:
            tail = stderr[-STDERR_TAIL_CHARACTERS:]
            remedy = DISK_REMEDY if "No space left" in stderr else ""
            raise CommandFailed(self.host.name, command, status, tail, remedy)
        return result

    def put(self, local: Path, remote: str, *, mode: int = 0o644) -> None:
        """Copy a local file to `remote`, atomically: it appears there whole or not at all."""
        self._transfer(lambda sftp, part: sftp.put(str(local), part), remote, mode)

    def put_text(self, text: str, remote: str, *, mode: int = 0o644) -> None:
        """Write `text` to the file `remote`, atomically."""
        data = text.encode()
        self._transfer(lambda sftp, part: sftp.putfo(io.BytesIO(data), part), remote, mode)

    def get_tree(self, remote: str) -> dict[str, bytes]:
        """Return the content of every file below the folder `remote`, keyed by relative path."""
        try:
            with self._sftp() as sftp:
                return dict(_walk(sftp, remote, ""))
        except (OSError, EOFError, paramiko.SSHException) as exc:
            raise TransferFailed(self.host.name, remote, str(exc) or "connection lost") from exc

    def ask(self, port: int, request: bytes, end: bytes, *, timeout_s: float = 5.0) -> bytes:
        """Send `request` to a TCP port of the host, through SSH, and return the reply up to `end`.

        Raises
        ------
        HostUnreachable
            Nothing listens on the port, or the reply does not end within `timeout_s`.
        """
        self.open()
        assert self._client is not None
        transport = self._client.get_transport()
        assert transport is not None
        target = (self.host.data_address, port)
        reply = bytearray()
        try:
            with transport.open_channel("direct-tcpip", target, ("127.0.0.1", 0)) as channel:
                channel.settimeout(timeout_s)
                channel.sendall(request)
                while not reply.endswith(end):
                    chunk = channel.recv(CHUNK_BYTES)
                    if not chunk:
                        raise EOFError(f"the reply ended early: {bytes(reply[-80:])!r}")
                    reply += chunk
        except (paramiko.SSHException, OSError, EOFError) as exc:
            raise HostUnreachable(
                self.host.name,
                f"port {port} does not answer {request!r}: {exc}",
                f"Is the service running? `ss -ltnp 'sport = :{port}'` on the host shows it.",
            ) from exc
        return bytes(reply)

    def _transfer(
        self, send: Callable[[paramiko.SFTPClient, str], object], remote: str, mode: int
    ) -> None:
        part = f"{remote}.part"
        try:
            with self._sftp() as sftp:
                try:
                    send(sftp, part)
                    sftp.chmod(part, mode)
                    sftp.posix_rename(part, remote)
                except BaseException:
                    _remove_quietly(sftp, part)
                    raise
        except (OSError, EOFError, paramiko.SSHException) as exc:
            reason = str(exc) or "connection lost"
            raise TransferFailed(self.host.name, remote, reason, DISK_REMEDY) from exc

    def _sftp(self) -> paramiko.SFTPClient:
        self.open()
        assert self._client is not None
        return self._client.open_sftp()

    def _channel(self, command: str) -> paramiko.Channel:
        self.open()
        assert self._client is not None
        transport = self._client.get_transport()
        try:
            if transport is None:
                raise paramiko.SSHException("the transport is closed")
            return transport.open_session(timeout=CONNECT_TIMEOUT_S)
        except (paramiko.SSHException, OSError, EOFError) as exc:
            raise self._lost(f"cannot open a channel for `{command}`: {exc}") from exc

    def _lost(self, reason: str) -> HostUnreachable:
        self.close()
        return HostUnreachable(self.host.name, reason, f"Check its link and sshd: {self._try()}.")

    def _try(self) -> str:
        return f"`ssh -p {self.host.port} {self.host.user}@{self.host.address}`"

    def _refuse_foreign_route(self) -> None:
        device = self.host.route_device
        if device and not route_leaves_by(self.host.address, device):
            raise HostUnreachable(
                self.host.name,
                f"{self.host.address} is not routed by {device}: the local lab is down",
                "Start it with `lab up`.",
            )

    def _load_host_keys(self, client: paramiko.SSHClient) -> None:
        try:
            client.load_host_keys(str(self.host.known_hosts))
        except FileNotFoundError as exc:
            raise HostKeyRejected(
                self.host.name, f"{self.host.known_hosts} does not exist", self._how_to_pin()
            ) from exc

    def _how_to_pin(self) -> str:
        return (
            "Compare the host's fingerprint with the one that its console shows, then add it: "
            f"`ssh-keyscan -p {self.host.port} {self.host.address} >> {self.host.known_hosts}`."
        )

    def _connect(self, client: paramiko.SSHClient) -> None:
        host = self.host
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
                allow_agent=host.identity_file is None,
                look_for_keys=host.identity_file is None,
            )
        except paramiko.BadHostKeyException as exc:
            raise HostKeyRejected(
                host.name,
                f"the host key of {host.address} is not the one in {host.known_hosts}: "
                "it was reinstalled, or someone stands in between",
                f"If you know why it changed: `ssh-keygen -f {host.known_hosts} -R "
                f"{host.address}`. {self._how_to_pin()}",
            ) from exc
        except paramiko.AuthenticationException as exc:
            raise HostUnreachable(
                host.name,
                f"user {host.user} was refused ({exc})",
                f"Check the key file {host.identity_file} and the host's authorized_keys.",
            ) from exc
        except paramiko.SSHException as exc:
            if "not found in known_hosts" in str(exc):
                raise HostKeyRejected(
                    host.name,
                    f"the host key of {host.address} is not in {host.known_hosts}",
                    self._how_to_pin(),
                ) from exc
            raise HostUnreachable(host.name, str(exc), f"Try {self._try()}.") from exc
        except (OSError, EOFError) as exc:
            reason = str(exc) or "the connection was closed"
            if isinstance(exc, NoValidConnectionsError):
                reason = "; ".join(str(error) for error in exc.errors.values())
            if isinstance(exc, TimeoutError):
                reason = f"no answer from {host.address} within {CONNECT_TIMEOUT_S:g} s"
            raise HostUnreachable(
                host.name, reason, f"Is the host up? `lab status`, or {self._try()}."
            ) from exc


def _drain(channel: paramiko.Channel, host: str, command: str, timeout_s: float) -> tuple[str, str]:
    """Read both streams of `channel` until the command ends; bounded by `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    out, err = bytearray(), bytearray()
    while True:
        ended = channel.closed or (channel.eof_received and channel.exit_status_ready())
        while channel.recv_ready():
            out += channel.recv(CHUNK_BYTES)
        while channel.recv_stderr_ready():
            err += channel.recv_stderr(CHUNK_BYTES)
        if ended:
            return out.decode(errors="replace"), err.decode(errors="replace")
        if time.monotonic() > deadline:
            raise CommandTimeout(host, command, timeout_s)
        time.sleep(POLL_S)


def _walk(sftp: paramiko.SFTPClient, folder: str, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(sftp.listdir_attr(folder), key=lambda e: e.filename):
        path, name = f"{folder}/{entry.filename}", f"{prefix}{entry.filename}"
        if stat.S_ISDIR(entry.st_mode or 0):
            yield from _walk(sftp, path, f"{name}/")
        elif stat.S_ISREG(entry.st_mode or 0):
            buffer = io.BytesIO()
            sftp.getfo(path, buffer)
            yield name, buffer.getvalue()


def _remove_quietly(sftp: paramiko.SFTPClient, path: str) -> None:
    try:
        sftp.remove(path)
    except OSError:
        return
