"""Copying files by SFTP over a link: whole or not at all, in bounded time."""

from __future__ import annotations

import contextlib
import io
import stat
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

import paramiko

from remote.errors import DISK_REMEDY, TransferFailed
from remote.hosts.ssh.link import BROKEN, Link

T = TypeVar("T")
_PATH_REMEDY = "Correct mwlab_work_dir in the inventory: the user must be able to write there."


def put(
    link: Link,
    send: Callable[[paramiko.SFTPClient, str], object],
    remote: str,
    mode: int,
    timeout_s: float,
) -> None:
    """Let `send` write to a temporary path beside `remote`, which then becomes `remote`.

    Raises
    ------
    TransferFailed
    """
    part = f"{remote}.part"

    def transfer(client: paramiko.SFTPClient) -> None:
        try:
            send(client, part)
            client.chmod(part, mode)
            client.posix_rename(part, remote)
        except BaseException:
            with contextlib.suppress(*BROKEN):
                client.remove(part)
            raise

    _perform(link, transfer, remote, timeout_s, DISK_REMEDY)


def get_tree(link: Link, remote: str, timeout_s: float) -> dict[str, bytes]:
    """Return the content of every file below the folder `remote`, keyed by relative path.

    Raises
    ------
    TransferFailed
    """
    return _perform(link, lambda client: dict(_walk(client, remote, "")), remote, timeout_s)


def _perform(
    link: Link,
    action: Callable[[paramiko.SFTPClient], T],
    path: str,
    timeout_s: float,
    remedy: str = "",
) -> T:
    """Perform `action`, which may be repeated: is, once, on a new connection if this one broke."""
    link.open()
    deadline = time.monotonic() + timeout_s
    for is_last in (False, True):
        try:
            with _client(link, max(0.1, deadline - time.monotonic())) as client:
                return action(client)
        except BROKEN as exc:
            if time.monotonic() >= deadline:
                reason = f"it did not end within {timeout_s:g} s"
                raise TransferFailed(link.host.name, path, reason, remedy) from exc
            if isinstance(exc, FileNotFoundError | PermissionError):
                raise TransferFailed(
                    link.host.name, path, str(exc), _PATH_REMEDY if remedy else ""
                ) from exc
            if is_last or link.is_alive():
                reason = str(exc) or "connection lost"
                raise TransferFailed(link.host.name, path, reason, remedy) from exc
    raise AssertionError("the last attempt returns or raises")


@contextlib.contextmanager
def _client(link: Link, timeout_s: float) -> Iterator[paramiko.SFTPClient]:
    channel = link.channel("sftp", timeout_s)
    watchdog = threading.Timer(timeout_s, channel.close)
    watchdog.start()
    try:
        channel.invoke_subsystem("sftp")
        with paramiko.SFTPClient(channel) as client:
            yield client
    finally:
        watchdog.cancel()
        channel.close()


def _walk(client: paramiko.SFTPClient, folder: str, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(client.listdir_attr(folder), key=lambda e: e.filename):
        path, name = f"{folder}/{entry.filename}", f"{prefix}{entry.filename}"
        if stat.S_ISDIR(entry.st_mode or 0):
            yield from _walk(client, path, f"{name}/")
        elif stat.S_ISREG(entry.st_mode or 0):
            buffer = io.BytesIO()
            client.getfo(path, buffer)
            yield name, buffer.getvalue()
