"""Copy files to and from hosts by SFTP and tar, whole or not at all, bounded in time and size."""

from __future__ import annotations

import contextlib
import shlex
import struct
import tarfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Protocol, TypeVar

import paramiko

from records.files.unpacking import Member, is_plain, members
from remote.errors import DISK_REMEDY, TransferFailed
from remote.hosts.ssh.link import BROKEN, Link, bounded, limited
from remote.hosts.ssh.received import (
    CHUNK_BYTES,
    LARGEST_TREE_BYTES,
    MOST_FILES,
    Received,
    plain_path,
)

T = TypeVar("T")

# What paramiko raises at bytes that are no answer of SFTP.
_MALFORMED = (paramiko.SFTPError, struct.error, ValueError, IndexError)
_PATH_REMEDY = "Correct mwlab_work_dir in the inventory: the user must be able to write there."
_STDERR_BYTES = 2000
_CHANGED = 1  # tar's exit status where a file was written to while it was read
_NOT_ENDED = -1  # paramiko's where the channel was closed before the command ended


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def put(
    link: Link,
    send: Callable[[paramiko.SFTPClient, str], object],
    remote: str,
    mode: int,
    timeout_s: float,
) -> None:
    """Let `send` write to a temporary path beside `remote`, which then becomes `remote`."""
    part = f"{remote}.part"

    def attempt(left_s: float) -> None:
        try:
            with _sftp(link, left_s) as client:
                try:
                    send(client, part)
                    client.chmod(part, mode)
                    client.posix_rename(part, remote)
                except BaseException:
                    with contextlib.suppress(*BROKEN):
                        client.remove(part)
                    raise
        except _MALFORMED as exc:
            raise paramiko.SSHException(f"its SFTP answers what cannot be: {exc}") from exc

    transfer(link, attempt, remote, timeout_s, remedy=DISK_REMEDY, path_remedy=_PATH_REMEDY)


def get_tree(link: Link, remote: str, timeout_s: float) -> Received:
    """Return every regular file below the folder `remote`, by relative path."""
    return transfer(link, lambda left_s: _receive(link, remote, left_s), remote, timeout_s)


def transfer(
    link: Link,
    attempt: Callable[[float], T],
    path: str,
    timeout_s: float,
    *,
    remedy: str = "",
    path_remedy: str = "",
) -> T:
    """Call `attempt` with the seconds that are left; once more if the connection broke.

    Parameters
    ----------
    path : what errors name.
    remedy, path_remedy : what users can do about a failure, and about a path that cannot be used.
    """
    link.open()
    deadline = time.monotonic() + timeout_s
    for is_last in (False, True):
        try:
            return attempt(max(0.1, deadline - time.monotonic()))
        except BROKEN as exc:
            if time.monotonic() >= deadline:
                reason = f"it did not end within {timeout_s:g} s"
                raise TransferFailed(link.host.name, path, reason, remedy) from exc
            if isinstance(exc, FileNotFoundError | PermissionError):
                raise TransferFailed(link.host.name, path, str(exc), path_remedy) from exc
            if link.is_alive():
                raise TransferFailed(link.host.name, path, str(exc) or repr(exc), remedy) from exc
            if is_last:
                raise link.lost(f"the copying of {path} broke off: {exc}") from exc
    raise AssertionError("the last attempt returns or raises")


def unpack(archive: _Readable) -> Received:
    """Return the regular files of a tar archive by relative path; others are left out.

    Raises
    ------
    tarfile.TarError
        The archive is damaged.
    OSError
        A name is invalid or comes twice, a file is too large, or there are too many.
    """
    files = Received()
    opening = partial(tarfile.open, mode="r|", bufsize=CHUNK_BYTES, tarinfo=Member)
    try:
        with opening(fileobj=archive) as opened:
            for member in members(opened, MOST_FILES):
                if not is_plain(member):
                    continue
                name = plain_path(member.name)
                if name in files:
                    raise OSError(f"it sent a file of a name that cannot be: {name!r} came before")
                content = opened.extractfile(member)
                assert content is not None  # it is a file
                files.write(name, iter(partial(content.read, CHUNK_BYTES), b""))
    except (ValueError, OverflowError, RecursionError) as exc:  # numbers, names of names of names
        raise tarfile.ReadError(f"it has a header that cannot be: {exc}") from exc
    return files


class _Incoming:
    """What comes through a channel, up to a limit."""

    def __init__(self, channel: paramiko.Channel) -> None:
        self._channel = channel
        self._left_bytes = LARGEST_TREE_BYTES

    def read(self, size: int, /) -> bytes:
        chunk = self._channel.recv(size)
        self._left_bytes -= len(chunk)
        if self._left_bytes < 0:
            raise OSError(f"it sent more than {LARGEST_TREE_BYTES} bytes")
        return chunk


def _receive(link: Link, remote: str, timeout_s: float) -> Received:
    command = f"LC_ALL=C exec tar -cf - -C {shlex.quote(remote)} ."
    with limited(link.channel("tar", timeout_s), timeout_s) as channel:
        channel.exec_command(bounded(command, timeout_s))
        incoming = _Incoming(channel)
        files, damage = Received(), ""
        try:
            files = unpack(incoming)
        except tarfile.TarError as exc:
            damage = str(exc)
        while incoming.read(CHUNK_BYTES):  # what pads the archive
            pass
        said = channel.recv_stderr(_STDERR_BYTES).decode(errors="replace").strip()
        status = channel.recv_exit_status()
    if status == _NOT_ENDED:
        raise EOFError("the connection was closed")
    if status not in (0, _CHANGED):
        raise FileNotFoundError(said or f"tar ended with status {status}")
    if damage:
        raise OSError(f"what it sent is no whole archive: {damage}")
    return files


@contextlib.contextmanager
def _sftp(link: Link, timeout_s: float) -> Iterator[paramiko.SFTPClient]:
    with limited(link.channel("sftp", timeout_s), timeout_s) as channel:
        channel.invoke_subsystem("sftp")
        with paramiko.SFTPClient(channel) as client:
            yield client
