"""The processors of this machine: kept from sleeping while measured, and who runs on which."""

from __future__ import annotations

import contextlib
import math
import os
import struct
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

LATENCY = Path("/dev/cpu_dma_latency")
_DRIVER = Path("/sys/devices/system/cpu/cpuidle/current_driver")
_MICROSECONDS = struct.Struct("i")
_MOVES = 10  # times that threads are looked for which others have started meanwhile


@contextlib.contextmanager
def keep_awake() -> Iterator[None]:
    """Let idle processors poll for work inside the block, where this user may ask for it.

    Waking a sleeping processor costs a request tens of microseconds in a virtual machine, depending
    on how idle the other processors are. The kernel forgets the setting with this process
    (Documentation/power/pm_qos_interface.rst of Linux).
    """
    with contextlib.ExitStack() as kept:
        with contextlib.suppress(OSError):
            device = kept.enter_context(LATENCY.open("wb", buffering=0))
            device.write(_MICROSECONDS.pack(0))
        yield


def wake_up_bound_us() -> int | None:
    """Return how long idle processors may take to wake up; 0 if they poll, None if unknown."""
    try:
        if _DRIVER.read_text().strip() in ("", "none"):
            return None
        (bound_us,) = _MICROSECONDS.unpack(LATENCY.read_bytes())
    except (OSError, struct.error):
        return None
    return int(bound_us)


def split_processors(num_cpus: float, processors: Collection[int]) -> tuple[list[int], list[int]]:
    """Divide processors between programs that need their own and all others (pure).

    At most half go to the former, which use `num_cpus` at most. Where that leaves them none, both
    get all.
    """
    known = sorted(processors)
    count = min(math.ceil(num_cpus), len(known) // 2)
    return (known[:count], known[count:]) if count else (known, known)


def pinned_command(processors: Sequence[int], command: Sequence[str]) -> list[str]:
    """Return a command that becomes `command`, kept on `processors` with all that it starts."""
    return ["taskset", "--cpu-list", ",".join(map(str, processors)), *command]


def move(threads: Callable[[], Iterable[int]], processors: Collection[int]) -> None:
    """Let `threads()`, and those that they start meanwhile, run on these processors only."""
    wanted = set(processors)

    def is_elsewhere(thread: int) -> bool:
        try:
            if os.sched_getaffinity(thread) == wanted:
                return False
            os.sched_setaffinity(thread, wanted)
        except ProcessLookupError:  # it has ended
            return False
        return True

    for _ in range(_MOVES):
        if not any([is_elsewhere(thread) for thread in threads()]):
            return
