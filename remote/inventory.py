"""Which hosts there are and what part each plays: Ansible's YAML inventory, read and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from remote.errors import ConfigError
from remote.inventories.ansible import AnsibleInventory
from remote.inventories.ssh_options import (
    SSH_PORT,
    USER_KNOWN_HOSTS,
    JumpSpec,
    SshOptions,
    local_user,
    resolve,
)
from remote.inventories.variables import DELAYS, FLEET_VARIABLES, HostVariables

ROLES = ("clients", "middlewares", "servers")
LOCAL_LAB_INVENTORY = Path("/run/middleware-lab/inventory.yml")
"""Where `lab up` writes the inventory of the local lab."""

JUMP_ROLE = "jump"
_SSH_ARGUMENTS = ("ansible_ssh_args", "ansible_ssh_common_args", "ansible_ssh_extra_args")


@dataclass(frozen=True, kw_only=True)
class Host:
    """One machine of an experiment and how to reach it.

    Parameters
    ----------
    name : the inventory's name, used in commands, folders and messages.
    role : ``clients``, ``middlewares`` or ``servers``; ``jump`` for a jump host.
    address : where SSH connects to.
    data_address : where measured traffic goes; the same as `address` unless the inventory says so.
    work_dir : folder on the host below which all files of the lab are kept.
    route_device : if set, packets to the host must leave by this network device; otherwise nothing
        is sent. Keeps traffic for a lab that is down off the default route.
    rate_mbit_per_s : limit of the host's outgoing link in undilated time, None where it is not
        known.
    cpu_account : path, on the host, of the kernel's file with the CPU time that the host has used;
        `remote.testbed.cpu_account.parse_cpu_seconds` reads it. None on real machines.
    jump : the host through which this one is reached, itself perhaps through another.
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
    jump: Host | None = None


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
        """Read an inventory in Ansible's YAML format; ssh_config is honoured as ssh does."""
        if not path.is_file():
            lab = path == LOCAL_LAB_INVENTORY
            remedy = "run `lab up`" if lab else "copy remote/inventory.example.yml"
            raise ConfigError(path, f"no such inventory: {remedy} first")
        source = AnsibleInventory(path)
        variables = {
            name: HostVariables(path, name, source.variables(name)) for name in source.hosts
        }
        for own in variables.values():
            own.refuse_unknown()
        roles = _roles(source)
        hosts = tuple(_host(variables, name, role) for name, role in roles)
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
            delay=delay,
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


def _roles(source: AnsibleInventory) -> list[tuple[str, str]]:
    """Return each experiment host with its role."""
    found = [(name, role) for role in ROLES for name in source.members(role)]
    names = [name for name, _ in found]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ConfigError(source.path, f"hosts in more than one role: {', '.join(repeated)}")
    if not found:
        groups = ", ".join(name for name in source.groups if name != "all") or "none"
        raise ConfigError(
            source.path,
            f"no host has a role: put hosts into the groups {', '.join(ROLES)} (groups: {groups})",
        )
    return found


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


def _host(
    variables: Mapping[str, HostVariables], name: str, role: str, above: tuple[str, ...] = ()
) -> Host:
    """Make the host `name`, whose way leads on to the hosts `above`."""
    own = variables[name]
    if name in above:
        raise ConfigError(own.path, f"{name} is its own jump host: {' > '.join((*above, name))}")
    address = own.text("ansible_host", "ansible_ssh_host") or name
    arguments = [text for key in _SSH_ARGUMENTS if (text := own.text(key))]
    options = _resolve(own, address, arguments)
    identity = own.text("ansible_private_key_file", "ansible_ssh_private_key_file")
    host = Host(
        name=name,
        role=role,
        address=options.address,
        port=own.port() or options.port or SSH_PORT,
        user=own.text("ansible_user", "ansible_ssh_user") or options.user or local_user(),
        identity_file=_path(identity or options.identity_file),
        known_hosts=_known_hosts(own.text("mwlab_known_hosts"), options),
        work_dir=own.text("mwlab_work_dir") or "middleware-lab",
        route_device=own.text("mwlab_route_device"),
        data_address=own.text("mwlab_data_address") or options.address,
        rate_mbit_per_s=own.number("mwlab_rate_mbit_per_s"),
        cpu_account=own.text("mwlab_cpu_account"),
    )
    jump_host = own.text("mwlab_jump_host")
    if jump_host is not None and jump_host in variables:
        return replace(host, jump=_host(variables, jump_host, JUMP_ROLE, (*above, name)))
    jump: Host | None = None
    if jump_host is not None:
        jump = _jump(own, jump_host, options, like=host, via=None)
    else:
        for spec in options.jumps:
            jump = _jump(own, spec, options, like=None, via=jump)
    return replace(host, jump=jump)


def _jump(
    own: HostVariables, text: str, options: SshOptions, *, like: Host | None, via: Host | None
) -> Host:
    """Make a jump host of ``[user@]host[:port]``.

    Parameters
    ----------
    like : host whose user, key and known_hosts the jump host has unless something says otherwise;
        None as for ``ssh -J``: those of ssh_config.
    via : the jump host before it.
    """
    try:
        spec = JumpSpec.parse(text)
    except ValueError as exc:
        raise ConfigError(own.path, f"{own.name}: {exc}") from exc
    arguments = [f"-F {options.config_file}"] if options.config_file else []
    known = _resolve(own, spec.host, arguments)
    own_known_hosts = str(like.known_hosts) if like else None
    return Host(
        name=f"jump host {spec.host}",
        role=JUMP_ROLE,
        address=known.address,
        port=spec.port or known.port or SSH_PORT,
        user=spec.user or known.user or (like.user if like else local_user()),
        identity_file=_path(known.identity_file) or (like.identity_file if like else None),
        known_hosts=_known_hosts(own_known_hosts or own.text("mwlab_known_hosts"), known),
        data_address=known.address,
        jump=via,
    )


def _resolve(own: HostVariables, address: str, arguments: list[str]) -> SshOptions:
    try:
        return resolve(address, arguments)
    except ValueError as exc:
        raise ConfigError(own.path, f"{own.name}: {exc}") from exc


def _known_hosts(wanted: str | None, options: SshOptions) -> Path:
    """Return the file with the pinned keys; /dev/null, which turns the check off, is not obeyed."""
    text = wanted or options.known_hosts or ""
    return Path(text if text not in ("", "none", "/dev/null") else USER_KNOWN_HOSTS).expanduser()


def _path(text: str | None) -> Path | None:
    return Path(text).expanduser() if text else None
