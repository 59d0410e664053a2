import pytest

from remote.group import Fleet
from remote.inventory import Inventory
from remote.testbed import LocalLab, default_inventory_path


@pytest.fixture(scope="module")
def fleet():
    """The connections to the hosts of a local lab that is up for the tests of one module."""
    if LocalLab().status():
        pytest.fail("a lab is up, whose jobs these tests would end: take it down with `lab down`")
    with (
        LocalLab(),
        Fleet(Inventory.read(default_inventory_path())) as fleet,
    ):
        yield fleet
