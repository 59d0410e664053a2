from itertools import product

import pandas as pd
import pytest

from analysis.chapters.routing_and_replication.routing import (
    expected_shares,
    ring_shares,
    shares_table,
    shown_shares,
)
from analysis.laws.routing import request_shares, shares_side_by_side
from tests.unit.analysis.chapters.routing_and_replication.test_replication import section_9

SERVERS = [f"198.18.0.3{n}:11211" for n in (1, 2, 3)]
KEYS = [f"memtier-{number}" for number in range(2000)]


def test_shares_of_the_ring_add_up_and_are_not_quite_even():
    shares = ring_shares(SERVERS)
    assert shares.sum() == pytest.approx(1)
    assert shares.index.tolist() == SERVERS
    assert shares.between(0.25, 0.42).all()
    assert ring_shares(SERVERS[:1]).tolist() == [1.0]


def test_a_server_more_takes_keys_from_the_others_only():
    keys = [f"memtier-{number}" for number in range(3000)]
    fewer = [ring_shares(SERVERS, keys=[key]).idxmax() for key in keys[:300]]
    more = [ring_shares([*SERVERS, "new:1"], keys=[key]).idxmax() for key in keys[:300]]
    moved = {b for a, b in zip(fewer, more, strict=True) if a != b}
    assert moved == {"new:1"}


def seconds(rows):
    """Requests of each server in each second, 8 times as many as the clock saw."""
    columns = ["repetition", "server", "second_s", "stable", "throughput_ops_per_s"]
    return pd.DataFrame(rows, columns=columns).assign(replicas=1, time_dilation=8.0)


def test_request_shares_are_means_over_repetitions():
    rows = [
        (repetition, server, second, second >= 0, 8 * (requests + repetition))
        for repetition, (server, requests), second in product(
            (1, 2, 3), (("s1", 500), ("s2", 300), ("s3", 200)), (-1, 0, 1)
        )
    ]
    table = request_shares(seconds(rows), ["replicas"]).set_index("server")
    assert table["share_mean"].sum() == pytest.approx(1)
    assert table.loc["s1", "share_mean"] == pytest.approx(0.5, abs=0.002)
    assert (table["share_repetitions"] == 3).all()
    assert table.loc["s1", "requests"] == 2 * (501 + 502 + 503)


def test_shares_of_several_systems_stand_side_by_side():
    rows = [
        (repetition, server, 0, True, requests)
        for repetition in (1, 2)
        for server, requests in (("s1", 60), ("s2", 30), ("s3", 30))
    ]
    both = pd.concat([seconds(rows).assign(multi_get_keys=keys) for keys in (1, 9)])
    table = shares_side_by_side(both, ["multi_get_keys"])
    assert table["multi_get_keys"].tolist() == [1, 9]
    assert table[["s1 (%)", "s2 (%)", "s3 (%)"]].iloc[0].tolist() == pytest.approx([50, 25, 25])
    assert table["largest_over_even"].tolist() == pytest.approx([1.5, 1.5])


def test_shares_stand_beside_the_rings_and_what_chance_leaves():
    addresses = dict(zip(("s1", "s2", "s3"), SERVERS, strict=True))
    expected = expected_shares(SERVERS, KEYS, replicas=3, write_fraction=0.5)
    tables = section_9(shares=dict(zip(addresses, expected, strict=True)))
    table = shares_table(tables, addresses, KEYS, workers=64)
    three = table[table["replicas"] == 3]
    assert three["difference"].abs().max() == pytest.approx(0)
    asked = three["requests"].sum()
    chance = (three["expected"] * (1 - three["expected"]) / asked) ** 0.5
    assert three["chance"].tolist() == pytest.approx(chance.tolist())
    shown = shown_shares(three)
    assert shown["Share (%)"].sum() == pytest.approx(100)
    assert shown["Difference (points)"].abs().max() == pytest.approx(0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ring_shares([]), "at least one, got"),
        (lambda: ring_shares(["a", "a"]), "servers must be different"),
        (lambda: ring_shares(["a"], keys=[]), "at least one key"),
        (lambda: ring_shares(["a"], virtual_nodes=0), "virtual_nodes must be >= 1"),
    ],
)
def test_arguments_out_of_their_domain_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_gets_alone_are_shared_as_the_ring_shares_keys():
    shares = expected_shares(SERVERS, KEYS, replicas=3, write_fraction=0.0)
    assert shares.tolist() == pytest.approx(ring_shares(SERVERS, keys=KEYS).tolist())


def test_sets_to_all_servers_are_shared_evenly():
    shares = expected_shares(SERVERS, KEYS, replicas=3, write_fraction=1.0)
    assert shares.tolist() == pytest.approx([1 / 3] * 3)
    one = expected_shares(SERVERS, KEYS, replicas=1, write_fraction=1.0)
    assert one.tolist() == pytest.approx(ring_shares(SERVERS, keys=KEYS).tolist())
