import os
import signal

import pytest

from remote.providers.local_lab import LocalLab

# What a shell starts in the background has SIGINT ignored, and so would all that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


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
