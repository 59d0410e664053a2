"""The processors of this machine, kept from sleeping while they are measured."""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterator
from pathlib import Path

LATENCY = Path("/dev/cpu_dma_latency")
_DRIVER = Path("/sys/devices/system/cpu/cpuidle/current_driver")
_MICROSECONDS = struct.Struct("i")


@contextlib.contextmanager
def kept_awake() -> Iterator[None]:
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
