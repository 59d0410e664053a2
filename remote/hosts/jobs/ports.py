"""Which ports of a host something listens on."""

from __future__ import annotations

import re

from remote.errors import PortInUse
from remote.hosts.connection import Connection
from remote.hosts.inventory import Host

_LOOPBACK_PREFIX = "127."


def require_free_ports(connection: Connection, *ports: int) -> None:
    """Check that nothing listens on any of these `ports` of the host."""
    taken = listening_on(connection.host, *ports)
    for port, owner in connection.run(f"ss -Hltnp '{taken}'").read(_listeners):
        raise PortInUse(connection.host.name, port, owner)


def _listeners(text: str) -> list[tuple[int, str]]:
    found = []
    for line in text.splitlines():
        port = int(line.split()[3].rsplit(":", 1)[1])
        owner = re.search(r'users:\(\("([^"]+)",pid=(\d+)', line)
        found.append((port, f"`{owner[1]}` (pid {owner[2]})" if owner else ""))
    return found


def listening_on(host: Host, *ports: int) -> str:
    """Return the filter of ss(8) for listeners on ports of the host, or of its loopback address."""
    of_ports = " or ".join(f"sport = :{port}" for port in ports)
    if not host.data_address.startswith(_LOOPBACK_PREFIX):
        return of_ports
    everyone = "src 0.0.0.0 or src [::]"
    return f"( {of_ports} ) and ( src {host.data_address} or {everyone} )"
