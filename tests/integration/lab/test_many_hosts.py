"""Thirty hosts at once: nothing about a fleet is made for eight."""

import time

import pytest

from remote.errors import GroupError, HostUnreachable
from remote.hosts.group import Fleet
from remote.hosts.inventory import Inventory
from remote.providers.local_lab import LocalLab, Topology, default_inventory_path

pytestmark = pytest.mark.integration

COUNTS = {"clients": 15, "middlewares": 5, "servers": 10}
MOST_S = 20.0  # on two busy cores, for connecting and all that follows; an idle machine takes 5


@pytest.fixture(scope="module")
def big_lab():
    """A lab of thirty hosts without limits."""
    plan = Topology.named("unshaped").to_dict() | {"name": "thirty", "work_dir_mib": 16}
    address = 10
    for role, count in COUNTS.items():
        hosts = {}
        for number in range(1, count + 1):
            address += 1
            hosts[f"{role[0]}{number}"] = f"198.18.0.{address}"
        plan[role] = {"hosts": hosts}
    with LocalLab(Topology.from_dict(plan)) as lab:
        yield lab


def test_thirty_hosts_are_connected_used_and_fetched_from_in_time(big_lab, tmp_path):
    content = bytes(range(256)) * 400
    (tmp_path / "file").write_bytes(content)
    begun = time.monotonic()
    with Fleet(Inventory.read(default_inventory_path())) as fleet:
        names = {name: result.stdout.strip() for name, result in fleet.run("hostname").items()}
        fleet.put(tmp_path / "file", "sent")
        fetched = fleet.get(".")
    seconds = time.monotonic() - begun
    assert len(names) == 30
    assert all(name == said for name, said in names.items())
    assert all(files["sent"] == content for files in fetched.values())
    assert seconds < MOST_S


def test_errors_of_several_of_them_are_all_reported(big_lab):
    with Fleet(Inventory.read(default_inventory_path())) as fleet:
        for name in ("c2", "m4", "s9"):
            fleet[name].run("setsid sh -c 'sleep 0.2; ip link set eth0 down' >/dev/null 2>&1 &")
        fleet.close()
        time.sleep(0.5)
        with pytest.raises(GroupError, match="3 of 30 hosts failed") as error:
            fleet.run("hostname")
        results = error.value.results
        failed = {name for name, r in results.items() if isinstance(r, HostUnreachable)}
        assert failed == {"c2", "m4", "s9"}
        assert all(f"{name}: cannot connect" in str(error.value) for name in failed)
        assert sum(1 for r in results.values() if not isinstance(r, Exception)) == 27
