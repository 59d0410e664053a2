"""All files of a host's folder as one stream; what the host sends is not trusted."""

from __future__ import annotations

import io
import shlex
import tarfile
import threading
from pathlib import PurePosixPath

from remote.hosts.ssh.bounded import bounded
from remote.hosts.ssh.link import Link
from remote.hosts.ssh.transfer import transferred

LARGEST_TREE_BYTES = 1 << 30
_CHUNK_BYTES = 1 << 18
_STDERR_BYTES = 2000
_CHANGED = 1  # tar's exit status where a file was written to while it was read
_NOT_ENDED = -1  # paramiko's where the channel was closed before the command ended


def get_tree(link: Link, remote: str, timeout_s: float) -> dict[str, bytes]:
    """Return the content of every regular file below the folder `remote`, by relative path.

    Raises
    ------
    TransferFailed
        Also if the host sends too much, or names that are not of files below the folder.
    """
    archive = transferred(link, lambda left_s: _archive(link, remote, left_s), remote, timeout_s)
    return transferred(link, lambda _: unpacked(archive), remote, timeout_s)


def unpacked(archive: bytes) -> dict[str, bytes]:
    """Return the regular files of a tar archive by relative path; others are left out (pure).

    Raises
    ------
    OSError
        It is damaged, or a name is absolute, leads out of the folder, or comes twice.
    """
    files: dict[str, bytes] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as opened:
            for member in opened:
                if not member.isfile() or member.issparse():  # a hole may be of any size
                    continue
                path = PurePosixPath(member.name)
                name = str(path)
                if path.is_absolute() or ".." in path.parts or "\0" in name or name in files:
                    raise OSError(f"it sent a file of a name that cannot be: {member.name!r}")
                content = opened.extractfile(member)
                files[name] = content.read() if content is not None else b""
    except tarfile.TarError as exc:
        raise OSError(f"what it sent is no whole archive: {exc}") from exc
    return files


def _archive(link: Link, remote: str, timeout_s: float) -> bytes:
    """Let the host pack the folder, and return what it sends."""
    command = f"LC_ALL=C exec tar -cf - -C {shlex.quote(remote)} ."
    channel = link.channel("tar", timeout_s)
    watchdog = threading.Timer(timeout_s, channel.close)  # paramiko waits without bound inside
    watchdog.start()
    try:
        channel.exec_command(bounded(command, timeout_s))
        received = bytearray()
        while chunk := channel.recv(_CHUNK_BYTES):
            received += chunk
            if len(received) > LARGEST_TREE_BYTES:
                raise OSError(f"it sent more than {LARGEST_TREE_BYTES} bytes")
        said = channel.recv_stderr(_STDERR_BYTES).decode(errors="replace").strip()
        status = channel.recv_exit_status()
    finally:
        watchdog.cancel()
        channel.close()
    if status == _NOT_ENDED:
        raise EOFError("the connection was closed")
    if status not in (0, _CHANGED):
        raise FileNotFoundError(said or f"tar ended with status {status}")
    return bytes(received)
