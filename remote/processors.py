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
    """Let idle processors poll for work while this lasts, if we may ask for it.

    Who wakes a processor that sleeps pays for it, in a virtual machine tens of microseconds: what a
    request costs then depends on how idle the other processors happen to be. The kernel forgets it
    with this process, whatever happens; one without a driver for idle processors takes no notice.

    References
    ----------
    Documentation/power/pm_qos_interface.rst of the Linux kernel.
    """
    with contextlib.ExitStack() as kept:
        with contextlib.suppress(OSError):
            device = kept.enter_context(LATENCY.open("wb", buffering=0))
            device.write(_MICROSECONDS.pack(0))
        yield


def wake_up_bound_us() -> int | None:
    """Return how long idle processors may take to wake up; 0: they poll, None: not known."""
    try:
        if _DRIVER.read_text().strip() in ("", "none"):
            return None
        (bound_us,) = _MICROSECONDS.unpack(LATENCY.read_bytes())
    except (OSError, struct.error):
        return None
    return int(bound_us)


def split_processors(num_cpus: float, processors: Collection[int]) -> tuple[list[int], list[int]]:
    """Choose processors for programs that none other is to run beside: pure.

    Parameters
    ----------
    num_cpus : what those programs use at most; 0 if there are none.
    processors : the numbers of those that may be used.

    Returns
    -------
    Theirs, at most half, and those of all others; all for both where that leaves them none.
    """
    known = sorted(processors)
    count = min(math.ceil(num_cpus), len(known) // 2)
    return (known[:count], known[count:]) if count else (known, known)


def pinned_command(processors: Sequence[int], command: Sequence[str]) -> list[str]:
    """Give a command that becomes `command`, which with all that it starts stays on these."""
    return ["taskset", "--cpu-list", ",".join(map(str, processors)), *command]


def move(threads: Callable[[], Iterable[int]], processors: Collection[int]) -> None:
    """Let threads run on these processors only, and those that they start meanwhile, too.

    Parameters
    ----------
    threads : lists them; asked again until all are there, or have had their chances.
    """
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
