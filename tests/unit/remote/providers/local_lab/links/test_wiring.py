"""The commands that build the lab's network."""

import pytest

from remote.providers.local_lab.links.wiring import (
    Delay,
    host_commands,
    shaping_commands,
    switch_commands,
)
from remote.providers.local_lab.topology import Egress, RoleTable, Topology


def topology(egress, own=None):
    return Topology(
        name="one",
        network="198.18.7.0/25",
        control_address="198.18.7.1",
        work_dir_mib=64,
        rtt_ms=0.9,
        servers=RoleTable(hosts={"s1": "198.18.7.31"}, egress=egress, own=own),
    )


EGRESS = Egress(rate_mbit_per_s=2.5, burst_kib=16, queue_kib=100)


def network_commands(topology, delay):
    hosts = (command for h in topology.hosts for command in host_commands(h, topology, delay))
    return [*switch_commands(topology, delay), *hosts]


def listed(topology, delay):
    return [" ".join(command) for command in network_commands(topology, delay)]


def test_commands_of_one_host():
    assert listed(topology(EGRESS), Delay.NONE) == [
        "ip netns add mwlab-switch",
        "ip -n mwlab-switch link add bridge type bridge forward_delay 0 mcast_snooping 0",
        "ip -n mwlab-switch link set bridge addrgenmode none up",
        "ip link add mwlab-ctl type veth peer name to-control netns mwlab-switch",
        "ip -n mwlab-switch link set to-control master bridge addrgenmode none up",
        "ip address add 198.18.7.1/25 dev mwlab-ctl",
        "ip link set mwlab-ctl addrgenmode none up",
        "ip netns add mwlab-s1",
        "ip link add eth0 netns mwlab-s1 type veth peer name to-s1 netns mwlab-switch",
        "ip -n mwlab-switch link set to-s1 master bridge addrgenmode none up",
        "ip -n mwlab-s1 address add 198.18.7.31/25 dev eth0",
        "ip -n mwlab-s1 link set eth0 addrgenmode none up",
        "ip -n mwlab-s1 link set lo up",
        "tc -n mwlab-s1 qdisc replace dev eth0 root tbf rate 2500000bit burst 16kb limit 100kb",
    ]


def test_delay_line_takes_the_place_of_the_bridge_and_needs_frames_that_fit_its_rings():
    commands = listed(topology(EGRESS), Delay.LINE)
    assert not [command for command in commands if "bridge" in command]
    up = [command for command in commands if "gso_max_size" in command]
    assert up == [
        "ip link set mwlab-ctl addrgenmode none gso_max_size 8000 up",
        "ip -n mwlab-s1 link set eth0 addrgenmode none gso_max_size 8000 up",
    ]


def test_dilation_divides_the_rate_and_multiplies_the_delay():
    dilated = topology(EGRESS).dilated(4)
    slow = shaping_commands(dilated.hosts[0], dilated, Delay.NETEM)
    tbf, netem = (" ".join(command) for command in slow)
    assert "rate 625000bit burst 16kb limit 100kb" in tbf
    assert "delay 1800us" in netem


def test_host_without_limit_has_no_qdisc():
    commands = network_commands(topology(None), Delay.LINE)
    assert not [command for command in commands if command[0] == "tc"]


@pytest.mark.parametrize("delay", Delay)
def test_only_the_control_device_is_made_in_the_machines_own_namespace(delay):
    outside = [
        command
        for command in network_commands(Topology.named("azure"), delay)
        if command[1] not in ("-n", "netns") and command.count("netns") < 2
    ]
    assert len(outside) == 3
    assert all("mwlab-ctl" in command for command in outside)
