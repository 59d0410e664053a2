"""Texts that sshd and ssh read."""

from remote.providers.local_lab.sshd import etc_hosts, known_hosts_text, sshd_config
from remote.providers.local_lab.topology import Topology

AZURE = Topology.named("azure")


def test_sshd_config_listens_on_the_hosts_own_address_and_takes_keys_only():
    lines = sshd_config(AZURE.hosts[0]).splitlines()
    assert "ListenAddress 198.18.0.11:22" in lines
    assert "AuthenticationMethods publickey" in lines
    assert "PasswordAuthentication no" in lines


def test_hosts_of_an_ordinary_user_let_in_nobody_else():
    lines = sshd_config(AZURE.hosts[0], "me").splitlines()
    assert "AllowUsers me" in lines
    assert "StrictModes no" in lines
    assert "StrictModes yes" in sshd_config(AZURE.hosts[0]).splitlines()


def test_known_hosts_pins_each_address_without_the_comment():
    keys = {"198.18.0.11": "ssh-ed25519 AAAA c1\n", "198.18.0.31": "ssh-ed25519 BBBB s1\n"}
    assert known_hosts_text(keys) == (
        "198.18.0.11 ssh-ed25519 AAAA\n198.18.0.31 ssh-ed25519 BBBB\n"
    )


def test_etc_hosts_names_every_host_once():
    entries = [line.split() for line in etc_hosts(AZURE).splitlines()]
    assert entries[0] == ["127.0.0.1", "localhost"]
    assert [entry[1] for entry in entries[1:]] == [host.name for host in AZURE.hosts]
    assert ["198.18.0.31", "s1"] in entries
