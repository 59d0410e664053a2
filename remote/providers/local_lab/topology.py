"""What a local lab looks like: hosts, addresses and link limits, as data from a TOML file."""

from __future__ import annotations

import ipaddress
import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from remote.errors import ConfigError
from remote.hosts.inventory import ROLES

DEFAULT_TOPOLOGY = "azure"
TOPOLOGIES_DIR = Path(__file__).with_name("topologies")

# RFC 2544: addresses for benchmarks, never routed on the Internet.
BENCHMARK_NETWORK = ipaddress.IPv4Network("198.18.0.0/15")
MIN_DILATION, MAX_DILATION = 0.01, 1000.0
MAX_RTT_MS = 1000.0
# The name becomes part of a device name (at most 15 characters) and of a namespace name.
HOST_NAME = re.compile(r"(?!switch$|control$)[a-z][a-z0-9-]{0,11}")


@dataclass(frozen=True, kw_only=True)
class Egress:
    """Token bucket on everything a host sends (tc-tbf(8)).

    Parameters
    ----------
    rate_mbit_per_s : limit in 10^6 bit/s, counted with Ethernet headers.
    burst_kib : size of the bucket.
    queue_kib : what may wait for tokens; more is dropped.
    """

    rate_mbit_per_s: float
    burst_kib: int
    queue_kib: int


@dataclass(frozen=True, kw_only=True)
class LabHost:
    """One host of the lab.

    Parameters
    ----------
    egress : limit of its link, None for a link without one.
    cpu_quota : CPUs of the machine that all its processes together may use, None for no limit.
    """

    name: str
    role: str
    address: str
    egress: Egress | None
    cpu_quota: float | None = None


@dataclass(frozen=True, kw_only=True)
class Topology:
    """All hosts of a lab, the network they share and the control host's address in it.

    Parameters
    ----------
    rtt_ms : what ping shall show between two hosts, 0 for what the machine itself takes.
    time_dilation : k. All rates and quotas here are divided by it and `rtt_ms` is multiplied by it
        when the lab is built, so that the machine looks k times faster to what runs in the lab.
    """

    name: str
    network: str
    control_address: str
    work_dir_mib: int
    hosts: tuple[LabHost, ...]
    rtt_ms: float = 0.0
    time_dilation: float = 1.0

    @property
    def delay_ms(self) -> float:
        """One-way delay between two hosts as it is built: half of the round trip, dilated."""
        return self.rtt_ms / 2 * self.time_dilation

    def dilated(self, time_dilation: float) -> Topology:
        """Give the same topology with another time dilation.

        Raises
        ------
        ValueError
            `time_dilation` is not between 0.01 and 1000.
        """
        return replace(self, time_dilation=time_dilation)

    def __post_init__(self) -> None:
        """Check what only shows when all hosts are known: names and addresses."""
        try:
            network = ipaddress.IPv4Network(self.network)
        except ValueError as exc:
            raise ValueError(f"network: {exc}") from exc
        if not network.subnet_of(BENCHMARK_NETWORK):
            raise ValueError(f"network must lie in {BENCHMARK_NETWORK}, got {self.network}")
        if not self.hosts:
            raise ValueError(f"no hosts: give at least one in [{'], ['.join(ROLES)}]")
        owners: dict[str, str] = {}
        _claim(owners, network, "control_address", self.control_address)
        for host in self.hosts:
            _claim(owners, network, f"{host.role}.hosts.{host.name}", host.address)
        if not MIN_DILATION <= self.time_dilation <= MAX_DILATION:
            raise ValueError(
                f"time_dilation must be between {MIN_DILATION:g} and {MAX_DILATION:g}, "
                f"got {self.time_dilation!r}"
            )
        if not 0 <= self.rtt_ms <= MAX_RTT_MS:
            raise ValueError(f"rtt_ms must be between 0 and {MAX_RTT_MS:g}, got {self.rtt_ms!r}")
        names = [host.name for host in self.hosts]
        for name in names:
            if not HOST_NAME.fullmatch(name):
                raise ValueError(
                    f"{name!r} is not a host name: lower-case letters, digits and -, "
                    "at most 12 characters, not `switch` or `control`"
                )
            if names.count(name) > 1:
                raise ValueError(f"host {name} is given more than once")

    @classmethod
    def named(cls, name: str) -> Topology:
        """Read one of the topologies that come with the package, or a file by its path.

        Parameters
        ----------
        name : `azure`, `unshaped`, or a path that ends in .toml.

        Raises
        ------
        ConfigError
            There is no such topology, or it is wrong.
        """
        if name.endswith(".toml"):
            return cls.read(Path(name))
        known = sorted(path.stem for path in TOPOLOGIES_DIR.glob("*.toml"))
        if name not in known:
            raise ConfigError(
                f"topology `{name}`",
                f"there is none of this name; known: {', '.join(known)}, or a path to a .toml file",
            )
        return cls.read(TOPOLOGIES_DIR / f"{name}.toml")

    @classmethod
    def read(cls, path: Path) -> Topology:
        """Read a topology file; see topologies/azure.toml for the format.

        Raises
        ------
        ConfigError
            The file cannot be read, or a field is missing, unknown or wrong.
        """
        try:
            return cls.from_dict(tomllib.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as exc:  # TOMLDecodeError is a ValueError
            raise ConfigError(path, str(exc)) from exc

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Topology:
        """Make a topology of what its file holds.

        Raises
        ------
        ValueError
            A field is missing, unknown or wrong; the message begins with its name.
        """
        common = {"name": str, "network": str, "control_address": str, "work_dir_mib": int}
        emulation = {"rtt_ms": float, "time_dilation": float}
        optional = {**emulation, **dict.fromkeys(ROLES, dict)}
        _check_fields(data, "", required=common, optional=optional)
        hosts: list[LabHost] = []
        for role in ROLES:
            if role in data:
                hosts.extend(_read_role(role, data[role]))
        given = [*common, *(field for field in emulation if field in data)]
        return cls(**{field: data[field] for field in given}, hosts=tuple(hosts))

    def to_dict(self) -> dict[str, Any]:
        """Give back what `from_dict` reads; hosts of one role share their limit."""
        data: dict[str, Any] = {
            "name": self.name,
            "network": self.network,
            "control_address": self.control_address,
            "work_dir_mib": self.work_dir_mib,
            "rtt_ms": self.rtt_ms,
            "time_dilation": self.time_dilation,
        }
        for host in self.hosts:
            role = data.setdefault(host.role, {"hosts": {}})
            role["hosts"][host.name] = host.address
            if host.egress is not None:
                role["egress"] = asdict(host.egress)
            if host.cpu_quota is not None:
                role["cpu_quota"] = host.cpu_quota
        return data


def _read_role(role: str, table: Mapping[str, Any]) -> list[LabHost]:
    optional = {"egress": dict, "cpu_quota": float}
    _check_fields(table, f"{role}.", required={"hosts": dict}, optional=optional)
    _check_fields(
        table["hosts"], f"{role}.hosts.", required={}, optional=dict.fromkeys(table["hosts"], str)
    )
    egress = _read_egress(f"{role}.egress.", table["egress"]) if "egress" in table else None
    return [
        LabHost(
            name=name, role=role, address=address, egress=egress, cpu_quota=table.get("cpu_quota")
        )
        for name, address in table["hosts"].items()
    ]


def _read_egress(where: str, table: Mapping[str, Any]) -> Egress:
    required = {"rate_mbit_per_s": float, "burst_kib": int, "queue_kib": int}
    _check_fields(table, where, required=required, optional={})
    if table["burst_kib"] < 2:
        raise ValueError(f"{where}burst_kib must be at least 2, or no full packet ever passes")
    return Egress(**table)


def _check_fields(
    table: Mapping[str, Any],
    where: str,
    *,
    required: Mapping[str, type],
    optional: Mapping[str, type],
) -> None:
    """Refuse missing, unknown, wrongly typed fields and numbers that are not positive."""
    kinds = {**required, **optional}
    for field in required:
        if field not in table:
            raise ValueError(f"{where}{field} is missing")
    for field, value in table.items():
        if field not in kinds:
            raise ValueError(f"{where}{field} is not known here; known: {', '.join(kinds)}")
        kind = (int, float) if kinds[field] is float else kinds[field]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise ValueError(f"{where}{field} must be {_KIND_NAMES[kinds[field]]}, got {value!r}")
        if isinstance(value, int | float):
            _check_range(where + field, value, may_be_zero=field == "rtt_ms")


def _check_range(field: str, value: float, *, may_be_zero: bool) -> None:
    if may_be_zero and not 0 <= value < math.inf:
        raise ValueError(f"{field} must be at least 0, got {value!r}")
    if not may_be_zero and not 0 < value < math.inf:
        raise ValueError(f"{field} must be greater than 0, got {value!r}")


_KIND_NAMES = {str: "a text", int: "a whole number", float: "a number", dict: "a table"}


def _claim(
    owners: dict[str, str], network: ipaddress.IPv4Network, field: str, address: str
) -> None:
    """Check that an address is a host address of the network and note who has it."""
    try:
        parsed = ipaddress.IPv4Address(address)
    except ValueError as exc:
        raise ValueError(f"{field}: {exc}") from exc
    if parsed not in network or parsed in (network.network_address, network.broadcast_address):
        raise ValueError(f"{field} must be a host address of {network}, got {address}")
    if address in owners:
        raise ValueError(f"{field}: {address} is already the address of {owners[address]}")
    owners[address] = field
