"""One process at a time measures: on a fleet, and on each of its hosts, wherever it runs."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from records.files.locks import locked
from records.fleets import ONE_MACHINE
from remote.errors import ConfigError
from remote.hosts.group import Fleet
from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Host, Inventory
from remote.hosts.jobs import clear_jobs
from remote.hosts.lease import Leases, leased
from remote.processors import keep_awake

_LOOKING_S = 0.5  # for which another process may have the lock only to look who holds it


@contextlib.contextmanager
def sole_controller(inventory: Inventory, hosts: Sequence[Host], purpose: str) -> Iterator[Leases]:
    """Open a fleet, keep others off it, and this machine awake if it is the fleet's.

    A host has one controller: two would end each other's jobs and measure each other's load. Jobs
    that an earlier one left are ended, also on other hosts of the fleet that answer and are free.

    Parameters
    ----------
    hosts : where measurements take place.
    purpose : shown to others who want the same hosts meanwhile.
    """
    awake = keep_awake() if inventory.fleet in ONE_MACHINE else contextlib.nullcontext()
    with (
        exclusive(_lock_of(inventory), "measures on this fleet"),
        awake,
        Fleet(inventory) as fleet,
        leased(fleet, hosts, purpose) as leases,
    ):
        fleet.for_each(hosts, clear_jobs)
        fleet.try_each(clear_jobs, leases.take_free(set(inventory.hosts) - set(hosts)))
        try:
            yield leases
        finally:
            fleet.try_each(clear_jobs, leases.renew_all())


@contextlib.contextmanager
def exclusive(path: Path, what: str) -> Iterator[None]:
    """Hold `path` against other processes."""
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(locked(path, timeout_s=_LOOKING_S))
        except TimeoutError as exc:
            message = f"another process{_told(path)} {what}: wait for it or end it"
            raise ConfigError(path, message) from exc
        yield


def _lock_of(inventory: Inventory) -> Path:
    """Return what stands for a fleet: the lab's folder, as its inventory is written anew."""
    is_local_lab = inventory.path == LOCAL_LAB_INVENTORY
    return inventory.path.parent if is_local_lab else inventory.path


def _told(lock: Path) -> str:
    """Return which process has a lock, as far as the file tells."""
    try:
        holder = json.loads(lock.read_text())
        return f" ({holder['pid']} on {holder['host']}, since {holder['since']})"
    except (OSError, ValueError, TypeError, KeyError):
        return ""
