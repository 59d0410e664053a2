"""The lab's inventory is one that `remote.hosts.inventory` and Ansible read."""

import pytest

from remote.campaign.record import topology_of
from remote.hosts.inventory import Inventory
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.inventory_file import inventory_text
from remote.providers.local_lab.links.wiring import Delay
from remote.providers.local_lab.topology import Topology


def test_inventory_is_read_back_with_every_host_of_the_topology(tmp_path):
    topology = Topology.named("azure")
    path = tmp_path / "inventory.yml"
    text = inventory_text(
        topology, LabFiles(tmp_path), Delay.LINE, counts_cpu=True, program_user="nobody"
    )
    path.write_text(text)
    inventory = Inventory.read(path)
    assert (inventory.fleet, inventory.topology) == ("local-lab", "azure")
    assert [(h.name, h.role, h.address, h.rate_mbit_per_s) for h in inventory.hosts] == [
        (h.name, h.role, h.address, h.egress.rate_mbit_per_s) for h in topology.hosts
    ]
    for host in inventory.hosts:
        assert host.identity_file == tmp_path / "id_ed25519"
        assert host.known_hosts == tmp_path / "known_hosts"
        assert host.work_dir == "/run/middleware-lab/work"
        assert host.route_device == "mwlab-ctl"
        assert host.program_user == "nobody"


@pytest.mark.parametrize("k", [1, 4, 2.5])
def test_inventory_says_how_the_network_is_emulated_in_undilated_terms(tmp_path, k):
    path = tmp_path / "inventory.yml"
    topology = Topology.named("azure").dilated(k)
    path.write_text(inventory_text(topology, LabFiles(tmp_path), Delay.LINE, counts_cpu=True))
    inventory = Inventory.read(path)
    assert (inventory.time_dilation, inventory.rtt_ms, inventory.delay) == (k, 0.9, "delay-line")
    assert {h.rate_mbit_per_s for h in inventory.hosts} == {209.1, 836.5, 104.6}
    assert {h.cpu_account for h in inventory.hosts} == {"/run/middleware-lab/cpu_account"}


@pytest.mark.parametrize(("k", "line_rtt_ms"), [(1, 0.75), (4, 3.45), (0.2, 0.09)])
def test_inventory_says_how_the_lab_is_calibrated(tmp_path, k, line_rtt_ms):
    path = tmp_path / "inventory.yml"
    azure = Topology.named("azure").dilated(k)
    path.write_text(inventory_text(azure, LabFiles(tmp_path), Delay.LINE, counts_cpu=True))
    assert Inventory.read(path).calibration is None
    known = azure.calibrated(0.15)
    path.write_text(inventory_text(known, LabFiles(tmp_path), Delay.LINE, counts_cpu=True))
    assert Inventory.read(path).calibration == {
        "rtt_ms": 0.9,
        "line_rtt_ms": pytest.approx(line_rtt_ms),
        "wake_up_ms": 0.15,
    }
    path.write_text(
        inventory_text(azure.calibrated(0.0), LabFiles(tmp_path), Delay.LINE, counts_cpu=True)
    )
    assert Inventory.read(path).wake_up_ms == 0


def test_inventory_says_which_hosts_are_farther_away(tmp_path):
    data = Topology.named("azure").to_dict()
    egress = {"rate_mbit_per_s": 25, "burst_kib": 16, "queue_kib": 4096}
    data["servers"]["own"] = {"s3": {"rtt_ms": 5, "egress": egress}}
    path = tmp_path / "inventory.yml"
    topology = Topology.from_dict(data).dilated(4)
    path.write_text(inventory_text(topology, LabFiles(tmp_path), Delay.LINE, counts_cpu=True))
    inventory = Inventory.read(path)
    s2, s3 = inventory.hosts[-2:]
    assert (s2.own_rtt_ms, s2.rate_mbit_per_s) == (None, 104.6)
    assert (s3.own_rtt_ms, s3.rate_mbit_per_s) == (5, 25)
    assert inventory.rtt_ms == 0.9
    assert topology_of(inventory).own_rtt_ms == {"s3": 5}


def test_hosts_of_an_ordinary_user_are_reached_by_a_command(tmp_path, monkeypatch):
    path = tmp_path / "inventory.yml"
    monkeypatch.setattr("remote.hosts.inventory.LOCAL_LAB_INVENTORY", path)
    command = "nsenter --target=5 -- python '/a b/dial.py' %h %p"
    text = inventory_text(
        Topology.named("unshaped"),
        LabFiles(tmp_path),
        Delay.NONE,
        counts_cpu=False,
        user="me",
        connect_command=command,
    )
    path.write_text(text)
    for host in Inventory.read(path).hosts:
        assert (host.user, host.connect_command, host.jump) == ("me", command, None)
        assert host.route_device is None


def test_manifests_tell_the_quotas_of_hosts_that_have_one(tmp_path):
    path = tmp_path / "inventory.yml"
    data = Topology.named("azure").to_dict()
    data["servers"]["cpu_quota"] = 0.5
    for fields, quotas in ((data, {"s1": 0.5, "s2": 0.5, "s3": 0.5}), ({}, {})):
        topology = Topology.from_dict(fields) if fields else Topology.named("azure")
        text = inventory_text(topology.dilated(4), LabFiles(tmp_path), Delay.LINE, counts_cpu=True)
        path.write_text(text)
        assert topology_of(Inventory.read(path)).cpu_quotas == quotas


def test_manifests_tell_the_processors_that_the_lab_emulates(tmp_path):
    path = tmp_path / "inventory.yml"
    data = Topology.named("azure").to_dict()
    data["middlewares"]["own"] = {"m2": {"processor": {"reply_us": 60.5, "forward_us": 10}}}
    for is_hidden, processors in ((False, {"m2": "60.5 10 0"}), (True, {})):
        topology = Topology.from_dict(data | {"is_hidden": is_hidden})
        text = inventory_text(topology.dilated(4), LabFiles(tmp_path), Delay.LINE, counts_cpu=True)
        path.write_text(text)
        assert topology_of(Inventory.read(path)).processors == processors


def test_processors_of_their_own_are_told_where_there_is_more_than_one(tmp_path):
    path, queue = tmp_path / "inventory.yml", Topology.named("queue")
    for num_processors, apart in ((1, ""), (2, "databases")):
        text = inventory_text(
            queue,
            LabFiles(tmp_path),
            Delay.LINE,
            counts_cpu=True,
            num_processors=num_processors,
        )
        path.write_text(text)
        assert Inventory.read(path).own_processors == apart
