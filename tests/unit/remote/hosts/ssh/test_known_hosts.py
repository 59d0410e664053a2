import base64
import subprocess

import pytest

from remote.hosts.ssh.known_hosts import fingerprint, parse_pins, pinned_name

A, B, C = ("ssh-ed25519", "AAAAa"), ("ssh-ed25519", "AAAAb"), ("ssh-rsa", "AAAAc")
TEXT = """
# a comment
one.example.org,192.0.2.1 ssh-ed25519 AAAAa someone@somewhere
one.example.org ssh-rsa AAAAc
one.example.org ssh-ed25519 AAAAb a second key of the same type
[one.example.org]:2222 ssh-ed25519 AAAAb
*.lab,!bad.lab ssh-ed25519 AAAAa
@revoked * ssh-ed25519 AAAAb
@cert-authority *.lab ssh-ed25519 AAAAb
damaged
|1|damaged|too ssh-ed25519 AAAAb
"""


@pytest.mark.parametrize(
    ("address", "port", "keys"),
    [
        ("one.example.org", 22, {A, B, C}),
        ("ONE.example.org", 22, {A, B, C}),
        ("192.0.2.1", 22, {A}),
        ("one.example.org", 2222, {B}),
        ("192.0.2.1", 2222, set()),
        ("x.lab", 22, {A}),
        ("bad.lab", 22, set()),
        ("192.0.2.2", 22, set()),
    ],
)
def test_pins_are_those_of_name_and_port(address, port, keys):
    assert parse_pins(TEXT, address, port).keys == keys


def test_revoked_key_is_not_allowed_although_it_is_pinned():
    pins = parse_pins(TEXT, "one.example.org")
    assert pins.allow(*A)
    assert not pins.allow(*B)
    assert not pins.allow("ssh-ed25519", "AAAAx")
    assert pins.types == ["ssh-ed25519", "ssh-rsa"]


@pytest.mark.parametrize(("address", "port"), [("192.0.2.1", 22), ("host.example.org", 2222)])
def test_names_hashed_by_ssh_keygen_are_found(tmp_path, address, port):
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "k"], check=True
    )
    kind, key = (tmp_path / "k.pub").read_text().split()[:2]
    file = tmp_path / "known_hosts"
    file.write_text(f"{pinned_name(address, port)} {kind} {key}\n")
    subprocess.run(["ssh-keygen", "-q", "-H", "-f", file], check=True, capture_output=True)
    text = file.read_text()
    assert text.startswith("|1|")
    assert parse_pins(text, address, port).allow(kind, key)
    assert not parse_pins(text, address, 2200).keys


def test_fingerprint_is_that_of_ssh_keygen(tmp_path):
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "k"], check=True
    )
    shown = subprocess.run(
        ["ssh-keygen", "-lf", tmp_path / "k.pub"], capture_output=True, text=True, check=True
    ).stdout
    key = base64.b64decode((tmp_path / "k.pub").read_text().split()[1])
    assert fingerprint(key) == shown.split()[1]
