"""Thirty hosts at once: nothing about a fleet is made for eight. Part `hundred-hosts` has more."""

import time

import pytest

from remote.errors import GroupError, HostUnreachable
from remote.hosts.group import Fleet
from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Inventory
from tests.helpers.many_hosts import find_lab


@pytest.fixture
def thirty(no_lab):
    """A lab of thirty hosts without limits."""
    with find_lab(30):
        yield


@pytest.mark.usefixtures("thirty")
def test_thirty_hosts_are_connected_used_and_fetched_from(tmp_path):
    content = bytes(range(256)) * 400
    (tmp_path / "file").write_bytes(content)
    with Fleet(Inventory.read(LOCAL_LAB_INVENTORY)) as fleet:
        names = {name: result.stdout.strip() for name, result in fleet.run("hostname").items()}
        fleet.put(tmp_path / "file", "sent")
        fetched = fleet.get(".")
    assert len(names) == 30
    assert all(name == said for name, said in names.items())
    assert all(files["sent"] == content for files in fetched.values())


@pytest.mark.usefixtures("thirty")
def test_errors_of_several_of_them_are_all_reported():
    with Fleet(Inventory.read(LOCAL_LAB_INVENTORY)) as fleet:
        for name in ("c2", "m3", "s9"):
            fleet[name].run("setsid sh -c 'sleep 0.2; ip link set eth0 down' >/dev/null 2>&1 &")
        fleet.close()
        time.sleep(0.5)
        with pytest.raises(GroupError, match="3 of 30 hosts failed") as error:
            fleet.run("hostname")
        results = error.value.results
        failed = {name for name, r in results.items() if isinstance(r, HostUnreachable)}
        assert failed == {"c2", "m3", "s9"}
        assert all(f"{name}: cannot connect" in str(error.value) for name in failed)
        assert sum(1 for r in results.values() if not isinstance(r, Exception)) == 27
