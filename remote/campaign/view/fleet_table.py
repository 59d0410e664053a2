"""The hosts of a fleet and what they lack, for a notebook; no lab, no question."""

from __future__ import annotations

import pandas as pd

from remote.campaign import NO_FLEET
from remote.hosts.group import Fleet
from remote.hosts.inventory import Inventory
from remote.hosts.provision import hosts_table
from remote.hosts.provision.table import COLUMNS
from remote.providers.fleets import LOCAL, inventory_path


def fleet_table(fleet: str) -> pd.DataFrame:
    """Look at every host of a fleet (`remote.hosts.provision.hosts_table`).

    On ``none``, and on ``local`` while the lab is down, no host is asked, and the table is empty.
    """
    if fleet == NO_FLEET or (fleet == LOCAL and not inventory_path(fleet).exists()):
        return pd.DataFrame(columns=list(COLUMNS))
    with Fleet(Inventory.read(inventory_path(fleet))) as opened:
        return hosts_table(opened)


def hosts_at_a_glance(table: pd.DataFrame) -> pd.DataFrame:
    """Reduce `fleet_table` to one row per host.

    Returns
    -------
    `host`, `role`, `state`, `present` (tools in a version that will do), `lacks` (needed ones).
    """
    rows = [
        {
            "host": host,
            "role": own["role"].iloc[0],
            "state": own["state"].iloc[0],
            "present": ", ".join(own.loc[own["present"].astype(bool), "tool"]),
            "lacks": ", ".join(
                own.loc[own["needed"].astype(bool) & ~own["present"].astype(bool), "tool"]
            ),
        }
        for host, own in table.groupby("host", sort=False)
    ]
    return pd.DataFrame(rows, columns=["host", "role", "state", "present", "lacks"])
