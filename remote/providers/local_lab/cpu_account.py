"""What the kernel's control groups say of the CPU time that a host of the lab has used."""

from __future__ import annotations

_NS_PER_S = 1e9
_US_PER_S = 1e6


def parse_cpu_seconds(text: str) -> float:
    """Read CPU seconds, user and kernel time together, from a control group's file.

    Version 1 of control groups has them in `cpuacct.usage`, in nanoseconds::

        5832047182

    Version 2 in `cpu.stat`, in microseconds::

        usage_usec 5832047
        user_usec 1902731
        system_usec 3929316

    Raises
    ------
    ValueError
        It is neither of the two.
    """
    words = text.split()
    if len(words) == 1:
        return int(words[0]) / _NS_PER_S
    fields = dict(zip(words[::2], words[1::2], strict=False))
    if "usage_usec" not in fields:
        raise ValueError(f"neither cpuacct.usage nor cpu.stat of a control group: {text[:60]!r}")
    return int(fields["usage_usec"]) / _US_PER_S
