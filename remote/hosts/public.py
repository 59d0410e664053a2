"""Addresses that anyone can reach, where memcached and middleware would ask nobody who he is."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from pathlib import Path

from remote.errors import ConfigError
from remote.hosts.host import Host


def require_private(hosts: Iterable[Host], where: Path) -> None:
    """Refuse hosts that would listen on addresses which the Internet routes.

    Raises
    ------
    ConfigError
        Names them.
    """
    public = [f"{host.name} on {host.data_address}" for host in hosts if is_public(host)]
    if public:
        raise ConfigError(
            where,
            f"{', '.join(public)} would listen where the whole Internet can ask, and is answered "
            "without a password. Give private addresses as mwlab_data_address; if a firewall of "
            "yours keeps others out, add --allow-public",
        )


def is_public(host: Host) -> bool:
    """Tell whether the data address of a host is routed globally, as far as this machine knows."""
    try:
        found = socket.getaddrinfo(host.data_address, None)
    except OSError:  # a name that only the hosts know
        return False
    addresses = {str(one[4][0]).partition("%")[0] for one in found}
    return any(ipaddress.ip_address(address).is_global for address in addresses)
