"""The commands of `lab` about fleets: which one this machine can have, what its hosts lack."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

import click
from tabulate import tabulate

from lab.say import say
from records.paths import DATA
from remote.campaign.record import Record
from remote.hosts.group import Fleet
from remote.hosts.inventory import Inventory
from remote.hosts.provision import hosts_table, is_ready
from remote.hosts.provision.ansible import run_playbook
from remote.providers.fleets import (
    LOCAL,
    LOOPBACK,
    find_lab,
    inventory_path,
    why_not_local,
)
from remote.providers.local_lab import LocalLab
from remote.providers.local_lab.rootless.holder import WITHOUT_ROOT, is_rootless
from remote.providers.local_lab.topology import DEFAULT_TOPOLOGY

_WIDEST = 32  # characters of what hosts say of themselves, for terminals of 100


@click.argument("fleet")
@click.option("--all", "show_all", is_flag=True, help="Also show what is in order.")
def hosts(fleet: str, show_all: bool) -> None:
    """Show what the hosts of FLEET have of what they need; exit status 1 if anything is missing.

    FLEET is `local`, `loopback`, `vm`, or the path of an inventory.
    """
    with Fleet(Inventory.read(inventory_path(fleet))) as opened:
        table = hosts_table(opened)
    ready = is_ready(table)
    lacking = table[(table["remedy"] != "") | (table["state"] != "up")]
    shown = table if show_all else lacking
    if not shown.empty:
        columns = ["host", "role", "state", "tool", "version"]
        widths = [None, None, _WIDEST, None, _WIDEST]
        rows = shown[columns].to_numpy().tolist()
        say(tabulate(rows, headers=columns, maxcolwidths=widths))
    if remedies := dict.fromkeys(filter(None, table["remedy"])):
        told = f"What mends that, each line by itself, or `lab provision {fleet}` for all:"
        say("\n".join(["", told, *remedies]))
    names = table["host"].nunique()
    if ready:
        but = "" if lacking.empty else ", but for observing middlewares by packets"
        say(f"{names} hosts are up and have all that they need{but}.")
    sys.exit(0 if ready else 1)


@click.argument("fleet")
@click.option("--check", is_flag=True, help="Only tell what would be installed.")
def provision(fleet: str, check: bool) -> None:
    """Install on the hosts of FLEET what they need, with Ansible; repeating it changes nothing."""
    sys.exit(run_playbook(Inventory.read(inventory_path(fleet)), check=check))


@contextlib.contextmanager
def lab_up(fleet: str, topology: str = DEFAULT_TOPOLOGY) -> Iterator[None]:
    """Have a lab on this machine up inside the block; one that was up before is left up.

    Parameters
    ----------
    topology : of the local lab, which must have it if it is up.
    """
    lab = find_lab(fleet, topology)
    if lab is None:
        yield
        return
    if lab.is_running():
        lab.up(progress=say)
        yield
        return
    with lab:
        yield


def calibrate() -> None:
    """Measure what the machine itself takes of a round trip, and take it off the lab's delays.

    `lab up` does so for a lab that it builds. Nothing else should run on the machine meanwhile.
    """
    LocalLab().calibrate(progress=say)


@click.option("--campaign", help="If it is begun, its fleet is printed: it cannot change.")
def fleet(campaign: str | None) -> None:
    """Print the fleet that this machine can have: `local`, or else `loopback`."""
    record = Record.read(DATA / campaign) if campaign else None
    if record is not None:
        say(record.fleet)
        return
    reason = why_not_local()
    if reason:
        say(f"lab: no local lab here: {reason}", err=True)
        say(
            f"lab: taking the fleet `{LOOPBACK}` instead: its links have neither limits nor "
            "delays, so that what it measures is not comparable with the studies.",
            err=True,
        )
    elif is_rootless():
        say(f"lab: {WITHOUT_ROOT}", err=True)
    say(LOOPBACK if reason else LOCAL)
