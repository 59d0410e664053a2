"""One process at a time changes the lab."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from remote.errors import LabError

_TIMEOUT_S = 60.0


@contextlib.contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Let one process at a time change the lab; a directory that stays is locked, no file is left.

    Raises
    ------
    LabError
        Another process kept the lock too long.
    """
    handle = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        deadline = time.monotonic() + _TIMEOUT_S
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise LabError(
                        "another process is bringing the lab up or down",
                        "Wait for it, or end it, and try again",
                    ) from None
            time.sleep(0.1)
        yield
    finally:
        os.close(handle)
