"""Copying files by SFTP over a link: whole or not at all, in bounded time."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Callable, Iterator

import paramiko

from remote.errors import DISK_REMEDY
from remote.hosts.ssh.bounded import limited
from remote.hosts.ssh.copies.transfer import transferred
from remote.hosts.ssh.link import BROKEN, Link

# What paramiko raises at bytes that are no answer of SFTP.
_MALFORMED = (paramiko.SFTPError, struct.error, ValueError, IndexError)
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

    def attempt(left_s: float) -> None:
        try:
            with _client(link, left_s) as client:
                transfer(client)
        except _MALFORMED as exc:
            raise paramiko.SSHException(f"its SFTP answers what cannot be: {exc}") from exc

    transferred(link, attempt, remote, timeout_s, remedy=DISK_REMEDY, path_remedy=_PATH_REMEDY)


@contextlib.contextmanager
def _client(link: Link, timeout_s: float) -> Iterator[paramiko.SFTPClient]:
    with limited(link.channel("sftp", timeout_s), timeout_s) as channel:
        channel.invoke_subsystem("sftp")
        with paramiko.SFTPClient(channel) as client:
            yield client
