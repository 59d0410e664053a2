import itertools
from dataclasses import replace
from pathlib import Path

from remote.experiment.sessions.pairs import first_of_alike, reply_pairs, request_pairs
from remote.hosts.host import Host

RATES = {"c1": 200.0, "c2": 200.0, "s1": 100.0, "s2": 100.0, "s3": 25.0}
ROLES = {"c": "clients", "s": "servers"}
HOSTS = [
    Host(
        name=name, role=ROLES[name[0]], address=name, data_address=name,
        known_hosts=Path("known_hosts"), rate_mbit_per_s=rate,
    )
    for name, rate in RATES.items()
]  # fmt: skip


def names(pairs):
    return [f"{sender.name}-{receiver.name}" for sender, receiver in pairs]


def test_a_link_with_a_limit_of_its_own_is_measured_too():
    roles = {role: [host for host in HOSTS if host.role == role] for role in ROLES.values()}
    assert names(first_of_alike(reply_pairs(roles))) == ["s1-c1", "s3-c1"]


def test_each_two_roles_are_measured_once():
    found = names(first_of_alike(itertools.permutations(HOSTS, 2)))
    assert found == ["c1-c2", "c1-s1", "s1-c1", "s1-s2", "s3-c1", "s3-s1"]


def test_middlewares_ask_databases_as_they_ask_servers():
    c1, _, s1, *_ = HOSTS
    m1, d1 = replace(c1, name="m1"), replace(s1, name="d1")
    roles = {"clients": [c1], "middlewares": [m1], "servers": [], "databases": [d1]}
    assert names(request_pairs(roles)) == ["c1-m1", "m1-d1"]
    assert names(reply_pairs(roles)) == ["m1-c1", "d1-m1"]
