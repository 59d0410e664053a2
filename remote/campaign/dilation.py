"""Which time dilation each section is measured with, and the local lab brought to it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from records.section import MAX_DILATION, MIN_DILATION
from remote.errors import ConfigError
from remote.experiment.section import Section
from remote.hosts.group import Fleet
from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Inventory
from remote.providers.local_lab import LocalLab


def time_dilations(
    sections: Iterable[Section], inventory: Inventory, asked: float | None
) -> dict[str, float | None]:
    """Return section name to the k that it is measured with, None to choose one for each cell.

    On the local lab that is what was asked for, else what the section file says. Time passes on
    other hosts as it does: their k is what their inventory says, 1 unless somebody slowed them.

    Raises
    ------
    ConfigError
        Another k is asked of hosts that cannot be slowed down, or a k that no lab can have.
    """
    if asked is not None and not MIN_DILATION <= asked <= MAX_DILATION:
        rule = f"time dilation must be a number {MIN_DILATION:g} to {MAX_DILATION:g}"
        raise ConfigError(inventory.path, f"{rule}, got {asked:g}")
    if is_local_lab(inventory):
        return {s.name: s.time_dilation if asked is None else float(asked) for s in sections}
    if asked is not None and asked != inventory.time_dilation:
        raise ConfigError(
            inventory.path,
            f"time dilation {asked:g} is asked for, but only the links of the local lab can be "
            f"slowed down; that of these hosts is {inventory.time_dilation:g}: leave it out",
        )
    return {section.name: inventory.time_dilation for section in sections}


def is_local_lab(inventory: Inventory) -> bool:
    """Tell whether these are the hosts of the local lab."""
    return inventory.path == LOCAL_LAB_INVENTORY


def dilate(fleet: Fleet, time_dilation: float, *, mixed: bool = False) -> None:
    """Bring the local lab to `time_dilation`, if it is not there; its hosts stay up."""
    if fleet.inventory.time_dilation != time_dilation:
        LocalLab().dilate(time_dilation, mixed=mixed)
        fleet.inventory = Inventory.read(fleet.inventory.path)


@contextlib.contextmanager
def undilated(fleet: Fleet) -> Iterator[None]:
    """Let the local lab's links be as fast as they are meanwhile; those of other hosts stay.

    Of a lab that is slowed down all hosts use all processors so long: what is done here, such as
    JVMs that compile, is to be done soon, and is not measured.
    """
    time_dilation = fleet.inventory.time_dilation
    if is_local_lab(fleet.inventory):
        dilate(fleet, 1.0, mixed=True)
    try:
        yield
    finally:
        dilate(fleet, time_dilation)
