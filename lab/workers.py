"""The command of `lab` about Dask clusters."""

from __future__ import annotations

import signal
import sys

import click

from lab.say import say
from remote.hosts.cluster import cluster
from remote.hosts.inventory import Inventory
from remote.providers.fleets import inventory_path


@click.argument("fleet")
@click.option(
    "--python",
    default=sys.executable,
    help="Python on the hosts, with this project.  [default: the path of this one]",
)
@click.option("--allow-public", is_flag=True, help="Listen on addresses that the Internet routes.")
def workers(fleet: str, python: str, allow_public: bool) -> None:
    """Have a Dask cluster on the hosts of FLEET until Ctrl-C; prints how it is used.

    Nobody should measure on them meanwhile: workers take all processors.
    """
    inventory = Inventory.read(inventory_path(fleet))
    with cluster(inventory, python, allow_public=allow_public) as address:
        say(f"export MWLAB_SCHEDULER={address}")
        say(f"{len(inventory.hosts)} workers are ready; Ctrl-C ends them.", err=True)
        signal.pause()
