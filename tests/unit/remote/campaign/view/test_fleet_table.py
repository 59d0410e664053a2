import pandas as pd
import pytest

from remote.campaign.view.fleet_table import fleet_table, hosts_at_a_glance
from remote.errors import ConfigError
from remote.hosts.provision.table import COLUMNS


def table(*rows):
    return pd.DataFrame(rows, columns=list(COLUMNS))


def test_no_fleet_is_not_asked():
    found = fleet_table("none")
    assert found.empty
    assert hosts_at_a_glance(found).empty


def test_a_missing_inventory_is_an_error(tmp_path):
    with pytest.raises(ConfigError):
        fleet_table(str(tmp_path / "inventory.yml"))


def test_what_hosts_lack_stands_with_its_remedy():
    found = table(
        ("c1", "clients", "up", "java", True, True, "17", ""),
        ("s1", "servers", "up", "memcached", True, False, "", "ssh s1 apt-get install memcached"),
        ("s2", "servers", "down: no route", "", True, False, "", "ssh s2"),
    )
    glance = hosts_at_a_glance(found).set_index("host")
    assert glance.loc["c1", "present"] == "java"
    assert glance.loc["s1", "lacks"] == "memcached"
