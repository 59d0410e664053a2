"""One process at a time: a file or folder that stays is locked, and nothing is left behind."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import time
from collections.abc import Iterator
from pathlib import Path

_PAUSE_S = 0.05


@contextlib.contextmanager
def locked(
    path: Path, *, timeout_s: float = math.inf, busy: Exception | None = None
) -> Iterator[None]:
    """Hold an existing file or folder against other processes that do the same.

    Locks are those of flock(2), which end with their process. On NFS, only files can be locked.

    Parameters
    ----------
    timeout_s
        How long others are waited for.
    busy
        Raised when another process has held it all that time; a TimeoutError if it is not given.
    """
    deadline_s = time.monotonic() + timeout_s
    with _opened(path) as descriptor:
        while not _try_lock(descriptor, fcntl.LOCK_EX):
            if time.monotonic() > deadline_s:
                raise busy or TimeoutError(f"another process holds {path}")
            time.sleep(_PAUSE_S)
        yield


def is_locked(path: Path) -> bool:
    """Tell whether a living process holds `path` by `locked`; looking takes no time."""
    if not path.exists():
        return False
    with _opened(path) as descriptor:
        return not _try_lock(descriptor, fcntl.LOCK_SH)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    # NFS lets only who may write lock against all others.
    writes = path.is_file() and os.access(path, os.W_OK)
    descriptor = os.open(path, os.O_RDWR if writes else os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
