"""The lab's network as `ip` and `tc` commands: a switch, one veth and one token bucket a host.

Pure: `remote.testbed.namespaces` executes what this lists.
"""

from __future__ import annotations

import ipaddress

from remote.testbed.topology import LabHost, Topology

# Everything of the lab carries this prefix, so that nothing of the user's can have its name.
NAMESPACE_PREFIX = "mwlab-"
SWITCH_NAMESPACE = "mwlab-switch"
CONTROL_DEVICE = "mwlab-ctl"
HOST_DEVICE = "eth0"


def namespace_of(host: LabHost) -> str:
    """Name the network namespace of a host."""
    return NAMESPACE_PREFIX + host.name


def network_commands(topology: Topology) -> list[list[str]]:
    """List the commands that build the lab's network, in order.

    The switch is a bridge in a namespace of its own: the machine's own bridge and packet filter
    settings do not reach it, and the only device in the machine's own namespace is `mwlab-ctl`.
    """
    prefix_length = ipaddress.IPv4Network(topology.network).prefixlen
    commands = _switch_commands()
    for host in topology.hosts:
        commands += _host_commands(host, prefix_length)
    return commands + _control_commands(f"{topology.control_address}/{prefix_length}")


def _switch_commands() -> list[list[str]]:
    in_switch = f"ip -n {SWITCH_NAMESPACE}"
    return [
        f"ip netns add {SWITCH_NAMESPACE}".split(),
        f"{in_switch} link add bridge type bridge forward_delay 0 mcast_snooping 0".split(),
        f"{in_switch} link set bridge addrgenmode none up".split(),
    ]


def _host_commands(host: LabHost, prefix_length: int) -> list[list[str]]:
    namespace, port = namespace_of(host), f"to-{host.name}"
    veth = f"{HOST_DEVICE} netns {namespace} type veth peer name {port} netns {SWITCH_NAMESPACE}"
    commands = [
        f"ip netns add {namespace}".split(),
        f"ip link add {veth}".split(),
        _plug_command(port),
        f"ip -n {namespace} address add {host.address}/{prefix_length} dev {HOST_DEVICE}".split(),
        f"ip -n {namespace} link set {HOST_DEVICE} addrgenmode none up".split(),
        f"ip -n {namespace} link set lo up".split(),
    ]
    if host.egress is not None:
        rate_bit_per_s = round(host.egress.rate_mbit_per_s * 1e6)
        bucket = f"burst {host.egress.burst_kib}kb limit {host.egress.queue_kib}kb"
        commands.append(
            f"tc -n {namespace} qdisc add dev {HOST_DEVICE} root "
            f"tbf rate {rate_bit_per_s}bit {bucket}".split()
        )
    return commands


def _control_commands(address: str) -> list[list[str]]:
    veth = f"{CONTROL_DEVICE} type veth peer name to-control netns {SWITCH_NAMESPACE}"
    return [
        f"ip link add {veth}".split(),
        _plug_command("to-control"),
        f"ip address add {address} dev {CONTROL_DEVICE}".split(),
        f"ip link set {CONTROL_DEVICE} addrgenmode none up".split(),
    ]


def _plug_command(port: str) -> list[str]:
    return f"ip -n {SWITCH_NAMESPACE} link set {port} master bridge addrgenmode none up".split()
