"""Names of fleets: `local`, `loopback`, `vm`, or the path of an inventory; one word switches."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from records.paths import PROJECT
from remote.errors import ConfigError, LabError
from remote.hosts.inventory import LOCAL_LAB_INVENTORY
from remote.providers.local_lab import LocalLab, Topology, requirements
from remote.providers.local_lab.topology import DEFAULT_TOPOLOGY
from remote.providers.loopback import LoopbackLab
from remote.providers.vm.lab import VmLab

LOCAL, LOOPBACK, VM = "local", "loopback", "vm"
OTHERS: Mapping[str, type[LoopbackLab] | type[VmLab]] = {LOOPBACK: LoopbackLab, VM: VmLab}
"""The fleets of this machine that are no local lab, by name."""


def inventory_path(fleet: str) -> Path:
    """Return the path of a fleet's inventory; a relative one may start at the project's folder."""
    if fleet == LOCAL:
        return LOCAL_LAB_INVENTORY
    if fleet in OTHERS:
        path = OTHERS[fleet]().inventory_path
        if not path.exists():
            raise ConfigError(path, f"the fleet is down: run `lab up --fleet {fleet}` first")
        return path
    path = Path(fleet).expanduser()
    return path if path.exists() else PROJECT / path


def find_lab(fleet: str, topology: str = DEFAULT_TOPOLOGY) -> LocalLab | LoopbackLab | VmLab | None:
    """Return the lab on this machine that `fleet` names, None for the hosts of an inventory."""
    if fleet == LOCAL:
        return LocalLab(Topology.named(topology))
    return OTHERS[fleet]() if fleet in OTHERS else None


def why_not_local() -> str:
    """Return why this machine cannot have the local lab, or nothing if it can."""
    try:
        requirements.check_all()
    except LabError as exc:
        return str(exc)
    reason = requirements.refusal()
    return f"this machine allows no network namespaces: {reason}" if reason else ""
