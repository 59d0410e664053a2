import pandas as pd
import pytest

from analysis.sections.routing import (
    expected_shares,
    overhead,
    replicated_throughput,
    request_shares,
    ring_shares,
)
from analysis.statistics.intervals import aggregate

SERVERS = [f"198.18.0.3{n}:11211" for n in (1, 2, 3)]


def test_shares_of_the_ring_add_up_and_are_not_quite_even():
    shares = ring_shares(SERVERS)
    assert shares.sum() == pytest.approx(1)
    assert shares.index.tolist() == SERVERS
    assert shares.between(0.25, 0.42).all()
    assert ring_shares(SERVERS[:1]).tolist() == [1.0]


def test_keys_come_to_the_shares_of_the_circle():
    keys = [f"memtier-{number}" for number in range(20_000)]
    by_keys = ring_shares(SERVERS, keys=keys)
    assert (by_keys - ring_shares(SERVERS)).abs().max() < 0.01


def test_a_server_more_takes_keys_from_the_others_only():
    keys = [f"memtier-{number}" for number in range(3000)]
    fewer = [ring_shares(SERVERS, keys=[key]).idxmax() for key in keys[:300]]
    more = [ring_shares([*SERVERS, "new:1"], keys=[key]).idxmax() for key in keys[:300]]
    moved = {b for a, b in zip(fewer, more, strict=True) if a != b}
    assert moved == {"new:1"}


def test_request_shares_are_means_over_repetitions():
    rows = [
        ("9", repetition, server, second, second >= 0, requests + repetition)
        for repetition in (1, 2, 3)
        for server, requests in (("s1", 500), ("s2", 300), ("s3", 200))
        for second in (-1, 0, 1)
    ]
    columns = ["section", "repetition", "server", "second_s", "stable", "throughput_ops_per_s"]
    frame = pd.DataFrame(rows, columns=columns).assign(replicas=1)
    table = request_shares(frame, ["replicas"]).set_index("server")
    assert table["share_mean"].sum() == pytest.approx(1)
    assert table.loc["s1", "share_mean"] == pytest.approx(0.5, abs=0.002)
    assert (table["share_repetitions"] == 3).all()
    assert table.loc["s1", "requests"] == 2 * (501 + 502 + 503)


def test_copies_cost_what_sets_are_sent_more():
    table = replicated_throughput(0.5, [1, 2, 3], 3, 1000.0)
    assert table["throughput_ops_per_s"].tolist() == pytest.approx([3000, 2000, 1500])
    assert table["cost"].tolist() == pytest.approx([0, 1 / 3, 0.5])
    reads = replicated_throughput(0.0, [1, 3], 3, 1000.0)
    assert (reads["cost"] == 0).all()


def test_overhead_is_with_less_without():
    columns = ["client_throughput_ops_per_s", "client_response_time_ms"]
    runs = pd.DataFrame(
        [(0, 33_000, 3.8), (0, 33_100, 3.9), (1, 10_000, 20.0), (1, 10_200, 19.0)],
        columns=["num_middlewares", *columns],
    )
    cells = aggregate(runs, ["num_middlewares"], columns)
    table = overhead(cells.iloc[:1], cells.iloc[1:])
    assert table["overhead"].tolist() == pytest.approx([-22_950, 15.65])
    assert table.loc[0, "relative_overhead"] == pytest.approx(10_100 / 33_050 - 1)
    assert table["significant"].tolist() == [True, True]
    alone = aggregate(runs.iloc[[0, 2]], ["num_middlewares"], columns)
    assert overhead(alone.iloc[:1], alone.iloc[1:])["significant"].isna().all()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ring_shares([]), "at least one, got"),
        (lambda: ring_shares(["a", "a"]), "servers must be different"),
        (lambda: ring_shares(["a"], keys=[]), "at least one key"),
        (lambda: ring_shares(["a"], virtual_nodes=0), "virtual_nodes must be >= 1"),
        (lambda: replicated_throughput(1.5, [1], 3, 1.0), "write_fraction must be in"),
        (lambda: replicated_throughput(0.5, [4], 3, 1.0), "replicas must be 1 to 3, got"),
        (lambda: replicated_throughput(0.5, [1], 3, 0.0), "server_rate must be > 0"),
        (lambda: overhead(pd.DataFrame(), pd.DataFrame()), "one row without"),
    ],
)
def test_arguments_out_of_their_domain_are_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


KEYS = [f"memtier-{number}" for number in range(2000)]


def test_gets_alone_are_shared_as_the_ring_shares_keys():
    shares = expected_shares(SERVERS, KEYS, replicas=3, write_fraction=0.0)
    assert shares.tolist() == pytest.approx(ring_shares(SERVERS, keys=KEYS).tolist())


def test_sets_to_all_servers_are_shared_evenly():
    shares = expected_shares(SERVERS, KEYS, replicas=3, write_fraction=1.0)
    assert shares.tolist() == pytest.approx([1 / 3] * 3)
    one = expected_shares(SERVERS, KEYS, replicas=1, write_fraction=1.0)
    assert one.tolist() == pytest.approx(ring_shares(SERVERS, keys=KEYS).tolist())


@pytest.mark.parametrize(("replicas", "fraction"), [(4, 0.5), (0, 0.5), (1, 1.5)])
def test_shares_that_cannot_be_are_refused(replicas, fraction):
    with pytest.raises(ValueError, match="must be"):
        expected_shares(SERVERS, KEYS, replicas=replicas, write_fraction=fraction)
