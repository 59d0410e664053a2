import pytest

from remote.campaign.sharing.stand_ins import ADDRESSES, StandIns

PLACES = {"c1": ("clients", 1), "s1": ("servers", 1), "s2": ("servers", 2), "d1": ("databases", 1)}
KNOWN = {
    "10.0.0.31": "s1",
    "10.0.0.4": "s2",
    "2a01:4f8:0:1::31": "s1",
    "10.0.0.41": "d1",
    "gate.example.org": "c1",
    "get": "s2",
}


@pytest.fixture
def stand_ins():
    return StandIns(PLACES, KNOWN, frozenset({"/srv/jane/mwlab"}))


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ("--server=10.0.0.31 -p 1", "--server=198.51.100.1 -p 1"),
        ("10.0.0.4:11211,10.0.0.31:11211.", "198.51.100.2:11211,198.51.100.1:11211."),
        ("postgresql://messages@10.0.0.41:5432", "postgresql://messages@198.51.100.129:5432"),
        ("[2a01:4f8:0:1::31]:22", "[2001:db8::2:1]:22"),
        ("8.8.8.8 and 9.9.9.9, 8.8.8.8", "203.0.113.254 and 203.0.113.253, 203.0.113.254"),
        ("to 198.18.0.31 at 127.0.0.1, ::1, 0.0.0.0", "to 198.18.0.31 at 127.0.0.1, ::1, 0.0.0.0"),
        ("1.2.3 and 1.2.3.4.5 and 300.1.1.1", "1.2.3 and 1.2.3.4.5 and 300.1.1.1"),
        ("at 19:52:22 it took 0.04/0.1/0.2", "at 19:52:22 it took 0.04/0.1/0.2"),
        ("/home/jane/x and /Users/jane.doe/y", "/home/user/x and /Users/user/y"),
        ("no file /home/jane/.ssh/id_jane", "no file /home/user/.ssh/key"),
        ("/root/.ssh/known_hosts", "/root/.ssh/known_hosts"),
        ("ssh jane@10.0.0.31, root@10.0.0.4", "ssh user@198.51.100.1, root@198.51.100.2"),
        ("s1: user jane was refused", "s1: user user was refused"),
        ("the key (SHA256:" + "a" * 42 + "/)", "the key (SHA256:left-out)"),
        ("ssh-ed25519 AAAAC3Nz+/= jane@here", "ssh-ed25519 left-out"),
        ('"Host:","jane-pc",,,,"User:","jane"', '"Host:","c1",,,,"User:","user"'),
        ('"Host:","c1",,,,"User:","root"', '"Host:","c1",,,,"User:","root"'),
        ('"system_info":\t"Linux jane-pc 6.1 x"', '"system_info":\t"Linux c1 6.1 x"'),
        ("/srv/jane/mwlab/bin/dool 1", "/work/bin/dool 1"),
        ("ping gate.example.org", "ping c1"),
        ("set and get", "set and get"),
    ],
)
def test_nothing_is_told_of_people_and_machines(stand_ins, text, shared):
    assert stand_ins.text(text, "c1") == shared
    assert stand_ins.text(shared, "c1") == shared


def test_what_was_found_is_told_with_what_stands_there_now(stand_ins):
    stand_ins.text("10.0.0.31 198.18.0.11")
    assert stand_ins.found == {ADDRESSES: {"10.0.0.31": "198.51.100.1"}}
    assert stand_ins.has_lab_addresses


@pytest.mark.parametrize("text", ["ssh-" * 100_000, "ssh-" * 100_000 + " AAAA"])
def test_texts_without_end_are_gone_over_once(stand_ins, text):
    assert stand_ins.text(text) == text
