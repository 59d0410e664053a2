"""Which ports of a host something listens on."""

from __future__ import annotations

import re

from remote.errors import PortInUse
from remote.hosts.connection import Connection
from remote.hosts.inventory import Host

_LOOPBACK_PREFIX = "127."


def require_free_port(connection: Connection, port: int) -> None:
    """Check that nothing listens on `port` of the host.

    Raises
    ------
    PortInUse
        Something does; names the process as far as the host tells.
    """
    taken = listening_on(connection.host, port)
    listing = connection.run(f"ss -Hltnp '{taken}'").stdout.strip()
    if listing:
        owner = re.search(r'users:\(\("([^"]+)",pid=(\d+)', listing)
        text = f"`{owner[1]}` (pid {owner[2]})" if owner else ""
        raise PortInUse(connection.host.name, port, text)


def listening_on(host: Host, port: int) -> str:
    """Return the filter of ss(8) for what listens on `port` of the host.

    Hosts of the loopback fleet share one machine and differ in their address only.
    """
    if not host.data_address.startswith(_LOOPBACK_PREFIX):
        return f"sport = :{port}"
    everyone = "src 0.0.0.0 or src [::]"
    return f"sport = :{port} and ( src {host.data_address} or {everyone} )"
