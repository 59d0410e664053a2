"""One SSH connection to one host: run commands, copy files, with errors that name the host."""

from __future__ import annotations

import io
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import paramiko

from records.text.visible import visible
from remote.errors import (
    DISK_FULL,
    DISK_REMEDY,
    BadAnswer,
    CommandFailed,
    CommandTimeout,
    ConnectionLost,
    HostGone,
    HostUnreachable,
)
from remote.hosts.inventory import Host
from remote.hosts.ssh import transfers
from remote.hosts.ssh.link import BROKEN, Link, bounded, limited
from remote.hosts.ssh.patience import Patience
from remote.hosts.ssh.received import MOST_OUTPUT_BYTES, Received

TRANSFER_TIMEOUT_S = 300.0
STDERR_TAIL_CHARACTERS = 2000
CHUNK_BYTES = 1 << 20
LONGEST_LINE_BYTES = 4096
NO_EXIT_STATUS = -1  # what paramiko reports when the connection broke before the command ended
_SHOWN = 80  # characters of what cannot be read

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a command did on a host."""

    host: str
    command: str
    exit_status: int
    stdout: str
    stderr: str

    def read(self, parse: Callable[[str], T]) -> T:
        """Return what `parse` makes of the standard output; BadAnswer if it cannot be parsed."""
        try:
            return parse(self.stdout)
        except (ValueError, IndexError, KeyError) as exc:
            raise BadAnswer(self.host, self.command, f"{self.stdout[:_SHOWN]!r}") from exc


@dataclass(frozen=True)
class Exchange:
    """A question to a host and its answer; times are of the control host."""

    asked_at_s: float
    answer: str
    answered_at_s: float


class Connection(Link):
    """A link to `host` over which commands run and files are copied.

    Safe to use from several threads: each command has a channel of its own. The host's key must
    be pinned in ``host.known_hosts``; an unknown or changed key is refused.

    Parameters
    ----------
    gateway : the link to ``host.jump``, if other connections share it.
    patience : how long to wait for a silent host; a fleet's patience ends with the fleet.
    """

    def __init__(
        self, host: Host, gateway: Link | None = None, patience: Patience | None = None
    ) -> None:
        super().__init__(host, gateway)
        self.patiently = patience or Patience()

    def __enter__(self) -> Connection:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def settle(self) -> None:
        """Make the host's working directory absolute: programs start in other folders."""
        if not self.host.work_dir.startswith("/"):
            home = self.run("pwd", idempotent=True).read(_folder)
            self.host = replace(self.host, work_dir=f"{home}/{self.host.work_dir}")

    def run(
        self,
        command: str,
        *,
        timeout_s: float = 30.0,
        check: bool = True,
        stdin: str = "",
        shown: str = "",
        idempotent: bool = False,
        most_bytes: int = MOST_OUTPUT_BYTES,
    ) -> Result:
        """Run `command` in a shell on the host and wait for its end.

        Parameters
        ----------
        command : for ``sh``; starts in the user's home.
        timeout_s : bound on the whole call once connected, in seconds; some seconds later the
            command is ended on the host, too, unless it has left its process group.
        check : raise CommandFailed when the exit status is not 0.
        shown : what errors call the command, where the script itself would not help a reader.
        idempotent : run the command once more, on a new connection, if this one broke.
        most_bytes : output that the command may write; BadAnswer if it writes more.
        """

        def run() -> Result:
            return self._run(command, timeout_s, check, stdin, shown or command, most_bytes)

        try:
            return run()
        except ConnectionLost:
            if not idempotent:
                raise
            return run()

    def _run(
        self,
        command: str,
        timeout_s: float,
        check: bool,
        stdin: str,
        shown: str,
        most_bytes: int,
    ) -> Result:
        self.open()
        deadline = time.monotonic() + timeout_s
        try:
            opened = self.channel(shown, timeout_s)
        except TimeoutError as exc:
            raise CommandTimeout(self.host.name, shown, timeout_s) from exc
        try:
            with limited(opened, deadline - time.monotonic()) as channel:
                channel.exec_command(bounded(command, timeout_s, reads_stdin=bool(stdin)))
                if stdin:
                    channel.sendall(stdin.encode())
                    channel.shutdown_write()  # never after a short command: see `bounded`
                stdout, stderr = _drain(channel, most_bytes)
                status = channel.recv_exit_status()
        except _TooMuch as exc:
            raise BadAnswer(self.host.name, shown, str(exc)) from exc
        except BROKEN as exc:
            if time.monotonic() >= deadline:
                raise CommandTimeout(self.host.name, shown, timeout_s) from exc
            raise self.lost(f"`{shown}` broke off: {exc}") from exc
        if status == NO_EXIT_STATUS:
            if time.monotonic() >= deadline:
                raise CommandTimeout(self.host.name, shown, timeout_s)
            raise self.lost(f"`{shown}` broke off: the connection was closed")
        if check and status != 0:
            tail = stderr[-STDERR_TAIL_CHARACTERS:]
            remedy = DISK_REMEDY if DISK_FULL in stderr else ""
            raise CommandFailed(self.host.name, shown, status, tail, remedy)
        return Result(
            host=self.host.name, command=shown, exit_status=status, stdout=stdout, stderr=stderr
        )

    def put(
        self,
        local: Path,
        remote: str,
        *,
        mode: int = 0o644,
        timeout_s: float = TRANSFER_TIMEOUT_S,
    ) -> None:
        """Copy a local file to `remote`, atomically: it appears there whole or not at all."""
        transfers.put(
            self, lambda client, part: client.put(str(local), part), remote, mode, timeout_s
        )

    def put_text(self, text: str, remote: str) -> None:
        """Write `text` to the file `remote`, atomically."""
        self.put_bytes(text.encode(), remote)

    def put_bytes(self, content: bytes, remote: str, *, mode: int = 0o644) -> None:
        """Write `content` to the file `remote`, atomically."""
        data = io.BytesIO(content)

        def send(client: paramiko.SFTPClient, part: str) -> object:
            data.seek(0)
            return client.putfo(data, part)

        transfers.put(self, send, remote, mode, TRANSFER_TIMEOUT_S)

    def get_tree(self, remote: str, *, timeout_s: float = TRANSFER_TIMEOUT_S) -> Received:
        """Return every file below the folder `remote`, by relative path."""
        return transfers.get_tree(self, remote, timeout_s)

    def exchange(self, command: str, times: int, *, timeout_s: float = 10.0) -> list[Exchange]:
        """Send `times` empty lines to `command`, which answers each; return the exchanges.

        All lines go through one channel, so that an answer comes as soon as network and host allow.
        """
        asked: list[Exchange] = []
        try:
            opened = self.channel(command, timeout_s)
            with limited(opened, timeout_s * times) as channel:
                channel.settimeout(timeout_s)
                channel.exec_command(bounded(command, timeout_s * times, reads_stdin=True))
                for _ in range(times):
                    asked_at_s = time.time()
                    channel.sendall(b"\n")
                    answer = _read_line(channel)
                    asked.append(Exchange(asked_at_s, answer, time.time()))
        except BROKEN as exc:
            raise self.lost(f"`{command}` broke off: {exc or 'no answer'}") from exc
        return asked

    def ask(self, port: int, request: bytes, end: bytes, *, timeout_s: float = 5.0) -> bytes:
        """Send `request` to a TCP port of the host, through SSH, and return the reply up to `end`.

        Raises
        ------
        HostUnreachable
            Nothing listens on the port.
        HostGone
            The reply does not end within `timeout_s` seconds.
        """
        reply = bytearray()
        deadline_s = time.monotonic() + timeout_s
        try:
            with limited(self.dial(port, timeout_s=timeout_s), timeout_s) as channel:
                channel.sendall(request)
                while not reply.endswith(end):
                    chunk = channel.recv(CHUNK_BYTES)
                    if not chunk or len(reply) > MOST_OUTPUT_BYTES:
                        raise EOFError(f"the reply has no end: {bytes(reply[-80:])!r}")
                    reply += chunk
        except BROKEN as exc:
            error = HostGone if time.monotonic() >= deadline_s else HostUnreachable
            raise error(
                self.host.name,
                f"port {port} does not answer {request!r}: {exc}",
                f"Is the service running? `ss -ltnp 'sport = :{port}'` on the host shows it.",
            ) from exc
        return bytes(reply)

    def dial(self, port: int, *, timeout_s: float = 5.0) -> paramiko.Channel:
        """Connect to a TCP port of the host's data address, through SSH; acts as a socket."""
        target = (self.host.data_address, port)
        channel = self.open().open_channel(
            "direct-tcpip", target, ("127.0.0.1", 0), timeout=timeout_s
        )
        channel.settimeout(timeout_s)
        return channel


def _read_line(channel: paramiko.Channel) -> str:
    """Read up to the end of a line, of which there is one in all that comes."""
    line = bytearray()
    while not line.endswith(b"\n"):
        chunk = channel.recv(LONGEST_LINE_BYTES)
        if not chunk or len(line) > LONGEST_LINE_BYTES:
            raise EOFError(f"no line but {bytes(line[-80:])!r}")
        line += chunk
    return _text(line).strip()


def _folder(answer: str) -> str:
    """Read the answer of `pwd`; ValueError if it is not one absolute path."""
    path = answer.strip()
    if not re.fullmatch(rf"/[^\n]{{0,{LONGEST_LINE_BYTES}}}", path):
        raise ValueError("no absolute path")
    return path


class _TooMuch(Exception):
    """A command writes more than it may."""


class _News(threading.Event):
    """Set when a stream has something to read or has ended; only its reader takes it back."""

    def clear(self) -> None:
        """Leave it set: the stream that is empty is not the only one."""

    def take(self) -> None:
        self.wait()
        super().clear()


def _drain(channel: paramiko.Channel, most_bytes: int) -> tuple[str, str]:
    """Read both streams of `channel` until the command ends or the channel is closed.

    It sleeps while nothing comes, however many hosts are waited for: the CPU may be measured.
    """
    out, err = bytearray(), bytearray()
    news = _News()
    channel.in_buffer.set_event(news)
    channel.in_stderr_buffer.set_event(news)
    news.set()  # what came before
    while True:
        news.take()
        ended = channel.closed or channel.eof_received
        while channel.recv_ready() and len(out) <= most_bytes:
            out += channel.recv(CHUNK_BYTES)
        while channel.recv_stderr_ready() and len(err) <= most_bytes:
            err += channel.recv_stderr(CHUNK_BYTES)
        if len(out) + len(err) > most_bytes:
            raise _TooMuch(f"it wrote more than {most_bytes} bytes")
        if ended:
            return _text(out), _text(err)


def _text(output: bytearray) -> str:
    """Return what a host wrote so that it can be shown; line ends are those of Unix."""
    return visible(output.decode(errors="replace").replace("\r\n", "\n"))
