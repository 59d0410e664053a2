import itertools
from collections import Counter
from dataclasses import replace

from records.manifest_entries import Links
from remote.experiment.sessions.pairs import (
    MOST_ALONE,
    count_links,
    first_of_alike,
    reply_pairs,
    request_pairs,
    rounds,
)
from tests.helpers.hosts import host

RATES = {"c1": 200.0, "c2": 200.0, "s1": 100.0, "s2": 100.0, "s3": 25.0}
ROLES = {"c": "clients", "s": "servers"}
HOSTS = [host(name, ROLES[name[0]], rate_mbit_per_s=rate) for name, rate in RATES.items()]


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


def many(role, count):
    return [replace(HOSTS[0], name=f"{role[0]}{n}", role=role) for n in range(1, count + 1)]


def test_few_pairs_are_measured_one_after_the_other():
    pairs = list(itertools.permutations(HOSTS, 2))
    assert len(pairs) <= MOST_ALONE
    assert rounds(pairs) == [[pair] for pair in pairs]


def test_no_host_is_in_two_pairs_of_a_round_and_all_pairs_are_measured():
    pairs = list(itertools.product(many("clients", 12), many("servers", 5)))
    found = rounds(pairs)
    for one in found:
        assert len({host.name for pair in one for host in pair}) == 2 * len(one)
    measured = [pair for one in found for pair in one]
    assert sorted(names(measured)) == sorted(names(pairs))
    assert len(found) == 12  # as many as a server has pairs: none could be fewer
    assert count_links(pairs, found) == Links(pairs=60, measured=60, at_once=5)


def test_of_very_many_pairs_a_sample_is_measured_in_which_every_host_is():
    roles = {"clients": many("clients", 60), "middlewares": many("middlewares", 10)}
    roles["servers"] = many("servers", 30)
    pairs = request_pairs(roles)
    found = rounds(pairs)
    times = Counter(host.name for one in found for pair in one for host in pair)
    assert len(pairs) == 900
    assert len(times) == 100
    assert count_links(pairs, found) == Links(pairs=900, measured=130, at_once=10)
    assert max(n for name, n in times.items() if name[0] != "m") <= 2
    few = rounds(pairs, most=10)
    assert len({host for one in few for pair in one for host in pair}) == 100
