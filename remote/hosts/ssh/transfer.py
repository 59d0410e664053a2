"""One transfer of files over a link: in bounded time, once more if the link was broken."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from remote.errors import TransferFailed
from remote.hosts.ssh.link import BROKEN, Link

T = TypeVar("T")


def transferred(
    link: Link,
    attempt: Callable[[float], T],
    path: str,
    timeout_s: float,
    *,
    remedy: str = "",
    path_remedy: str = "",
) -> T:
    """Make an `attempt`, which may be repeated: is, once, on a new connection if this one broke.

    Parameters
    ----------
    attempt : gets the seconds that are left.
    path : what errors name.
    remedy, path_remedy : what users can do about a failure, and about a path that cannot be used.

    Raises
    ------
    TransferFailed
    HostGone
        The link is broken.
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
