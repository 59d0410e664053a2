import os
import signal
from contextlib import contextmanager

import pytest

from remote.providers.local_lab import LocalLab
from tests.helpers.labs import Labs

# What a shell starts in the background has SIGINT ignored, and so would all that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

OTHER_LABS = ("queue_fleet", "no_lab")


def pytest_collection_modifyitems(items):
    """Put tests that use the same lab next to each other: each lab is started once."""

    def lab_used(item):
        names = getattr(item, "fixturenames", ())
        return next((n for n, name in enumerate(OTHER_LABS, 1) if name in names), 0)

    items.sort(key=lab_used)


@pytest.fixture(scope="session")
def lab_is_free():
    """A lab that somebody uses is left alone; what is left of one that has died is removed."""
    if os.geteuid() != 0:
        pytest.skip("tests of the local lab need root")
    lab = LocalLab()
    if lab.is_running():
        reason = "a lab is up, whose jobs these tests would end: take it down with `lab down`"
        pytest.fail(reason, pytrace=False)
    lab.down()


@pytest.fixture(scope="session")
def labs(lab_is_free):
    """The labs of this test session, none of which is left at its end."""
    labs = Labs()
    yield labs
    labs.down()


@pytest.fixture(scope="module")
def fleet(labs, request):
    """The connections to the hosts of the default topology."""
    with _connected(labs, "azure", request.session) as fleet:
        yield fleet


@pytest.fixture(scope="module")
def queue_fleet(labs, request):
    """The connections to the hosts of the topology with databases."""
    with _connected(labs, "queue", request.session) as fleet:
        yield fleet


@contextmanager
def _connected(labs, topology, session):
    """Connect to a lab that is not used again after a test that failed, whatever that has left."""
    failed = session.testsfailed
    with labs.fleet(topology) as fleet:
        yield fleet
    if session.testsfailed > failed:
        labs.down()


@pytest.fixture
def no_lab(labs):
    """No lab is up before a test that brings up its own, and none after it."""
    labs.down()
    yield
    labs.down()
