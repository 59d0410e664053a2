"""Which hosts can be a Dask cluster, and how it gets to them."""

from dataclasses import replace
from pathlib import Path

import pytest

from remote.errors import ConfigError
from remote.hosts.cluster import cluster, ssh_options
from remote.hosts.host import Host
from remote.hosts.inventory import Inventory

HOST = Host(
    name="c1", role="clients", address="10.0.0.4", data_address="10.0.0.4", port=2222, user="me",
    known_hosts=Path("/keys/known_hosts"),
)  # fmt: skip


def inventory(*hosts):
    return Inventory(path=Path("inventory.yml"), hosts=hosts, fleet="mine", topology="unknown")


def test_the_way_to_a_host_is_that_of_the_inventory_and_no_other():
    known = {"port": 2222, "username": "me", "known_hosts": "/keys/known_hosts", "config": None}
    assert ssh_options(HOST) == known
    with_key = ssh_options(replace(HOST, identity_file=Path("/keys/id")))
    assert with_key == known | {"client_keys": ["/keys/id"], "agent_path": None}


def test_a_host_behind_another_is_refused():
    behind = replace(HOST, name="c2", jump=HOST)
    message = r"inventory.yml: c2 is reached through a jump host"
    with pytest.raises(ConfigError, match=message), cluster(inventory(HOST, behind), "python3"):
        pass


def test_a_public_host_is_refused():
    public = replace(HOST, name="s1", data_address="8.8.8.8")
    with pytest.raises(ConfigError, match=r"s1 on 8\.8\.8\.8 would listen where the whole"):
        cluster(inventory(HOST, public), "python3").__enter__()
