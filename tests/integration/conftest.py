import pytest

from remote.hosts.group import Fleet
from remote.hosts.inventory import Inventory
from remote.providers.local_lab import LocalLab, default_inventory_path
from tests.helpers.ordinary_user import ordinary_user


@pytest.fixture(scope="session", autouse=True)
def _lab_is_free(lab_is_free):
    """All tests here are about hosts of the lab."""


@pytest.fixture(scope="module")
def fleet():
    """The connections to the hosts of a local lab that is up for the tests of one module."""
    with (
        LocalLab(),
        Fleet(Inventory.read(default_inventory_path())) as fleet,
    ):
        yield fleet


@pytest.fixture
def user():
    """A user who is not root."""
    with ordinary_user() as user:
        yield user
