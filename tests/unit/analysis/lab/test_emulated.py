import math

import pytest

from analysis.lab.emulated import Limit, emulated_limits

RATES = {"clients": 600.0, "middlewares": 800.0, "servers": 100.0}
DIRECT = {"workload": "get", "value_bytes": 4096, "num_middlewares": 0, "num_servers": 1}
THROUGH = {**DIRECT, "num_middlewares": 1, "workers": 8, "dispatch": "sequential"}


def smallest(settings, num_clients, rates=RATES, rtt_ms=0.9, **given):
    return emulated_limits(settings, num_clients, rates, rtt_ms, **given)[0]


def test_gets_are_limited_by_the_servers_link():
    limit = smallest(DIRECT, 192)
    assert limit.name == "servers' links" and limit.is_link
    assert limit.throughput == pytest.approx(2888, abs=1)  # as measured on saturated links


def test_sets_are_limited_by_the_clients_links():
    assert smallest({**DIRECT, "workload": "set"}, 192).throughput == pytest.approx(17_337, abs=1)


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


def test_longer_multi_gets_let_fewer_requests_through():
    multi = {**DIRECT, "workload": "multi-get"}
    one, nine = (smallest({**multi, "multi_get_keys": n}, 192).throughput for n in (1, 9))
    assert one == pytest.approx(2 * 2888, rel=0.02)  # every second request is a set
    assert one / nine == pytest.approx(9, rel=0.02)


def test_nothing_emulated_sets_no_limit():
    assert emulated_limits(DIRECT, 6, {"clients": math.inf}, 0.0) == []


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
