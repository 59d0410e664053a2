import pytest

from remote.group import Fleet
from remote.inventory import Inventory
from remote.testbed import LocalLab, Topology, default_inventory_path


@pytest.fixture(scope="module")
def fleet():
    """The connections to the hosts of a local lab that is up for the tests of one module."""
    with (
        LocalLab(Topology.named("azure")),
        Fleet(Inventory.read(default_inventory_path())) as fleet,
    ):
        yield fleet
