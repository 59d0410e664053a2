import math

import pytest

from analysis.statistics.loads.emulated import Limit, emulated_limits, rates_together
from analysis.statistics.loads.round_trips import RoundTrips

RATES = {"clients": 600.0, "middlewares": 800.0, "servers": 100.0}
DIRECT = {"workload": "get", "value_bytes": 4096, "num_middlewares": 0, "num_servers": 1}
THROUGH = {**DIRECT, "num_middlewares": 1, "workers": 8, "dispatch": "sequential"}


def smallest(settings, num_clients, rates=RATES, rtt_ms=0.9, **given):
    return emulated_limits(settings, num_clients, rates, rtt_ms, **given)[0]


def test_gets_are_limited_by_the_servers_link():
    limit = smallest(DIRECT, 192)
    assert limit.name == "servers' links" and limit.is_link
    assert limit.throughput == pytest.approx(2888, abs=1)  # as measured on saturated links


@pytest.mark.parametrize(("settings", "round_trips"), [(DIRECT, 1), (THROUGH, 2)])
def test_few_clients_are_limited_by_their_round_trips(settings, round_trips):
    limit = smallest({**settings, "workload": "set"}, 2)
    assert limit.name == "round trips of 2 clients" and not limit.is_link
    assert limit.throughput == pytest.approx(2 / (round_trips * 0.9e-3))
    thinking = smallest({**settings, "workload": "set"}, 2, think_time_s=0.1)
    assert thinking.throughput == pytest.approx(2 / (round_trips * 0.9e-3 + 0.1))


def test_workers_that_wait_are_limited_by_their_round_trips():
    sets = {**THROUGH, "workload": "set"}
    limit = smallest(sets, 192)
    assert (limit.name, limit.jobs) == ("round trips of 8 workers", 8)
    assert limit.throughput == pytest.approx(8 / 0.9e-3)
    assert smallest({**sets, "dispatch": "pipelined"}, 192).name == "clients' links"


@pytest.mark.parametrize("workers", [{}, {"workers": None}, {"workers": math.nan}])
def test_a_middleware_whose_workers_are_not_known_is_limited_by_links_and_clients(workers):
    foreign = {**THROUGH, "workload": "set"}
    del foreign["workers"]
    names = [limit.name for limit in emulated_limits({**foreign, **workers}, 192, RATES, 0.9)]
    assert names[0] == "clients' links"
    assert not any("workers" in name for name in names)


def test_sets_to_all_servers_fill_the_middlewares_links():
    sets = {**THROUGH, "workload": "set", "workers": 64, "num_servers": 3}
    three = smallest(sets, 192)
    assert three.name == "middlewares' links"
    assert three.throughput == pytest.approx(7_662, abs=1)
    on_ring = {**sets, "routing": "consistent-hash", "replicas": 1}
    assert smallest(on_ring, 192).name == "clients' links"


def test_mixed_workload_needs_its_share_of_sets():
    mixed = {**DIRECT, "workload": "mixed", "key_bytes": math.nan}
    with pytest.raises(ValueError, match="share of sets"):
        smallest(mixed, 6)
    by_ratio = smallest({**mixed, "ratio": "1:3"}, 192).throughput
    assert by_ratio == pytest.approx(smallest(mixed, 192, set_share=0.25).throughput)
    assert by_ratio > smallest(DIRECT, 192).throughput


def test_nothing_emulated_sets_no_limit():
    assert emulated_limits(DIRECT, 6, {"clients": math.inf}, 0.0) == []


NEAR, FAR = 1.0, 9.0
ROLES = {"clients": ["c1", "c2"], "middlewares": ["m1", "m2"], "servers": ["s1", "s2", "s3"]}
FULL = {**THROUGH, "num_middlewares": 2, "num_servers": 3, "workload": "set"}


def trips(*far, roles=ROLES, instances_per_client=1):
    def rtt_ms(source, target):
        return FAR if {source, target} & set(far) else NEAR

    return RoundTrips.between(roles, rtt_ms, instances_per_client=instances_per_client)


def bound(settings, trips, num_clients=192):
    return emulated_limits(settings, num_clients, {}, trips)[0].throughput


def test_equal_round_trips_bound_as_one_number_does():
    for settings in (FULL, {**FULL, "workload": "get"}):
        assert bound(settings, trips()) == pytest.approx(bound(settings, NEAR))
    direct = {"clients": ["c1"], "servers": ["s1"]}
    assert bound(DIRECT, trips(roles=direct), 6) == pytest.approx(bound(DIRECT, NEAR, 6))


def test_sets_wait_for_the_farthest_server_and_gets_for_one_of_them():
    far = trips("s3")
    assert bound(FULL, far) == pytest.approx(16 / 9e-3)
    assert bound({**FULL, "workload": "get"}, far) == pytest.approx(16 / (11e-3 / 3))
    some = {**FULL, "routing": "consistent-hash", "replicas": 2}
    assert bound(some, far) == pytest.approx(16 / (11e-3 / 3))


def test_a_far_middleware_is_slow_with_its_own_workers_alone():
    assert bound(FULL, trips("m2")) == pytest.approx(8 / 1e-3 + 8 / 9e-3)


def test_clients_that_are_farther_away_are_slower_than_others():
    few = emulated_limits({**FULL, "workers": 64}, 4, {}, trips("c2"))[0]
    assert few.name == "round trips of 4 clients"
    assert few.throughput == pytest.approx(2 / 2e-3 + 2 / 10e-3)


def test_generators_take_the_hosts_that_they_talk_to_in_turn():
    roles = {"clients": ["c1", "c2", "c3"], "servers": ["s1", "s2"]}
    direct = {**DIRECT, "num_servers": 2}
    one_each = trips("s2", roles=roles)
    assert bound(direct, one_each, 3) == pytest.approx(2 / 1e-3 + 1 / 9e-3)
    two_each = trips("s2", roles=roles, instances_per_client=2)
    assert bound(direct, two_each, 6) == pytest.approx(3 / 1e-3 + 3 / 9e-3)
    pairs = trips("c1", roles={**roles, "clients": ["c1", "c2"]}, instances_per_client=2)
    assert pairs.of_clients == [("s1", FAR), ("s2", FAR), ("s1", NEAR), ("s2", NEAR)]


@pytest.mark.parametrize(
    ("settings", "servers"),
    [
        (FULL, 75),
        ({**FULL, "routing": "hash"}, 225),
        (DIRECT, 225),
    ],
)
def test_the_slowest_link_counts_where_all_servers_have_as_much_to_do(settings, servers):
    rates = {"clients": [200, 50], "servers": [100, 100, 25], "middlewares": [800, None]}
    assert rates_together(rates, settings) == {"clients": 250, "servers": servers}
    assert rates_together({"servers": [100, math.nan]}, settings) == {}


def test_needed_dilation_brings_the_loss_to_five_percent():
    limit = Limit(name="round trips of 8 workers", throughput=8 / 0.9e-3, jobs=8)
    latency_s = 0.3e-3
    throughput = 8 / (0.9e-3 + latency_s)
    assert limit.latency_ms(throughput) == pytest.approx(0.3)
    assert limit.cycle_ms(throughput) == pytest.approx(1.2)
    assert limit.loss(throughput) == pytest.approx(0.25)
    k = limit.needed_dilation(throughput, 1.0)
    assert limit.loss(8 / (0.9e-3 + latency_s / k)) == pytest.approx(0.05)
    assert limit.loss(2 * limit.throughput) == 0
