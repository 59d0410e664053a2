"""Labs of other topologies than the default one."""

import time

import pytest

from remote.errors import LabError
from remote.hosts.group import Fleet
from remote.hosts.inventory import Inventory
from remote.providers.local_lab import LocalLab, Topology, default_inventory_path
from tests.helpers.network import TOLERANCE_MS, cpu_seconds, smallest_rtt_ms

pytestmark = pytest.mark.integration


@pytest.fixture
def own_lab():
    """Bring up a lab of a topology, with connections to its hosts, for one test."""
    lab, fleets = LocalLab(), []

    def up(topology):
        LocalLab(topology).up()
        fleets.append(Fleet(Inventory.read(default_inventory_path())))
        return lab, fleets[0]

    yield up
    for fleet in fleets:
        fleet.close()
    lab.down()


def test_dilation_needs_a_lab():
    with pytest.raises(LabError, match="not up"):
        LocalLab().dilate(2)


def test_lab_is_reshaped_in_place(own_lab):
    azure = Topology.named("azure").to_dict()
    lab, fleet = own_lab(Topology.from_dict(azure))
    before = [state.sshd_pid for state in lab.status()]
    azure["servers"]["egress"]["rate_mbit_per_s"] *= 1.2
    azure["rtt_ms"] *= 2
    inventory = Inventory.read(lab.reshape(Topology.from_dict(azure)))
    assert {host.rate_mbit_per_s for host in inventory.hosts if host.role == "servers"} == {120}
    assert inventory.rtt_ms == 1.8
    assert smallest_rtt_ms(fleet) == pytest.approx(lab.switch().line_rtt_ms, abs=TOLERANCE_MS)
    assert [state.sshd_pid for state in lab.status()] == before
    with pytest.raises(LabError, match="has other hosts than `unshaped`, or other limits"):
        lab.reshape(Topology.named("unshaped"))


def test_unshaped_lab_has_no_delay(own_lab):
    lab, fleet = own_lab(Topology.named("unshaped"))
    assert lab.switch().line_pid is None
    assert fleet.inventory.delay == "none"
    assert smallest_rtt_ms(fleet) < Topology.named("azure").rtt_ms / 2


def test_quota_limits_all_processes_of_a_host_together(own_lab):
    data = Topology.named("azure").to_dict()
    data["clients"]["cpu_quota"] = 0.2
    lab, fleet = own_lab(Topology.from_dict(data))
    for k, most in ((1, 0.2), (2, 0.1)):
        lab.dilate(k)
        before = cpu_seconds(fleet, "c1")
        started_s = time.monotonic()
        fleet["c1"].run(
            "for i in 1 2; do timeout 2 sh -c 'while :; do :; done' & done; wait", check=False
        )
        used = cpu_seconds(fleet, "c1") - before
        assert used / (time.monotonic() - started_s) == pytest.approx(most, rel=0.3)


def test_thirty_hosts_come_up_quickly_and_reach_each_other(own_lab):
    data = Topology.named("azure").to_dict()
    for role, letter, first in (
        ("clients", "c", 11),
        ("middlewares", "m", 51),
        ("servers", "s", 91),
    ):
        data[role]["hosts"] = {f"{letter}{i + 1}": f"198.18.0.{first + i}" for i in range(10)}
    started_s = time.monotonic()
    lab, fleet = own_lab(Topology.from_dict(data))
    assert time.monotonic() - started_s < 20
    pings = " && ".join(f"ping -q -c 1 -W 2 s{i} >/dev/null" for i in range(1, 11))
    for result in fleet.run(pings).values():
        assert result.exit_status == 0
    assert smallest_rtt_ms(fleet, "c10", "m10") == pytest.approx(
        lab.switch().line_rtt_ms, abs=TOLERANCE_MS
    )
