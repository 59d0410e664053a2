"""Addresses that anyone can reach, where memcached and middleware would ask nobody who he is."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterable
from pathlib import Path

from remote.errors import ConfigError
from remote.hosts.host import Host


def require_private(hosts: Iterable[Host], where: Path) -> None:
    """Refuse hosts that would listen on addresses which the Internet routes."""
    public = [f"{host.name} on {host.data_address}" for host in hosts if is_public(host)]
    if public:
        raise ConfigError(
            where,
            f"{', '.join(public)} would listen where the whole Internet can ask, and is answered "
            "without a password. Give private addresses as mwlab_data_address; if a firewall of "
            "yours keeps others out, add --allow-public",
        )


def is_public(host: Host) -> bool:
    """Whether a host's data address is routed globally, or stands for all addresses of the host."""
    try:
        found = socket.getaddrinfo(host.data_address, None)
    except (OSError, UnicodeError):  # a name that only the hosts know, or that none can have
        return False
    addresses = {str(one[4][0]).partition("%")[0] for one in found}
    return any(_is_open(ipaddress.ip_address(address)) for address in addresses)


def _is_open(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> bool:
    """Whether an address is global or unspecified, also an IPv4 address written as IPv6."""
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    known = mapped or address
    return known.is_global or known.is_unspecified
