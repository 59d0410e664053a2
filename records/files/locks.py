"""One process at a time: a file or folder that stays is locked, and nothing is left behind."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import struct
import time
from collections.abc import Iterator
from pathlib import Path

_PAUSE_S = 0.05
# struct flock: type, whence, start, length (0: the whole file), pid (0 for this kind of lock).
_FLOCK = "hhqqi0q"


@contextlib.contextmanager
def locked(
    path: Path, *, timeout_s: float = math.inf, busy: Exception | None = None
) -> Iterator[None]:
    """Hold an existing file or folder against other processes that do the same.

    Files are locked as fcntl(2) does, for which NFS asks its server: then the processes of all
    machines that share the disk are kept out. The lock is the open file's, so that the process may
    open and close the file meanwhile, and it ends with the process. Folders, files that may not be
    written and systems other than Linux have the locks of flock(2), which are those of one machine.

    Parameters
    ----------
    timeout_s
        How long others are waited for.
    busy
        Raised when another process has held it all that time; a TimeoutError if it is not given.
    """
    deadline_s = time.monotonic() + timeout_s
    with _opened(path) as descriptor:
        while not _try_lock(descriptor, as_file=_is_locked_as_file(path)):
            if time.monotonic() > deadline_s:
                raise busy or TimeoutError(f"another process holds {path}")
            time.sleep(_PAUSE_S)
        yield


def is_locked(path: Path) -> bool:
    """Tell whether a living process holds `path` by `locked`; looking takes no time."""
    if not path.exists():
        return False
    with _opened(path) as descriptor:
        if _is_locked_as_file(path):
            asked = fcntl.fcntl(descriptor, fcntl.F_OFD_GETLK, _whole(fcntl.F_WRLCK))
            return bool(struct.unpack(_FLOCK, asked)[0] != fcntl.F_UNLCK)
        return not _try_flock(descriptor, fcntl.LOCK_SH)


def _is_locked_as_file(path: Path) -> bool:
    return hasattr(fcntl, "F_OFD_SETLK") and path.is_file() and os.access(path, os.W_OK)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[int]:
    writes = path.is_file() and os.access(path, os.W_OK)
    descriptor = os.open(path, os.O_RDWR if writes else os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int, *, as_file: bool) -> bool:
    if not as_file:
        return _try_flock(descriptor, fcntl.LOCK_EX)
    try:
        fcntl.fcntl(descriptor, fcntl.F_OFD_SETLK, _whole(fcntl.F_WRLCK))
    except (BlockingIOError, PermissionError):  # either may be told of a lock that others have
        return False
    return True


def _try_flock(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _whole(kind: int) -> bytes:
    """Return what asks for a lock of this kind on all of a file."""
    return struct.pack(_FLOCK, kind, os.SEEK_SET, 0, 0, 0)
