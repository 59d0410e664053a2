"""Which way packets to an address would go; nothing is sent to find out."""

from __future__ import annotations

import json

from remote.errors import LabError
from remote.programs import run


def route_leaves_by(address: str, device: str) -> bool:
    """Tell whether packets to `address` leave this machine by `device`.

    An address of the lab must never be sent to by the default route when the lab is down.

    Parameters
    ----------
    address : IPv4 address.
    device : name of a network device of this machine; it need not exist.

    Returns
    -------
    False also if there is no route to the address at all.
    """
    try:
        routes = json.loads(run(["ip", "-json", "route", "get", address]))
    except LabError:
        return False
    return any(route.get("dev") == device for route in routes)
