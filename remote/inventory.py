"""Which hosts there are and what part each plays: Ansible's YAML inventory, read and checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from remote.errors import ConfigError

ROLES = ("clients", "middlewares", "servers")
LOCAL_LAB_INVENTORY = Path("/run/middleware-lab/inventory.yml")
"""Where `lab up` writes the inventory of the local lab."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """One machine of an experiment and how to reach it.

    Parameters
    ----------
    name : the inventory's name, used in commands, folders and messages.
    role : ``clients``, ``middlewares`` or ``servers``.
    address : where SSH connects to.
    data_address : where measured traffic goes; the same as `address` unless the inventory says so.
    work_dir : folder on the host below which all files of the lab are kept.
    route_device : if set, packets to the host must leave by this network device; otherwise nothing
        is sent. Keeps traffic for a lab that is down off the default route.
    rate_mbit_per_s : limit of the host's outgoing link in undilated time, None where it is not
        known.
    cpu_account : path, on the host, of the kernel's file with the CPU time that the host has used;
        `remote.testbed.cpu_account.parse_cpu_seconds` reads it. None on real machines.
    """

    name: str
    role: str
    address: str
    port: int = 22
    user: str = "root"
    identity_file: Path | None = None
    known_hosts: Path
    work_dir: str = "middleware-lab"
    route_device: str | None = None
    data_address: str
    rate_mbit_per_s: float | None = None
    cpu_account: str | None = None


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """The hosts of one fleet by role, and facts about the fleet as a whole.

    Parameters
    ----------
    time_dilation : how many times slower than its model the network is; rates and delays of the
        inventory are those of the model, undilated.
    rtt_ms : what ping shall show between two hosts, undilated; None where it is not emulated.
    delay : what delays packets: ``none``, ``netem`` or ``delay-line``.

    Raises
    ------
    ConfigError
        From :meth:`read`: the file is missing, is no inventory, or a value is wrong.
    """

    path: Path
    hosts: tuple[Host, ...]
    fleet: str
    topology: str
    time_dilation: float = 1.0
    rtt_ms: float | None = None
    delay: str = "none"

    @classmethod
    def read(cls, path: Path) -> Inventory:
        """Read an inventory in Ansible's YAML format."""
        document = _load(path)
        shared = _mapping(document.get("vars"), path, "all.vars")
        hosts = tuple(_hosts(document, shared, path))
        repeated = sorted({h.name for h in hosts if sum(o.name == h.name for o in hosts) > 1})
        if repeated:
            raise ConfigError(path, f"hosts in more than one role: {', '.join(repeated)}")
        return cls(
            path=path,
            hosts=hosts,
            fleet=str(shared.get("mwlab_fleet", path.stem)),
            topology=str(shared.get("mwlab_topology", "unknown")),
            time_dilation=_number(shared, "mwlab_time_dilation", path, "all.vars") or 1.0,
            rtt_ms=_number(shared, "mwlab_rtt_ms", path, "all.vars"),
            delay=str(shared.get("mwlab_delay", "none")),
        )

    def role(self, role: str) -> tuple[Host, ...]:
        """Return the hosts of `role` in the inventory's order."""
        return tuple(h for h in self.hosts if h.role == role)

    def take(self, role: str, count: int) -> tuple[Host, ...]:
        """Return the first `count` hosts of `role`; ConfigError if there are fewer."""
        found = self.role(role)
        if len(found) < count:
            raise ConfigError(
                self.path,
                f"{count} {role} are needed, the inventory has {len(found)}: "
                f"add hosts to the group `{role}` or choose another section",
            )
        return found[:count]


def _load(path: Path) -> dict[str, Any]:
    try:
        document = yaml.safe_load(path.read_text())
    except FileNotFoundError:
        remedy = (
            "run `lab up`" if path == LOCAL_LAB_INVENTORY else "copy remote/inventory.example.yml"
        )
        raise ConfigError(path, f"no such inventory: {remedy} first") from None
    except yaml.YAMLError as exc:
        raise ConfigError(path, f"not YAML: {exc}") from exc
    if not isinstance(document, dict) or not isinstance(document.get("all"), dict):
        raise ConfigError(path, "no Ansible inventory: the top level must be the group `all`")
    return dict(document["all"])


def _mapping(value: object, path: Path, place: str) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ConfigError(path, f"{place} must be a mapping, got {value!r}")
    return value


def _number(values: Mapping[str, Any], key: str, path: Path, place: str) -> float | None:
    value = values.get(key)
    if value is None or (isinstance(value, int | float) and value > 0):
        return value
    raise ConfigError(path, f"{place}.{key} must be a number > 0, got {value!r}")


def _hosts(document: dict[str, Any], shared: dict[str, Any], path: Path) -> Iterator[Host]:
    groups = _mapping(document.get("children"), path, "all.children")
    for role in ROLES:
        group = _mapping(groups.get(role), path, f"all.children.{role}")
        group_vars = {**shared, **_mapping(group.get("vars"), path, f"{role}.vars")}
        for name, own in _mapping(group.get("hosts"), path, f"{role}.hosts").items():
            values = {**group_vars, **_mapping(own, path, f"{role}.hosts.{name}")}
            yield _host(str(name), role, values, path)


def _host(name: str, role: str, values: Mapping[str, Any], path: Path) -> Host:
    address = str(values.get("ansible_host", name))
    identity = values.get("ansible_ssh_private_key_file")
    known_hosts = values.get("mwlab_known_hosts", "~/.ssh/known_hosts")
    return Host(
        name=name,
        role=role,
        address=address,
        port=int(_number(values, "ansible_port", path, name) or 22),
        user=str(values.get("ansible_user", "root")),
        identity_file=Path(identity).expanduser() if identity else None,
        known_hosts=Path(known_hosts).expanduser(),
        work_dir=str(values.get("mwlab_work_dir", "middleware-lab")),
        route_device=values.get("mwlab_route_device"),
        data_address=str(values.get("mwlab_data_address", address)),
        rate_mbit_per_s=_number(values, "mwlab_rate_mbit_per_s", path, name),
        cpu_account=values.get("mwlab_cpu_account"),
    )
