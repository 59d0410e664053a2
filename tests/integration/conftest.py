import os

import pytest

from remote.group import Fleet
from remote.inventory import Inventory
from remote.testbed import LocalLab, default_inventory_path


@pytest.fixture(scope="session", autouse=True)
def _no_lab_before():
    """A lab that somebody uses is left alone; what is left of one that has died is removed."""
    if os.geteuid() != 0:
        pytest.skip("the local lab needs root")
    lab = LocalLab()
    if lab.is_running():
        reason = "a lab is up, whose jobs these tests would end: take it down with `lab down`"
        pytest.fail(reason, pytrace=False)
    lab.down()


@pytest.fixture(scope="module")
def fleet():
    """The connections to the hosts of a local lab that is up for the tests of one module."""
    with (
        LocalLab(),
        Fleet(Inventory.read(default_inventory_path())) as fleet,
    ):
        yield fleet
