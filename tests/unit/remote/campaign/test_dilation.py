from pathlib import Path

import pytest

from remote.campaign.dilation import time_dilations
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
