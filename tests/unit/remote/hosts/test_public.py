"""Hosts that would listen where the Internet can ask."""

import socket
from pathlib import Path

import pytest

from remote.errors import ConfigError
from remote.hosts.host import Host
from remote.hosts.public import is_public, require_private

PINS = Path("known_hosts")


def host(address, name="s1"):
    return Host(
        name=name, role="servers", address="192.0.2.1", data_address=address, known_hosts=PINS
    )


@pytest.mark.parametrize(
    ("address", "is_one"),
    [
        *((a, False) for a in ("10.0.0.4", "192.168.1.2", "172.16.0.1", "100.64.0.1")),
        *((a, False) for a in ("127.0.0.1", "198.18.0.21", "fe80::1%lo", "fd00::1", "localhost")),
        *((a, True) for a in ("8.8.8.8", "20.61.3.4", "2a00:1450:4001::1", "::ffff:8.8.8.8")),
        *((a, True) for a in ("0.0.0.0", "::")),  # all that the host has
        ("x" * 64, False),  # no name at all
    ],
)
def test_public_is_what_is_routed_globally(address, is_one):
    assert is_public(host(address)) is is_one


def test_of_a_name_that_only_hosts_know_nothing_is_told(monkeypatch):
    def unknown(*_):
        raise socket.gaierror("Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert not is_public(host("s1.lab"))


def test_all_of_them_are_named_with_what_to_do():
    hosts = [host("10.0.0.4"), host("8.8.8.8", "s2"), host("8.8.4.4", "s3")]
    said = r"azure\.yml: s2 on 8\.8\.8\.8, s3 on 8\.8\.4\.4 would .*--allow-public"
    with pytest.raises(ConfigError, match=said):
        require_private(hosts, Path("azure.yml"))
    require_private(hosts[:1], Path("azure.yml"))
