"""Let the lab's hosts use cubic as TCP congestion control, and put the machine's setting back.

A namespace may only choose what the machine's own namespace allows to everyone.
"""

from __future__ import annotations

from pathlib import Path

from remote.errors import LabError
from remote.programs import run

CONGESTION_CONTROL = "cubic"
_AVAILABLE = Path("/proc/sys/net/ipv4/tcp_available_congestion_control")
_ALLOWED = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")


def check_available() -> None:
    """Raise a LabError if the kernel has no cubic."""
    if CONGESTION_CONTROL in _AVAILABLE.read_text().split():
        return
    run(["modprobe", "tcp_cubic"], remedy="The lab needs a kernel with TCP cubic (tcp_cubic)")


def allow(remembered: Path) -> None:
    """Allow cubic in every namespace; what was allowed before is kept in the file `remembered`."""
    allowed = _ALLOWED.read_text()
    if CONGESTION_CONTROL in allowed.split():
        return
    remembered.write_text(allowed)
    try:
        _ALLOWED.write_text(f"{allowed.strip()} {CONGESTION_CONTROL}")
    except OSError as exc:
        raise LabError(
            f"cannot allow TCP {CONGESTION_CONTROL} in {_ALLOWED}: {exc.strerror}",
            "In a container, set it on the machine: "
            f"sysctl -w net.ipv4.tcp_allowed_congestion_control='{allowed.strip()} cubic'",
        ) from exc


def restore(remembered: Path) -> None:
    """Put back what `allow` has changed, if it has changed anything."""
    if remembered.exists() and remembered.read_text() != _ALLOWED.read_text():
        _ALLOWED.write_text(remembered.read_text())
