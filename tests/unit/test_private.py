"""What tests of shipped campaigns look for: people and their machines, and no stand-ins."""

import pytest

from tests.helpers.private import told


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("--server=10.0.0.31 -p 1", ["10.0.0.31"]),
        ("10.0.0.4:11211,8.8.8.8:11211.", ["10.0.0.4", "8.8.8.8"]),
        ("[2a01:4f8:0:1::31]:22", ["2a01:4f8:0:1::31"]),
        ("to 198.18.0.31 and 203.0.113.1 at 127.0.0.1, ::1, 0.0.0.0, 2001:db8::2:1", []),
        ("1.2.3 and 1.2.3.4.5 and 300.1.1.1 at 19:52:22", []),
        ("/home/jane/x and /Users/jane.doe/y", ["jane", "jane.doe"]),
        ("no file /home/user/.ssh/id_jane, /root/.ssh/known_hosts", ["id_jane"]),
        ("ssh jane@198.51.100.1, root@198.51.100.2, user@s1", ["jane"]),
        ("s1: user jane was refused", ["jane"]),
        ("the key (SHA256:" + "a" * 43 + ")", ["a" * 43]),
        ("ssh-ed25519 AAAAC3Nz+/=", ["AAAAC3Nz+/="]),
        ("the key (SHA256:left-out) ssh-ed25519 left-out", []),
        ('"Host:","jane-pc",,,,"User:","jane"', ["jane-pc", "jane"]),
        ('"Host:","c1",,,,"User:","root"', []),
        ('"system_info":\t"Linux jane-pc 6.1 x"', ["jane-pc"]),
    ],
)
def test_people_and_their_machines_are_found(text, found):
    assert told(text, "c1") == found
