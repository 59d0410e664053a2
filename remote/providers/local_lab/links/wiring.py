"""The lab's network as `ip` and `tc` commands: a switch, one veth, one token bucket a host.

Pure: `remote.providers.local_lab.namespaces` executes what this lists.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator, Sequence
from enum import StrEnum

from remote.providers.local_lab.topology import LabHost, Topology

# Everything of the lab carries this prefix, so that nothing of the user's can have its name.
NAMESPACE_PREFIX = "mwlab-"
SWITCH_NAMESPACE = "mwlab-switch"
CONTROL_DEVICE = "mwlab-ctl"
CONTROL_PORT = "to-control"
HOST_DEVICE = "eth0"
ADDING = ("ip", "netns", "add")

# A frame of the delay line's rings holds 8 KiB. TCP takes less than this by its longest header.
_DELAY_LINE_GSO_BYTES = 8000
# Frames that may be under way by netem to one host: more than the token buckets' queues can hold.
_NETEM_LIMIT = 100_000


class Delay(StrEnum):
    """What delays packets between hosts."""

    NONE = "none"
    NETEM = "netem"
    LINE = "delay-line"


def namespace_of(host: LabHost) -> str:
    """Name the network namespace of a host."""
    return NAMESPACE_PREFIX + host.name


def port_of(host: LabHost) -> str:
    """Name the switch's device that a host is connected to."""
    return f"to-{host.name}"


def switch_commands(topology: Topology, delay: Delay) -> list[list[str]]:
    """List the commands that build the switch and connect this machine to it, in order.

    The switch is a namespace of its own: the machine's own bridge and packet filter settings do
    not reach it, and the only device in the machine's own namespace is `mwlab-ctl`. Inside, a
    bridge connects the hosts, or the delay line does, which is started afterwards.
    """
    address = f"{topology.control_address}/{_prefix_length(topology)}"
    return _bridge_commands(delay) + _control_commands(address, delay)


def host_commands(
    host: LabHost, topology: Topology, delay: Delay, adding: Sequence[str] = ADDING
) -> list[list[str]]:
    """List the commands that connect a host to the switch, in order; several hosts may at once.

    Parameters
    ----------
    adding : makes the namespace of a host, by its name.
    """
    connect = _connect_commands(host, _prefix_length(topology), delay, adding)
    return connect + shaping_commands(host, topology, delay)


def shaping_commands(host: LabHost, topology: Topology, delay: Delay) -> list[list[str]]:
    """List the commands that give a host's link its dilated rate and, by netem, its delay.

    They may be run again on a lab that is up. The bucket's size does not depend on time dilation.
    """
    return [command.split() for command in _shaping_commands(host, topology, delay)]


def _shaping_commands(host: LabHost, topology: Topology, delay: Delay) -> Iterator[str]:
    if host.egress is not None:
        rate_bit_per_s = round(host.egress.rate_mbit_per_s * 1e6 / topology.time_dilation)
        bucket = f"burst {host.egress.burst_kib}kb limit {host.egress.queue_kib}kb"
        yield (
            f"tc -n {namespace_of(host)} qdisc replace dev {HOST_DEVICE} root "
            f"tbf rate {rate_bit_per_s}bit {bucket}"
        )
    if delay is Delay.NETEM:
        yield (
            f"tc -n {SWITCH_NAMESPACE} qdisc replace dev {port_of(host)} root "
            f"netem delay {round(topology.delay_ms(host) * 1000)}us limit {_NETEM_LIMIT}"
        )


def _prefix_length(topology: Topology) -> int:
    return ipaddress.IPv4Network(topology.network).prefixlen


def _bridge_commands(delay: Delay) -> list[list[str]]:
    in_switch = f"ip -n {SWITCH_NAMESPACE}"
    commands = [[*ADDING, SWITCH_NAMESPACE]]
    if delay is not Delay.LINE:
        commands += [
            f"{in_switch} link add bridge type bridge forward_delay 0 mcast_snooping 0".split(),
            f"{in_switch} link set bridge addrgenmode none up".split(),
        ]
    return commands


def _connect_commands(
    host: LabHost, prefix_length: int, delay: Delay, adding: Sequence[str]
) -> list[list[str]]:
    namespace, port = namespace_of(host), port_of(host)
    veth = f"{HOST_DEVICE} netns {namespace} type veth peer name {port} netns {SWITCH_NAMESPACE}"
    return [
        [*adding, namespace],
        f"ip link add {veth}".split(),
        _plug_command(port, delay),
        f"ip -n {namespace} address add {host.address}/{prefix_length} dev {HOST_DEVICE}".split(),
        f"ip -n {namespace} link set {HOST_DEVICE} {_device_options(delay)} up".split(),
        f"ip -n {namespace} link set lo up".split(),
    ]


def _control_commands(address: str, delay: Delay) -> list[list[str]]:
    veth = f"{CONTROL_DEVICE} type veth peer name {CONTROL_PORT} netns {SWITCH_NAMESPACE}"
    return [
        f"ip link add {veth}".split(),
        _plug_command(CONTROL_PORT, delay),
        f"ip address add {address} dev {CONTROL_DEVICE}".split(),
        f"ip link set {CONTROL_DEVICE} {_device_options(delay)} up".split(),
    ]


def _plug_command(port: str, delay: Delay) -> list[str]:
    bridge = "" if delay is Delay.LINE else "master bridge "
    return f"ip -n {SWITCH_NAMESPACE} link set {port} {bridge}addrgenmode none up".split()


def _device_options(delay: Delay) -> str:
    limit = f" gso_max_size {_DELAY_LINE_GSO_BYTES}" if delay is Delay.LINE else ""
    return f"addrgenmode none{limit}"
