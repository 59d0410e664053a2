"""Hosts that are planned with and never reached."""

from pathlib import Path
from typing import Any

from remote.hosts.host import Host


def host(name: str, role: str, address: str = "198.18.0.1", **more: Any) -> Host:
    """A host whose measured network is the one by which it is reached."""
    return Host(
        name=name,
        role=role,
        address=address,
        data_address=address,
        known_hosts=Path("known_hosts"),
        **more,
    )
