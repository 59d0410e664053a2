from pathlib import Path

import pytest

import remote
from remote.errors import ConfigError
from remote.inventory import Inventory

TEXT = """
all:
  vars: {ansible_user: lab, mwlab_known_hosts: /tmp/known, mwlab_route_device: mwlab-ctl}
  children:
    clients:
      vars: {mwlab_rate_mbit_per_s: 200}
      hosts:
        c1: {ansible_host: 192.0.2.1}
        c2: {ansible_host: 192.0.2.2, mwlab_rate_mbit_per_s: 50, ansible_port: 2222}
    servers:
      hosts: {s1: }
"""


def read(folder: Path, text: str) -> Inventory:
    path = folder / "inventory.yml"
    path.write_text(text)
    return Inventory.read(path)


def test_inventory_merges_variables_from_all_group_and_host(tmp_path):
    c1, c2, s1 = read(tmp_path, TEXT).hosts
    assert (c1.user, c1.rate_mbit_per_s, c1.port) == ("lab", 200, 22)
    assert (c2.rate_mbit_per_s, c2.port) == (50, 2222)
    assert (s1.address, s1.data_address, s1.route_device) == ("s1", "s1", "mwlab-ctl")
    assert s1.known_hosts == Path("/tmp/known")


def test_inventory_knows_the_emulated_network(tmp_path):
    plain = read(tmp_path, TEXT)
    assert (plain.time_dilation, plain.rtt_ms, plain.delay) == (1, None, "none")
    assert plain.hosts[0].cpu_account is None
    own = "mwlab_time_dilation: 4, mwlab_rtt_ms: 0.9, mwlab_delay: netem, mwlab_cpu_account: /a/b"
    emulated = read(tmp_path, TEXT.replace("ansible_user: lab", own, 1))
    assert (emulated.time_dilation, emulated.rtt_ms, emulated.delay) == (4, 0.9, "netem")
    assert emulated.hosts[0].cpu_account == "/a/b"


def test_inventory_takes_hosts_of_a_role_in_order(tmp_path):
    inventory = read(tmp_path, TEXT)
    assert [h.name for h in inventory.take("clients", 1)] == ["c1"]
    with pytest.raises(ConfigError, match="2 servers are needed, the inventory has 1"):
        inventory.take("servers", 2)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ansible_port: 2222", "ansible_port: ssh", "c2.ansible_port must be a number > 0"),
        ("mwlab_rate_mbit_per_s: 50", "mwlab_rate_mbit_per_s: -1", "must be a number > 0, got -1"),
        ("ansible_user: lab", "mwlab_rtt_ms: 0.9 ms", r"all\.vars\.mwlab_rtt_ms must be a number"),
        ("hosts: {s1: }", "hosts: [s1]", "servers.hosts must be a mapping"),
        ("hosts: {s1: }", "hosts: {c1: }", "hosts in more than one role: c1"),
        ("all:", "clients:", "the top level must be the group `all`"),
        ("all:", "all: [", "not YAML"),
    ],
)
def test_inventory_names_file_and_place_of_a_mistake(tmp_path, old, new, message):
    with pytest.raises(ConfigError, match=message) as error:
        read(tmp_path, TEXT.replace(old, new, 1))
    assert "inventory.yml" in str(error.value)


def test_inventory_that_is_missing_says_what_to_do(tmp_path):
    with pytest.raises(ConfigError, match="no such inventory: copy remote/inventory"):
        Inventory.read(tmp_path / "none.yml")


def test_example_inventory_is_valid():
    inventory = Inventory.read(Path(remote.__file__).parent / "inventory.example.yml")
    assert len(inventory.hosts) == 8
    assert inventory.hosts[0].data_address == "10.0.0.11"
