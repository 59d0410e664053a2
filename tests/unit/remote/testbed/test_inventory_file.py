"""The lab's inventory is one that `remote.inventory` and Ansible read."""

from pathlib import Path

import yaml

from remote.inventory import Inventory
from remote.testbed.files import LabFiles
from remote.testbed.inventory_file import inventory_text
from remote.testbed.topology import Topology


def test_inventory_is_read_back_with_every_host_of_the_topology(tmp_path):
    topology = Topology.named("azure")
    path = tmp_path / "inventory.yml"
    path.write_text(inventory_text(topology, LabFiles(tmp_path)))
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


def test_unshaped_hosts_have_no_rate():
    text = inventory_text(Topology.named("unshaped"), LabFiles(Path("/nowhere")))
    servers = yaml.safe_load(text)["all"]["children"]["servers"]["hosts"]
    assert servers["s1"] == {"ansible_host": "198.18.0.31"}
