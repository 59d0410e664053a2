"""The local lab brought to what a run asks for: its time dilation, and its databases' CPUs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator

from records.documents import parse
from records.section import MAX_DILATION, MIN_DILATION
from remote.errors import ConfigError
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.hosts.group import Fleet
from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Inventory
from remote.providers.local_lab import LocalLab
from remote.providers.local_lab.topology import RoleTable, Topology

ROLE, SETTING = "databases", "database_cpus"


def time_dilations(
    sections: Iterable[Section], inventory: Inventory, asked: float | None
) -> dict[str, float | None]:
    """Return section name to the k that it is measured with, None to choose one for each cell.

    On the local lab that is what was asked for, else what the section file says. Other hosts have
    the k of their inventory, 1 unless somebody slowed them. ConfigError if another k is asked of
    hosts that cannot be slowed down, or a k that no lab can have.
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

    All hosts of a lab that is slowed down use all processors meanwhile: what is done here, such as
    the compilation of JVMs, is not measured.
    """
    time_dilation = fleet.inventory.time_dilation
    if is_local_lab(fleet.inventory):
        dilate(fleet, 1.0, mixed=True)
    try:
        yield
    finally:
        dilate(fleet, time_dilation)


class DatabaseCpus:
    """Gives runs what they ask for; as a context manager it puts back what was there before."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self._before: RoleTable | None = None

    def __enter__(self) -> DatabaseCpus:
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            self._reshape(self._before)

    def give(self, run: Run) -> None:
        """Bring the lab to what a run asks for: so many CPUs, or those that it has by itself."""
        if run.section.kind != "load":
            return
        wanted = run.section.settings(run.config).database_cpus
        if wanted is None and self._before is None:
            return
        table = LocalLab().running().databases
        assert table is not None  # `require_changeable`
        self._before = self._before or table
        changed = self._before if wanted is None else with_cpus(table, wanted)
        if changed != table:
            self._reshape(changed)

    def _reshape(self, table: RoleTable) -> None:
        running = LocalLab().running()
        LocalLab().reshape(
            Topology.from_dict({**running.to_dict(), ROLE: table.model_dump(exclude_none=True)})
        )
        self._fleet.inventory = Inventory.read(self._fleet.inventory.path)


def with_cpus(table: RoleTable, num_cpus: float) -> RoleTable:
    """Return hosts of which each may use so many CPUs, and is what it was otherwise: pure."""
    fields = table.model_dump(exclude_none=True)
    for own in fields.get("own", {}).values():
        own.pop("cpu_quota", None)
    return parse(RoleTable, {**fields, "cpu_quota": num_cpus})


def require_changeable(sections: Iterable[Section], inventory: Inventory) -> None:
    """Refuse sections that ask for CPUs of databases where they cannot be given.

    Only the local lab can give them, and only to databases that have a limit.
    """
    asking = [s.name for s in sections if SETTING in s.constants or _varies(s)]
    limited = all(host.cpu_quota is not None for host in inventory.role(ROLE))
    if asking and not (is_local_lab(inventory) and limited):
        raise ConfigError(
            inventory.path,
            f"section {asking[0]} has {SETTING}, which only databases of the local lab with a "
            "cpu_quota can be given: `lab up --topology queue`",
        )


def _varies(section: Section) -> bool:
    return SETTING in section.factors or any(
        SETTING in following
        for by_level in section.follows.values()
        for following in by_level.values()
    )
