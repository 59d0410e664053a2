"""Processors that are kept awake, with files in place of the kernel's."""

import pytest

from remote import processors
from remote.processors import kept_awake, wake_up_bound_us

FOREVER_US = 2_000_000_000


@pytest.fixture
def kernel(monkeypatch, tmp_path):
    """The kernel's two files: what it was asked for, and which driver it has."""
    latency, driver = tmp_path / "cpu_dma_latency", tmp_path / "current_driver"
    latency.write_bytes(FOREVER_US.to_bytes(4, "little"))
    driver.write_text("haltpoll\n")
    monkeypatch.setattr(processors, "LATENCY", latency)
    monkeypatch.setattr(processors, "_DRIVER", driver)
    return latency, driver


def test_no_time_to_wake_up_is_asked_for_while_it_lasts(kernel):
    assert wake_up_bound_us() == FOREVER_US
    with kept_awake():
        assert wake_up_bound_us() == 0


@pytest.mark.parametrize("driver", ["none\n", "\n"])
def test_without_a_driver_nothing_is_known(kernel, driver):
    kernel[1].write_text(driver)
    assert wake_up_bound_us() is None


def test_who_may_not_ask_measures_all_the_same(kernel, monkeypatch, tmp_path):
    monkeypatch.setattr(processors, "LATENCY", tmp_path)  # a folder cannot be written to
    with kept_awake():
        assert wake_up_bound_us() is None
