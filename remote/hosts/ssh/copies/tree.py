"""All files of a host's folder as one stream; what the host sends is not trusted."""

from __future__ import annotations

import shlex
import tarfile
from functools import partial
from typing import Protocol

import paramiko

from analysis.unpacking import Member, is_plain, members
from remote.hosts.ssh.bounded import bounded, limited
from remote.hosts.ssh.copies.received import (
    CHUNK_BYTES,
    LARGEST_TREE_BYTES,
    MOST_FILES,
    Received,
    plain_path,
)
from remote.hosts.ssh.copies.transfer import transferred
from remote.hosts.ssh.link import Link

_STDERR_BYTES = 2000
_CHANGED = 1  # tar's exit status where a file was written to while it was read
_NOT_ENDED = -1  # paramiko's where the channel was closed before the command ended


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def get_tree(link: Link, remote: str, timeout_s: float) -> Received:
    """Return every regular file below the folder `remote`, by relative path.

    Raises
    ------
    TransferFailed
        Also if the host sends too much or too many, or names that are not of files below the
        folder.
    """
    return transferred(link, lambda left_s: _received(link, remote, left_s), remote, timeout_s)


def unpacked(archive: _Readable) -> Received:
    """Return the regular files of a tar archive by relative path; others are left out.

    Raises
    ------
    tarfile.TarError
        It is damaged.
    OSError
        A name cannot be or comes twice, a file is too large, or there are too many.
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


def _received(link: Link, remote: str, timeout_s: float) -> Received:
    """Let the host pack the folder, and unpack what it sends."""
    command = f"LC_ALL=C exec tar -cf - -C {shlex.quote(remote)} ."
    with limited(link.channel("tar", timeout_s), timeout_s) as channel:
        channel.exec_command(bounded(command, timeout_s))
        incoming = _Incoming(channel)
        files, damage = Received(), ""
        try:
            files = unpacked(incoming)
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
