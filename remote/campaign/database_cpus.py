"""The CPUs that the local lab's databases may use: each run has as many as it asks for."""

from __future__ import annotations

from collections.abc import Iterable

from records.documents import parse
from remote.campaign.dilation import is_local_lab
from remote.errors import ConfigError
from remote.experiment.run import Run
from remote.experiment.section import Section
from remote.hosts.group import Fleet
from remote.hosts.inventory import Inventory
from remote.providers.local_lab import LocalLab
from remote.providers.local_lab.topology import RoleTable, Topology

ROLE, SETTING = "databases", "database_cpus"


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
        """Bring the lab to what a run asks for: so many CPUs, or those that it has by itself.

        Raises
        ------
        LabError
            There is no lab, or a command failed.
        """
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

    Raises
    ------
    ConfigError
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
