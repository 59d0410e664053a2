"""Waiting until something is so, for a while."""

from __future__ import annotations

from collections.abc import Callable

from tenacity import Retrying, retry_if_result, stop_after_delay, wait_fixed

PAUSE_S = 0.02


def until(is_so: Callable[[], bool], timeout_s: float) -> bool:
    """Ask `is_so`, at once and again every 20 ms; tell whether it has become true in time."""
    asking = Retrying(
        retry=retry_if_result(lambda so: not so),
        stop=stop_after_delay(timeout_s),
        wait=wait_fixed(PAUSE_S),
        retry_error_callback=lambda _: False,
    )
    return bool(asking(is_so))
