"""What runs beside an experiment: dool (system load) and ping (network round-trip time)."""

from __future__ import annotations

import shlex


def dool_command(program: str, *, output: str = "dool.csv") -> str:
    """Return the command that writes one CSV row a second: CPU, disk, network, system, memory."""
    selection = "--epoch --cpu --disk --net --sys --mem --bytes --nocolor"
    return f"{program} {selection} --output {shlex.quote(output)} 1"


def ping_command(address: str, *, interval_s: float = 1.0, count: int | None = None) -> str:
    """Return the command that pings `address` with time stamps, `count` times or until stopped."""
    limit = f" -c {count}" if count else ""
    return f"env LC_ALL=C ping -D -n -i {interval_s:g}{limit} {shlex.quote(address)}"
