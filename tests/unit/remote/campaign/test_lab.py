from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from remote.campaign.lab import time_dilations, undilated
from remote.errors import ConfigError
from remote.experiment.section_file import read_section
from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Inventory

SECTIONS = [read_section(name, "smoke") for name in ("2.1", "4.1")]


def hosts(path: Path, time_dilation: float = 1.0) -> Inventory:
    return Inventory(path=path, hosts=(), fleet="any", topology="any", time_dilation=time_dilation)


def test_local_lab_has_the_dilation_of_each_section():
    lab = hosts(LOCAL_LAB_INVENTORY, time_dilation=3)
    assert time_dilations(SECTIONS, lab, None) == {"2.1": 2, "4.1": 8}
    assert time_dilations(SECTIONS, lab, 2) == {"2.1": 2, "4.1": 2}


def test_other_hosts_have_no_dilation_whatever_the_sections_say():
    machines = hosts(Path("azure.yml"))
    assert time_dilations(SECTIONS, machines, None) == {"2.1": 1, "4.1": 1}
    assert time_dilations(SECTIONS, machines, 1) == {"2.1": 1, "4.1": 1}
    with pytest.raises(ConfigError, match=r"azure.yml: time dilation 4 is asked for, but only"):
        time_dilations(SECTIONS, machines, 4)


@pytest.mark.parametrize("asked", [0, -1, 1001, float("nan")])
def test_dilation_that_no_lab_can_have_is_refused(asked):
    with pytest.raises(ConfigError, match=r"time dilation must be a number 0.01 to 1000, got"):
        time_dilations(SECTIONS, hosts(LOCAL_LAB_INVENTORY), asked)


@pytest.fixture
def lab(monkeypatch):
    """A local lab that only notes what its time dilation is brought to."""
    fleet = SimpleNamespace(inventory=hosts(LOCAL_LAB_INVENTORY, time_dilation=4))
    fleet.brought_to = []

    def dilate(k, *, mixed):
        fleet.brought_to.append(k)
        fleet.mixed = mixed
        fleet.inventory = replace(fleet.inventory, time_dilation=k)

    monkeypatch.setattr("remote.campaign.lab.LocalLab", lambda: SimpleNamespace(dilate=dilate))
    monkeypatch.setattr(
        "remote.campaign.lab.Inventory", SimpleNamespace(read=lambda _: fleet.inventory)
    )
    return fleet


def test_links_are_dilated_again_however_the_work_between_ends(lab):
    with undilated(lab):
        assert lab.brought_to == [1]
        assert lab.mixed
    assert lab.brought_to == [1, 4]
    assert not lab.mixed
    with pytest.raises(OSError, match="full"), undilated(lab):
        raise OSError("full")
    assert lab.brought_to == [1, 4, 1, 4]


def test_links_of_other_hosts_stay_as_they_are():
    machines = SimpleNamespace(inventory=hosts(Path("azure.yml"), time_dilation=2))
    with undilated(machines):
        assert machines.inventory.time_dilation == 2
