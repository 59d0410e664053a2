"""What a local lab looks like: hosts, addresses and link limits, as data from a TOML file."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, model_validator

from records.documents import Count, Document, Positive, number, parse, told
from records.section import ROLES, Dilated
from remote.errors import ConfigError
from remote.hosts.inventory import delayed_rtt_ms
from remote.toml_files import read_toml

DEFAULT_TOPOLOGY = "azure"
QUEUE_TOPOLOGY = "queue"
TOPOLOGIES_DIR = Path(__file__).with_name("topologies")

# RFC 2544: addresses for benchmarks, never routed on the Internet.
BENCHMARK_NETWORK = ipaddress.IPv4Network("198.18.0.0/15")
MAX_RTT_MS = 1000.0
MAX_SERVICE_US = 1e6
# The name becomes part of a device name (at most 15 characters) and of a namespace name.
# The others are taken by the lab itself, or by what sensitivities call the links of a whole role.
_TAKEN_NAMES = ("switch", "control", "client", "middleware", "server", "database")
HOST_NAME = re.compile(rf"(?!({'|'.join(_TAKEN_NAMES)})$)[a-z][a-z0-9-]{{0,11}}")


def _benchmark_network(text: str) -> str:
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError as exc:
        raise ValueError(f"must be a network: {exc}") from exc
    if not network.subnet_of(BENCHMARK_NETWORK):
        raise ValueError(f"must lie in {BENCHMARK_NETWORK}, got {text}")
    return text


class Egress(Document):
    """Token bucket on everything a host sends (tc-tbf(8)).

    Parameters
    ----------
    rate_mbit_per_s : limit in 10^6 bit/s, counted with Ethernet headers.
    burst_kib : size of the bucket.
    queue_kib : what may wait for tokens; more is dropped.
    """

    rate_mbit_per_s: Positive
    burst_kib: Annotated[
        int, told("a whole number >= 2, or no full packet ever passes", lambda kib: kib >= 2)
    ]
    queue_kib: Count


class Processor(Document):
    r"""A processor that sends one message after the other, as slowly on any machine.

    Where j of them wait, it sends :math:`j^a / S` per second. What goes to servers does not wait.

    Parameters
    ----------
    reply_us : S of a message towards the clients, in us.
    forward_us : what one towards the servers takes of the processor's time, in us; None for none.
    exponent : a; None, or 0, for a processor that is as fast however many wait.
    """

    reply_us: Positive
    forward_us: Annotated[int | float, number(0, MAX_SERVICE_US)] | None = None
    exponent: Annotated[int | float, number(0, 1)] | None = None

    def __str__(self) -> str:
        """Return all three, as inventory and manifests tell them."""
        return f"{self.reply_us:g} {self.forward_us or 0:g} {self.exponent or 0:g}"


class Own(Document):
    """Limits of a single host; the rest is that of its role.

    Parameters
    ----------
    rtt_ms : the round trip between it and each host that has none of its own. Two hosts that have
        are as far from each other as both round trips less that of the topology.
    """

    rtt_ms: Annotated[int | float, number(0, MAX_RTT_MS)] | None = None
    egress: Egress | None = None
    cpu_quota: Positive | None = None
    processor: Processor | None = None


class _Numbered(Document):
    """Hosts told by their number: ``<prefix>1`` has the address `first`, the others follow it."""

    prefix: str
    count: Count
    first: str

    def written_out(self) -> dict[str, str]:
        first = ipaddress.IPv4Address(self.first)
        return {f"{self.prefix}{1 + i}": str(first + i) for i in range(self.count)}


def _written_out(hosts: Any) -> Any:
    """Return name to address of hosts, also where the file only tells how many there are."""
    is_numbered = isinstance(hosts, Mapping) and isinstance(hosts.get("count"), int)
    return parse(_Numbered, hosts).written_out() if is_numbered else hosts


class RoleTable(Document):
    """The hosts of one role, name to address, and the limits of each of them.

    Parameters
    ----------
    hosts : or, in a file, ``{ prefix = "c", count = 60, first = "198.18.0.11" }`` for c1 to c60.
    cpu_quota : CPUs of the machine that all its processes together may use, None for no limit.
    processor : an emulated one, None for the machine's processors alone.
    own_processors : whether no other host runs on their processors, as far as the machine has two.
    own : limits of single hosts by their names.
    """

    hosts: Annotated[dict[str, str], BeforeValidator(_written_out)]
    egress: Egress | None = None
    cpu_quota: Positive | None = None
    processor: Processor | None = None
    own_processors: bool | None = None
    own: dict[str, Own] | None = None

    def owned(self, name: str) -> Own:
        """Return what a host has for itself."""
        return (self.own or {}).get(name) or Own()


@dataclass(frozen=True, kw_only=True)
class LabHost:
    """One host of the lab; its limits are its own, or else those of its role."""

    name: str
    role: str
    address: str
    egress: Egress | None
    cpu_quota: float | None = None
    processor: Processor | None = None
    own_rtt_ms: float | None = None
    own_processors: bool = False


def topology_for(hosts: Mapping[str, int]) -> str:
    """Return which of the topologies that come with the package has so many hosts of each role."""
    return QUEUE_TOPOLOGY if hosts.get("databases") else DEFAULT_TOPOLOGY


class Topology(Document):
    """All hosts of a lab, the network they share and the control host's address in it.

    Parameters
    ----------
    rtt_ms : the round trip that a client shall see to another host, 0 for what the machine itself
        takes. Single hosts may be farther away (`Own`).
    time_dilation : k. All rates and quotas here are divided by it, `rtt_ms` and the times of
        processors are multiplied by it when the lab is built.
    wake_up_ms : part of a round trip that the machine's own wake-ups take, in ms of the clock
        whatever k is, subtracted from the delay; `lab up` and `lab calibrate` measure it.
    is_hidden : whether rates, delays and quotas are to be found out: status, inventory and
        manifests do not show them.
    """

    name: str
    network: Annotated[str, AfterValidator(_benchmark_network)]
    control_address: str
    work_dir_mib: Count
    rtt_ms: Annotated[int | float, number(0, MAX_RTT_MS)] = 0.0
    time_dilation: Dilated = 1.0
    wake_up_ms: Annotated[int | float, number(0, MAX_RTT_MS)] | None = None
    is_hidden: bool | None = None
    clients: RoleTable | None = None
    middlewares: RoleTable | None = None
    servers: RoleTable | None = None
    databases: RoleTable | None = None

    @cached_property
    def hosts(self) -> tuple[LabHost, ...]:
        """The hosts of all roles, in the order of the roles and of the file."""
        return tuple(
            LabHost(
                name=name, role=role, address=address, egress=own.egress or table.egress,
                cpu_quota=own.cpu_quota or table.cpu_quota,
                processor=own.processor or table.processor, own_rtt_ms=own.rtt_ms,
                own_processors=bool(table.own_processors),
            )
            for role, table in self.tables.items()
            for name, address in table.hosts.items()
            for own in [table.owned(name)]
        )  # fmt: skip

    @property
    def tables(self) -> dict[str, RoleTable]:
        """The roles that have hosts, in order."""
        return {role: table for role in ROLES if (table := getattr(self, role)) is not None}

    @property
    def has_processors(self) -> bool:
        """Whether any host has an emulated processor, which is the delay line's alone."""
        return any(host.processor is not None for host in self.hosts)

    @property
    def own_rtt_ms(self) -> dict[str, float]:
        """Name of each host that has a round trip of its own to that round trip, undilated."""
        return {host.name: host.own_rtt_ms for host in self.hosts if host.own_rtt_ms is not None}

    @property
    def cpus_apart(self) -> float:
        """CPUs that hosts with processors of their own may use, undilated; one without limit: 1."""
        return sum(host.cpu_quota or 1.0 for host in self.hosts if host.own_processors)

    @property
    def line_rtt_ms(self) -> float:
        """Round trip between ordinary hosts that packets are delayed by, in ms of the clock."""
        return delayed_rtt_ms(self.rtt_ms, self.time_dilation, self.wake_up_ms or 0.0)

    def farther_ms(self, host: LabHost) -> float:
        """By how much a round trip is longer for one of its ends being this host, undilated."""
        return 0.0 if host.own_rtt_ms is None else host.own_rtt_ms - self.rtt_ms

    def delay_ms(self, host: LabHost) -> float:
        """One-way delay of what a host sends, in ms of the clock.

        All of what makes it farther away than others is on what it sends: frames leave in order.
        """
        return self.line_rtt_ms / 2 + self.farther_ms(host) * self.time_dilation

    def calibrated(self, wake_up_ms: float | None) -> Topology:
        """Return the same topology with other wake-ups; None for delays as in its file."""
        fields = {name: value for name, value in self.to_dict().items() if name != "wake_up_ms"}
        return Topology.from_dict(
            fields if wake_up_ms is None else fields | {"wake_up_ms": wake_up_ms}
        )

    def dilated(self, time_dilation: float) -> Topology:
        """Return the same topology with another time dilation, 0.01 to 1000."""
        return Topology.from_dict({**self.to_dict(), "time_dilation": time_dilation})

    def built(self) -> tuple[object, ...]:
        """Return what cannot be changed while the lab is up: hosts, and whether each is limited."""
        hosts = [
            replace(host, egress=None, cpu_quota=None, processor=None, own_rtt_ms=None)
            for host in self.hosts
        ]
        limits = [(host.egress is None, host.cpu_quota is None) for host in self.hosts]
        delay = (self.rtt_ms > 0, self.has_processors)
        return self.network, self.control_address, delay, hosts, limits

    @model_validator(mode="after")
    def _check_hosts(self) -> Topology:
        """Check what only shows when all hosts are known: names and addresses."""
        if not self.hosts:
            raise ValueError(f"no hosts: give at least one in [{'], ['.join(ROLES)}]")
        network = ipaddress.IPv4Network(self.network)
        owners: dict[str, str] = {}
        _claim(owners, network, "control_address", self.control_address)
        for host in self.hosts:
            _claim(owners, network, f"{host.role}.hosts.{host.name}", host.address)
        names = [host.name for host in self.hosts]
        for name in names:
            if not HOST_NAME.fullmatch(name):
                raise ValueError(
                    f"{name!r} is not a host name: lower-case letters, digits and -, "
                    f"at most 12 characters, none of {', '.join(_TAKEN_NAMES)}"
                )
            if names.count(name) > 1:
                raise ValueError(f"host {name} is given more than once")
        self._check_own()
        return self

    def _check_own(self) -> None:
        if self.has_processors and not self.rtt_ms:
            raise ValueError("processor needs an rtt_ms > 0: what delays messages emulates it, too")
        for role, table in self.tables.items():
            for name, own in (table.own or {}).items():
                if name not in table.hosts:
                    raise ValueError(
                        f"{role}.own.{name}: no such host; there are {', '.join(table.hosts)}"
                    )
                if own.rtt_ms is not None and not 0 < self.rtt_ms <= own.rtt_ms:
                    raise ValueError(
                        f"{role}.own.{name}.rtt_ms must be at least the rtt_ms of all hosts, which "
                        f"must be > 0; got {own.rtt_ms:g} and {self.rtt_ms:g}"
                    )

    @classmethod
    def named(cls, name: str) -> Topology:
        """Read a topology by its path, which ends in .toml, or by its name in `TOPOLOGIES_DIR`."""
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
        """Read a topology file; see topologies/azure.toml for the format."""
        document = read_toml(path)
        try:
            return cls.from_dict(document)
        except ValueError as exc:
            raise ConfigError(path, str(exc)) from exc

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Topology:
        """Make a topology of what its file holds; ValueError names each field that is wrong."""
        return parse(cls, data)

    def to_dict(self) -> dict[str, Any]:
        """Return what `from_dict` reads."""
        return self.model_dump(exclude_none=True)


def _claim(
    owners: dict[str, str], network: ipaddress.IPv4Network, field: str, address: str
) -> None:
    try:
        parsed = ipaddress.IPv4Address(address)
    except ValueError as exc:
        raise ValueError(f"{field}: {exc}") from exc
    if parsed not in network or parsed in (network.network_address, network.broadcast_address):
        raise ValueError(f"{field} must be a host address of {network}, got {address}")
    if address in owners:
        raise ValueError(f"{field}: {address} is already the address of {owners[address]}")
    owners[address] = field
