"""CPUs of databases are given only where there are some to give."""

import pytest

from remote.campaign.lab import require_changeable, with_cpus
from remote.errors import ConfigError
from remote.experiment.section_file import read_section
from remote.hosts.inventory import LOCAL_LAB_INVENTORY, Inventory
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.inventory_file import inventory_text
from remote.providers.local_lab.links.wiring import Delay
from remote.providers.local_lab.topology import Topology


@pytest.fixture
def queue_lab(tmp_path):
    """The inventory of a lab of topology `queue`, with some fields of its databases changed."""

    def read(place=LOCAL_LAB_INVENTORY, **changes):
        fields = Topology.named("queue").to_dict()
        fields["databases"] |= changes
        fields["databases"] = {k: v for k, v in fields["databases"].items() if v is not None}
        text = inventory_text(
            Topology.from_dict(fields), LabFiles(tmp_path), Delay.LINE, counts_cpu=True
        )
        path = tmp_path / "inventory.yml"
        path.write_text(text)
        inventory = Inventory.read(path)
        object.__setattr__(inventory, "path", place)
        return inventory

    return read


@pytest.mark.parametrize("change", [{"cpu_quota": None}, {"place": "mine.yml"}])
def test_databases_that_cannot_be_limited_are_refused(queue_lab, change):
    with pytest.raises(ConfigError, match=r"section q4 has database_cpus, .* --topology queue"):
        require_changeable([read_section("q4", "smoke")], queue_lab(**change))
    require_changeable([read_section("q2", "smoke")], queue_lab(**change))


def test_a_lab_without_databases_is_refused_with_the_command_to_run(queue_lab):
    inventory = queue_lab()
    object.__setattr__(inventory, "hosts", inventory.role("clients"))
    with pytest.raises(ConfigError, match=r"`lab down` and then `lab up --topology queue`"):
        inventory.take("databases", 1)
    with pytest.raises(ConfigError, match=r"has 0: run `lab down` and then `lab up`$"):
        inventory.take("servers", 1)


def test_hosts_that_are_given_cpus_stay_what_they_are_otherwise():
    fields = Topology.named("queue").to_dict()
    fields["databases"]["own"] = {"d1": {"cpu_quota": 0.25, "rtt_ms": 5}}
    table = Topology.from_dict(fields).databases
    changed = with_cpus(table, 2.0)
    fields["databases"] = changed.model_dump(exclude_none=True)
    hosts = Topology.from_dict(fields).hosts[-2:]
    assert [(host.name, host.cpu_quota, host.own_rtt_ms) for host in hosts] == [
        ("d1", 2.0, 5),
        ("d2", 2.0, None),
    ]
