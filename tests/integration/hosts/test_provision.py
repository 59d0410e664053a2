"""Ansible for real against the hosts of the local lab."""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from remote.hosts.group import Fleet
from remote.hosts.inventory import Inventory
from remote.hosts.provision import hosts_table, is_ready
from remote.hosts.provision.ansible import run_playbook


def ansible(program, *arguments, home):
    environment = {**os.environ, "LC_ALL": "C.UTF-8", "ANSIBLE_HOME": str(home)}
    environment |= {"HOME": str(home), "ANSIBLE_NOCOLOR": "1"}
    return subprocess.run(
        [Path(sys.executable).with_name(program), *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def recap(text):
    """The counters of the last lines: host to name to number."""
    rows = re.findall(r"^(\w+)\s+: (ok=.*)$", text, re.MULTILINE)
    return {
        host: {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", counts)} for host, counts in rows
    }


@pytest.fixture
def without_memcached(fleet):
    """s2 as if memcached were not installed on it."""
    s2 = fleet["s2"]
    s2.run("mount --bind /dev/null /usr/bin/memcached")
    yield s2
    s2.run("umount /usr/bin/memcached")


def test_inventory_of_the_lab_serves_ansible_itself(fleet, tmp_path):
    path = fleet.inventory.path
    pong = ansible("ansible", "all", "-i", path, "-m", "ping", home=tmp_path)
    assert pong.returncode == 0, pong.stdout + pong.stderr
    assert pong.stdout.count('"ping": "pong"') == 8
    graph = ansible("ansible-inventory", "-i", path, "--graph", home=tmp_path)
    assert "@middlewares:" in graph.stdout


def test_playbook_changes_nothing_on_hosts_that_have_everything(fleet, capfd):
    for check in (False, True):
        assert run_playbook(fleet.inventory, check=check) == 0
        counts = recap(capfd.readouterr().out)
        assert len(counts) == 8
        assert all(c["changed"] == c["failed"] == c["unreachable"] == 0 for c in counts.values())


def test_check_mode_tells_what_is_missing_and_changes_nothing(fleet, without_memcached, capfd):
    assert run_playbook(fleet.inventory, check=True) == 0
    text = capfd.readouterr().out
    counts = recap(text)
    assert [host for host, c in counts.items() if c["changed"]] == ["s2"]
    assert "missing: memcached; would install memcached" in text


def test_playbook_reaches_hosts_behind_a_jump_host_with_pinned_keys(fleet, capfd, tmp_path):
    text = fleet.inventory.path.read_text()
    path = tmp_path / "inventory.yml"
    path.write_text(
        text.replace("198.18.0.31\n", "198.18.0.31\n          mwlab_jump_host: m1\n", 1)
    )
    inventory = Inventory.read(path)
    assert inventory.take("servers", 1)[0].jump is not None
    assert run_playbook(inventory, check=True) == 0
    assert len(recap(capfd.readouterr().out)) == 8
    empty = tmp_path / "empty"
    empty.write_text("")
    path.write_text(text.replace(str(fleet["c1"].host.known_hosts), str(empty)))
    assert run_playbook(Inventory.read(path), check=True) != 0
    assert all(c["unreachable"] == 1 for c in recap(capfd.readouterr().out).values())


def test_table_names_every_tool_and_the_command_that_mends_it(fleet, without_memcached):
    table = hosts_table(fleet)
    assert set(table["host"]) == {host.name for host in fleet.inventory.hosts}
    lacking = table[table["remedy"] != ""]
    assert lacking[["host", "tool", "present"]].to_numpy().tolist() == [["s2", "memcached", False]]
    (remedy,) = lacking["remedy"]
    command = "apt-get update && apt-get install -y memcached"
    way = r"ssh -i \S+ -o UserKnownHostsFile=\S+"
    assert re.fullmatch(rf"{way} root@198\.18\.0\.32 '{command}'", remedy)
    java = table[(table["host"] == "m1") & (table["tool"] == "java")]
    assert "version" in java["version"].item()
    assert not is_ready(table)


def test_table_shows_hosts_that_are_down_without_an_exception(fleet):
    fleet["c3"].run(
        "setsid sh -c 'sleep 0.2; ip link set eth0 down; sleep 12; "
        "ip link set eth0 up' >/dev/null 2>&1 &"
    )
    with Fleet(fleet.inventory) as other:
        time.sleep(0.5)
        table = hosts_table(other).set_index("host")
    assert table.loc["c3", "state"].startswith("down: ")
    assert table.loc["c3", "remedy"]
    assert (table.drop("c3")["state"] == "up").all()
