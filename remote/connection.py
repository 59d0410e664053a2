"""One SSH connection to one host: run commands, copy files, with errors that name the host."""

from __future__ import annotations

import contextlib
import io
import logging
import socket
import stat
import threading
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
TRANSFER_TIMEOUT_S = 300.0
KEEPALIVE_S = 5
SILENCE_S = 15.0
STDERR_TAIL_CHARACTERS = 2000
CHUNK_BYTES = 1 << 20
POLL_S = 0.005
LONGEST_POLL_S = 0.05  # waiting must not cost the CPUs that are measured
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
        self._lock = threading.RLock()

    def __enter__(self) -> Connection:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> paramiko.Transport:
        """Connect if there is no living connection, and return it.

        Raises
        ------
        HostKeyRejected
            The host's key is unknown or differs from the pinned one.
        HostUnreachable
            No route, no answer, or the key of the user was refused.
        """
        with self._lock:
            transport = self._client.get_transport() if self._client else None
            if transport is not None and transport.is_active():
                return transport
            self.close()
            self._refuse_foreign_route()
            client = paramiko.SSHClient()
            client.set_missing_host_key_policy(paramiko.RejectPolicy())
            try:
                self._load_host_keys(client)
                self._connect(client)
                transport = client.get_transport()
                assert transport is not None  # connect() has just made it
                _notice_dead_peer(transport)
            except BaseException:
                client.close()
                raise
            self._client = client
            return transport

    def close(self) -> None:
        """Close the connection; harmless if it is closed."""
        with self._lock:
            if self._client is not None:
                self._client.close()
                self._client = None

    def run(
        self,
        command: str,
        *,
        timeout_s: float = 30.0,
        check: bool = True,
        stdin: str = "",
        shown: str = "",
    ) -> Result:
        """Run `command` in the user's shell on the host and wait for its end.

        Parameters
        ----------
        command : passed to the remote shell as it is.
        timeout_s : bound on the whole call once connected, in seconds.
        check : raise CommandFailed when the exit status is not 0.
        stdin : text for the command's standard input.
        shown : what errors call the command, where the script itself would not help a reader.

        Raises
        ------
        CommandFailed, CommandTimeout, HostUnreachable
        """
        shown = shown or command
        channel = self._channel(shown)
        watchdog = threading.Timer(timeout_s, channel.close)  # paramiko waits without bound inside
        watchdog.start()
        deadline = time.monotonic() + timeout_s
        try:
            channel.exec_command(command)
            if stdin:
                channel.sendall(stdin.encode())
            channel.shutdown_write()
            stdout, stderr = _drain(channel)
            status = channel.recv_exit_status()
        except (paramiko.SSHException, OSError, EOFError) as exc:
            if time.monotonic() >= deadline:
                raise CommandTimeout(self.host.name, shown, timeout_s) from exc
            raise self._lost(f"`{shown}` broke off: {exc}") from exc
        finally:
            watchdog.cancel()
            channel.close()
        if status == NO_EXIT_STATUS:
            if time.monotonic() >= deadline:
                raise CommandTimeout(self.host.name, shown, timeout_s)
            raise self._lost(f"`{shown}` broke off: the connection was closed")
        if check and status != 0:
            tail = stderr[-STDERR_TAIL_CHARACTERS:]
            remedy = DISK_REMEDY if "No space left" in stderr else ""
            raise CommandFailed(self.host.name, shown, status, tail, remedy)
        return Result(
            host=self.host.name, command=shown, exit_status=status, stdout=stdout, stderr=stderr
        )

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
        transport = self.open()
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

    @contextlib.contextmanager
    def _sftp(self) -> Iterator[paramiko.SFTPClient]:
        channel = self._channel("sftp")
        watchdog = threading.Timer(TRANSFER_TIMEOUT_S, channel.close)
        watchdog.start()
        try:
            channel.invoke_subsystem("sftp")
            with paramiko.SFTPClient(channel) as sftp:
                yield sftp
        finally:
            watchdog.cancel()
            channel.close()

    def _channel(self, purpose: str) -> paramiko.Channel:
        transport = self.open()
        try:
            return transport.open_session(timeout=CONNECT_TIMEOUT_S)
        except (paramiko.SSHException, OSError, EOFError) as exc:
            raise self._lost(f"cannot open a channel for `{purpose}`: {exc}") from exc

    def _lost(self, reason: str) -> HostUnreachable:
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
        if host.identity_file and not host.identity_file.is_file():
            remedy = "Correct `ansible_ssh_private_key_file` in the inventory."
            raise HostUnreachable(
                host.name, f"the key file {host.identity_file} does not exist", remedy
            )
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


def _notice_dead_peer(transport: paramiko.Transport) -> None:
    """End the connection when nothing that was sent is acknowledged for `SILENCE_S` seconds."""
    transport.set_keepalive(KEEPALIVE_S)
    if isinstance(transport.sock, socket.socket):
        milliseconds = round(SILENCE_S * 1000)
        transport.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


def _drain(channel: paramiko.Channel) -> tuple[str, str]:
    """Read both streams of `channel` until the command ends or the channel is closed."""
    out, err = bytearray(), bytearray()
    pause_s = POLL_S
    while True:
        ended = channel.closed or (channel.eof_received and channel.exit_status_ready())
        while channel.recv_ready():
            out += channel.recv(CHUNK_BYTES)
        while channel.recv_stderr_ready():
            err += channel.recv_stderr(CHUNK_BYTES)
        if ended:
            return out.decode(errors="replace"), err.decode(errors="replace")
        time.sleep(pause_s)
        pause_s = min(1.2 * pause_s, LONGEST_POLL_S)


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
