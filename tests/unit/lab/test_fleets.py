import pandas as pd
import pytest
from click.testing import CliRunner

from lab import fleets
from lab.cli import main
from remote.hosts.provision.table import COLUMNS

INVENTORY = """
all:
  vars: {ansible_user: lab}
  children:
    servers: {hosts: {s1: {ansible_host: 192.0.2.31}}}
    middlewares: {hosts: {m1: {ansible_host: 192.0.2.21}}}
"""
WIDEST = 100


@pytest.fixture
def inventory(tmp_path):
    path = tmp_path / "inventory.yml"
    path.write_text(INVENTORY)
    return path


def test_remedies_stand_below_the_table_each_on_a_line_to_copy(inventory, monkeypatch):
    remedy = f"ssh -o UserKnownHostsFile=/{'k' * 150} lab@192.0.2.31 'sudo apt-get install ping'"
    said = f"ping from iputils, {'x' * 100}"
    rows = [
        ("s1", "servers", "up", "memcached", True, False, "", remedy),
        ("s1", "servers", "up", "ping", True, False, said, remedy),
        ("m1", "middlewares", f"down: {'no answer ' * 20}", "", True, False, "", "ssh m1"),
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    monkeypatch.setattr(fleets, "hosts_table", lambda _: table)
    shown = CliRunner().invoke(main, ["hosts", str(inventory)])
    assert shown.exit_code == 1
    told = f"What mends that, each line by itself, or `lab provision {inventory}` for all:\n"
    above, remedies = shown.output.split(told)
    assert remedies.splitlines() == [remedy, "ssh m1"]
    assert max(map(len, above.splitlines())) <= WIDEST
    assert above.split().count("memcached") == 1


def lab_run(inventory, *words):
    how = ["--fleet", str(inventory), "--campaign", "never-begun", *words]
    return CliRunner().invoke(main, ["run", "2.1", *how])


def test_dry_run_says_which_hosts_an_inventory_lacks(inventory):
    shown = lab_run(inventory, "--dry-run")
    assert "runs to measure" in shown.output
    assert "3 clients are needed, the inventory has 0: add hosts to the group `clients`" in (
        shown.output
    )
    assert shown.exit_code == 1


def test_refusal_for_lack_of_hosts_begins_no_campaign(inventory):
    refused = lab_run(inventory)
    assert refused.exit_code == 1
    assert "3 clients are needed" in refused.output
    assert not (fleets.DATA / "never-begun").exists()
