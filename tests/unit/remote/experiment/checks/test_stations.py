"""What stations counted, added up from what the checks of runs recorded."""

import pytest

from remote.experiment.checks.agreement import agree
from remote.experiment.checks.stations import station_counts
from tests.helpers.manifests import manifest_of

CLIENTS = {"num_clients": 10}


def counts_of(roles, settings, **counts):
    """Kind of station to runs, expected, counted, allowed, of two runs with the same counts."""
    checks = [dict(agree(name, *numbers, 10)) for name, numbers in counts.items()]
    manifest = manifest_of(roles=roles, settings=settings, checks=checks, **CLIENTS)
    return {
        one.kind: (one.runs, one.expected, one.counted, one.allowed)
        for one in station_counts([manifest, manifest])
    }


def test_servers_without_middlewares_are_added_up():
    roles = {"clients": ["c1"], "servers": ["s1", "s2"]}
    counted = counts_of(
        roles,
        {"multi_get_keys": 2},
        s1_sets=(100, 100),
        s2_sets=(200, 199),
        s1_keys=(1000, 1000),
        s2_keys=(400, 400),
    )
    under_way = 10 + 0.001 * (300 + 700)
    assert counted == {
        "sets at servers": (2, 600, 598, pytest.approx(2 * under_way)),
        "keys at servers": (2, 2800, 2800, pytest.approx(4 * under_way)),
    }


def test_sets_of_a_middleware_are_among_its_requests_and_copied_to_all_servers():
    roles = {"clients": ["c1"], "middlewares": ["m1"], "servers": ["s1", "s2"]}
    counted = counts_of(
        roles,
        {"routing": "round-robin", "multi_get_keys": 1},
        m1_requests=(1000, 1001),
        m1_sets=(600, 600),
        s1_sets=(600, 600),
        s2_sets=(600, 600),
        servers_keys=(400, 401),
    )
    assert counted == {
        "requests at middlewares": (2, 2000, 2002, pytest.approx(22)),
        "sets at servers": (2, 2400, 2400, pytest.approx(44)),
        "keys at servers": (2, 800, 802, pytest.approx(22)),
    }


def test_messages_are_counted_at_databases():
    roles = {"clients": ["c1"], "middlewares": ["m1"], "databases": ["d1"]}
    counted = counts_of(
        roles, {}, m1_requests=(1000, 1000), databases_sent=(400, 400), databases_taken=(399, 380)
    )
    assert counted["messages sent to databases"] == (2, 800, 800, pytest.approx(22))
    assert counted["messages taken from databases"] == (2, 798, 760, pytest.approx(22))
    assert len(counted) == 3
