"""Which hosts there are and what part each plays: Ansible's YAML inventory, read and checked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from records.section import ROLES
from remote.errors import ConfigError
from remote.hosts.ansible_inventory import UNGROUPED, AnsibleInventory
from remote.hosts.ansible_variables import DELAYS, FLEET_VARIABLES, HostVariables
from remote.hosts.host import Host
from remote.hosts.inventory_entries import make_hosts

__all__ = ["LOCAL_LAB_INVENTORY", "Host", "Inventory"]

"""Name of its fleet, the only one whose links and delays are all that it is made to have."""

_USER_LAB = ".cache/middleware-lab/local"  # in the home, which stays when its user logs out


def _lab_folder() -> Path:
    if os.geteuid() == 0:
        return Path("/run/middleware-lab")
    return Path(os.environ.get("HOME", "/"), _USER_LAB)


LOCAL_LAB_INVENTORY = _lab_folder() / "inventory.yml"
"""Where `lab up` writes the inventory of the local lab."""


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """The hosts of one fleet by role, and facts about the fleet as a whole.

    Parameters
    ----------
    time_dilation : how many times slower than its model the network is; rates and delays of the
        inventory are those of the model, undilated.
    rtt_ms : round trip that a client shall see, undilated; None where it is not emulated.
    wake_up_ms : part of a round trip that the machine's own wake-ups take, in ms of the clock, as
        `lab calibrate` has measured it; None where it was not measured.
    delay : what delays packets: ``none``, ``netem`` or ``delay-line``.
    own_processors : roles whose hosts have processors of one machine for themselves, if any.
    """

    path: Path
    hosts: tuple[Host, ...]
    fleet: str
    topology: str
    time_dilation: float = 1.0
    rtt_ms: float | None = None
    wake_up_ms: float | None = None
    delay: str = "none"
    own_processors: str = ""

    @classmethod
    def read(cls, path: Path) -> Inventory:
        """Read an inventory in Ansible's YAML format; ssh_config is honoured as ssh does."""
        _require_file(path)
        source = AnsibleInventory(path)
        variables = {
            name: HostVariables(path, name, source.variables(name), path == LOCAL_LAB_INVENTORY)
            for name in source.hosts
        }
        for own in variables.values():
            own.refuse_wrong()
        roles = _roles(source)
        hosts = make_hosts(variables, roles)
        _refuse_shared(path, hosts)
        common = _fleet_variables(path, [variables[name] for name, _ in roles])
        delay = common.text("mwlab_delay") or "none"
        if delay not in DELAYS:
            raise ConfigError(
                path, f"mwlab_delay must be one of {', '.join(DELAYS)}, got {delay!r}"
            )
        return cls(
            path=path,
            hosts=hosts,
            fleet=common.text("mwlab_fleet") or path.stem,
            topology=common.text("mwlab_topology") or "unknown",
            time_dilation=common.number("mwlab_time_dilation") or 1.0,
            rtt_ms=common.number("mwlab_rtt_ms"),
            wake_up_ms=common.number("mwlab_wake_up_ms", may_be_zero=True),
            delay=delay,
            own_processors=common.text("mwlab_own_processors") or "",
        )

    @property
    def calibration(self) -> dict[str, float] | None:
        """How delays make up for the machine's wake-ups, for manifests; None if they do not.

        ``rtt_ms`` is undilated; ``line_rtt_ms``, by which packets are delayed, and ``wake_up_ms``
        are in ms of the clock.
        """
        if self.wake_up_ms is None or not self.rtt_ms:
            return None
        line_rtt_ms = delayed_rtt_ms(self.rtt_ms, self.time_dilation, self.wake_up_ms)
        return {
            "rtt_ms": self.rtt_ms,
            "line_rtt_ms": round(line_rtt_ms, 4),
            "wake_up_ms": self.wake_up_ms,
        }

    def role(self, role: str) -> tuple[Host, ...]:
        """Return the hosts of `role` in the inventory's order."""
        return tuple(h for h in self.hosts if h.role == role)

    def take(self, role: str, count: int) -> tuple[Host, ...]:
        """Return the first `count` hosts of `role`; ConfigError if there are fewer."""
        found = self.role(role)
        if len(found) < count:
            remedy = f"add hosts to the group `{role}` or choose another section"
            if self.path == LOCAL_LAB_INVENTORY:
                topology = " --topology queue" if role == "databases" else ""
                remedy = f"run `lab down` and then `lab up{topology}`"
            raise ConfigError(
                self.path,
                f"{count} {role} are needed, the inventory has {len(found)}: {remedy}",
            )
        return found[:count]


def delayed_rtt_ms(rtt_ms: float, time_dilation: float, wake_up_ms: float) -> float:
    """Return the round trip that packets are delayed by, in ms of the clock.

    The machine's own wake-ups are subtracted, but at least half of the round trip is delay.
    """
    dilated_ms = rtt_ms * time_dilation
    return max(dilated_ms - wake_up_ms, dilated_ms / 2)


def _require_file(path: Path) -> None:
    if path.is_dir():
        raise ConfigError(path, "is a folder: name one YAML file of it")
    if not path.exists():
        lab = path == LOCAL_LAB_INVENTORY
        remedy = "run `lab up`" if lab else "copy remote/inventory.example.yml"
        raise ConfigError(path, f"no such inventory: {remedy} first")


def _roles(source: AnsibleInventory) -> list[tuple[str, str]]:
    found = [(name, role) for role in ROLES for name in source.members(role)]
    names = [name for name, _ in found]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ConfigError(source.path, f"hosts in more than one role: {', '.join(repeated)}")
    if not found:
        named = [name for name in source.groups if name not in ("all", UNGROUPED)]
        groups = ", ".join(named) or "none"
        raise ConfigError(
            source.path,
            f"no host has a role: put hosts into the groups {', '.join(ROLES)} (groups: {groups})",
        )
    return found


def _refuse_shared(path: Path, hosts: Sequence[Host]) -> None:
    """Refuse hosts that would end each other's jobs, or listen on the same port."""
    folders: dict[object, str] = {}
    ports: dict[object, str] = {}
    for host in hosts:
        place = (host.address, host.port, host.jump, host.user, host.work_dir)
        other = folders.setdefault(place, host.name)
        if other != host.name:
            raise ConfigError(
                path,
                f"{other} and {host.name} are one machine ({host.address}) with one working "
                "directory: correct ansible_host, or give each a mwlab_work_dir of its own",
            )
        other = ports.setdefault((host.role, host.data_address, host.jump), host.name)
        if other != host.name and host.role != "clients":
            raise ConfigError(
                path,
                f"{other} and {host.name} have one address ({host.data_address}), where only one "
                f"of the {host.role} can listen: give each a mwlab_data_address of its own",
            )


def _fleet_variables(path: Path, hosts: list[HostVariables]) -> HostVariables:
    """Return the variables about the fleet as a whole, which all hosts must have alike."""
    first = hosts[0]
    for key in FLEET_VARIABLES:
        for other in hosts:
            if other.values.get(key) != first.values.get(key):
                raise ConfigError(
                    path,
                    f"{key} differs: {first.values.get(key)!r} on {first.name}, "
                    f"{other.values.get(key)!r} on {other.name}; "
                    "it is about the whole fleet: write it once, in all.vars",
                )
    return HostVariables(path, "all.vars", first.values)
