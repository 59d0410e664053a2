import os
import pwd
from pathlib import Path

import pytest

from remote.campaign.record import topology_of
from remote.errors import ConfigError, LabError
from remote.hosts.inventory import Inventory
from remote.providers import fleets
from remote.providers.fleets import find_lab, inventory_path, why_not_local
from remote.providers.local_lab import LocalLab, requirements
from remote.providers.loopback import (
    LoopbackLab,
    addresses,
    inventory_text,
    sshd_config,
    state_dir,
)


def test_hosts_have_addresses_of_their_own_and_other_users_others():
    mine, theirs = addresses(1000), addresses(1001)
    assert len(set(mine.values()) | set(theirs.values())) == 16
    assert all(address.startswith("127.") for address in mine.values())


def test_inventory_says_that_nothing_is_shaped(tmp_path):
    path = tmp_path / "inventory.yml"
    path.write_text(inventory_text(tmp_path, "me", 2200, addresses(1000)))
    inventory = Inventory.read(path)
    assert (inventory.fleet, inventory.topology) == ("loopback", "loopback-unshaped")
    assert topology_of(inventory).delay == "none"
    assert len({host.work_dir for host in inventory.hosts}) == 8
    assert {host.port for host in inventory.hosts} == {2200}
    assert all(host.rate_mbit_per_s is None for host in inventory.hosts)


def test_sshd_lets_in_only_its_user_and_only_by_key(tmp_path):
    lines = sshd_config(tmp_path, "me", 2200, ["127.0.0.2"], "/bin").splitlines()
    assert {"AllowUsers me", "AuthenticationMethods publickey"} <= set(lines)
    assert "ListenAddress 127.0.0.2:2200" in lines
    assert not any(line.startswith("Port") for line in lines)


def test_state_lies_where_the_user_may_write(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "none"))
    assert state_dir() == tmp_path / "home/.cache/middleware-lab/loopback"
    (tmp_path / "none").mkdir()
    assert state_dir() == tmp_path / "none/middleware-lab-loopback"


def account(monkeypatch, shell):
    entry = pwd.struct_passwd(("me", "x", 1000, 1000, "", "/home/me", shell))
    monkeypatch.setattr(pwd, "getpwuid", lambda _: entry)


def test_account_into_which_sshd_lets_nobody_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    account(monkeypatch, "/usr/sbin/nologin")
    with pytest.raises(LabError, match=r"login shell /usr/sbin/nologin.*usermod --shell"):
        LoopbackLab().up()

    def unknown(_):
        raise KeyError

    monkeypatch.setattr(pwd, "getpwuid", unknown)
    with pytest.raises(LabError, match="has no entry in /etc/passwd"):
        LoopbackLab().up()
    assert list(tmp_path.iterdir()) == []


def test_name_of_a_fleet_leads_to_its_inventory_and_its_lab(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    assert inventory_path("local") == fleets.LOCAL_LAB_INVENTORY
    with pytest.raises(ConfigError, match="run `lab up --fleet loopback` first"):
        inventory_path("loopback")
    assert inventory_path(str(tmp_path)) == tmp_path
    assert inventory_path("remote/inventory.example.yml").is_file()
    assert isinstance(find_lab("local"), LocalLab)
    assert isinstance(find_lab("loopback"), LoopbackLab)
    assert find_lab("inventory.yml") is None


def test_reason_against_the_local_lab_is_that_of_its_requirements(monkeypatch):
    def refuse():
        raise LabError("the local lab needs root", "Run with sudo")

    monkeypatch.setattr(requirements, "check_all", refuse)
    assert why_not_local().startswith("the local lab needs root")


def test_loopback_that_is_down_has_no_hosts(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    LoopbackLab().down()
    assert LoopbackLab().status() == []
    assert Path(os.environ["XDG_RUNTIME_DIR"]).is_dir()
