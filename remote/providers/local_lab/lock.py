"""One process at a time changes the lab."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from analysis.locks import locked
from remote.errors import LabError

_TIMEOUT_S = 60.0


def alone(directory: Path) -> AbstractContextManager[None]:
    """Let one process at a time change the lab; LabError if another one takes too long.

    Parameters
    ----------
    directory : is made if it is not there, and stays.
    """
    directory.mkdir(parents=True, exist_ok=True)
    busy = LabError(
        "another process is bringing the lab up or down", "Wait for it, or end it, and try again"
    )
    return locked(directory, timeout_s=_TIMEOUT_S, busy=busy)
