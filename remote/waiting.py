"""Waiting until a condition holds, for a limited time."""

from __future__ import annotations

import time
from collections.abc import Callable

PAUSE_S = 0.02


def until(is_so: Callable[[], bool], timeout_s: float) -> bool:
    """Ask `is_so` at once and again every 20 ms; return whether it became true in time."""
    deadline_s = time.monotonic() + timeout_s
    while not is_so():
        if time.monotonic() >= deadline_s:
            return False
        time.sleep(PAUSE_S)
    return True
