"""The commands that build the lab's network."""

import pytest

from remote.testbed.network import network_commands
from remote.testbed.topology import Egress, LabHost, Topology


def topology(egress):
    host = LabHost(name="s1", role="servers", address="198.18.7.31", egress=egress)
    return Topology(
        name="one",
        network="198.18.7.0/25",
        control_address="198.18.7.1",
        work_dir_mib=64,
        hosts=(host,),
    )


def test_commands_of_one_host():
    egress = Egress(rate_mbit_per_s=2.5, burst_kib=16, queue_kib=100)
    assert [" ".join(command) for command in network_commands(topology(egress))] == [
        "ip netns add mwlab-switch",
        "ip -n mwlab-switch link add bridge type bridge forward_delay 0 mcast_snooping 0",
        "ip -n mwlab-switch link set bridge addrgenmode none up",
        "ip netns add mwlab-s1",
        "ip link add eth0 netns mwlab-s1 type veth peer name to-s1 netns mwlab-switch",
        "ip -n mwlab-switch link set to-s1 master bridge addrgenmode none up",
        "ip -n mwlab-s1 address add 198.18.7.31/25 dev eth0",
        "ip -n mwlab-s1 link set eth0 addrgenmode none up",
        "ip -n mwlab-s1 link set lo up",
        "tc -n mwlab-s1 qdisc add dev eth0 root tbf rate 2500000bit burst 16kb limit 100kb",
        "ip link add mwlab-ctl type veth peer name to-control netns mwlab-switch",
        "ip -n mwlab-switch link set to-control master bridge addrgenmode none up",
        "ip address add 198.18.7.1/25 dev mwlab-ctl",
        "ip link set mwlab-ctl addrgenmode none up",
    ]


def test_host_without_limit_has_no_qdisc():
    assert not [command for command in network_commands(topology(None)) if command[0] == "tc"]


@pytest.mark.parametrize("name", ["azure", "unshaped"])
def test_only_the_control_device_is_made_in_the_machines_own_namespace(name):
    outside = [
        command
        for command in network_commands(Topology.named(name))
        if command[1] not in ("-n", "netns") and command.count("netns") < 2
    ]
    assert len(outside) == 3
    assert all("mwlab-ctl" in command for command in outside)
