import pytest

from remote.experiment.checks.latency import latency_checks, machine_share, rates_by_role
from tests.helpers.manifests import manifest_of

RATES = {"c1": 200.0, "c2": 200.0, "c3": 200.0, "m1": 800.0, "s1": 100.0}
MANIFEST = {
    "fleet": "local-lab",
    "topology": {"time_dilation": 1.0, "rates_mbit_per_s": RATES, "rtt_ms": 0.9},
    "roles": {"clients": ["c1", "c2", "c3"], "middlewares": ["m1"], "servers": ["s1"]},
    "settings": {"workload": "set", "workers": 8, "dispatch": "sequential"},
    "num_clients": 192,
    "value_bytes": 4096,
    "think_time_s": 0.0,
}


def check(throughput, **changes):
    results = {"client_throughput_ops_per_s": throughput}
    (one,) = latency_checks(manifest_of(**{**MANIFEST, **changes}), results)
    return one


def test_latency_of_the_machine_is_told_with_the_dilation_that_mends_it():
    one = check(6612.3)
    assert (one.name, one.passed, one.severity) == ("machine_latency_small", False, "advisory")
    assert "6612 op/s of the 8889 that the round trips of 8 workers let through" in one.detail
    assert "25.6% less" in one.detail and "0.31 ms of 1.21 ms are the machine's" in one.detail
    assert one.detail.endswith("a time dilation of at least 7")


def test_throughput_near_a_full_link_passes():
    settings = {"workload": "get", "workers": 8}
    one = check(2870, settings=settings)
    assert one.passed and "servers' links" in one.detail and "0.6% less" in one.detail
    assert "time dilation" not in one.detail
    missing = check(2600, settings=settings)
    assert not missing.passed and "waiting in front of links" in missing.detail


def test_a_far_server_is_not_taken_for_the_machine():
    topology = {**MANIFEST["topology"], "own_rtt_ms": {"s1": 5.0}}
    far = {"topology": topology, "instances_per_client": 1}
    one = check(1590, **far)
    assert one.passed and "of the 1600 that the round trips of 8 workers let through" in one.detail
    results = {"client_throughput_ops_per_s": 1568.0}
    assert machine_share(manifest_of(**{**MANIFEST, **far}), results) == pytest.approx(0.02)


@pytest.mark.parametrize(
    "changes",
    [
        {"fleet": "azure"},
        {"pauses": [{"host": "s1", "began_epoch_s": 1.0, "ended_epoch_s": 2.0}]},
        {"topology": {**MANIFEST["topology"], "cpu_quotas": {"s1": 0.5}}},
        {"topology": {**MANIFEST["topology"], "processors": {"s1": "200 0 0.25"}}},
        {"settings": {**MANIFEST["settings"], "arrival_rate_per_s": 100.0}},
        {
            "settings": {**MANIFEST["settings"], "dispatch": "pipelined"},
            "topology": {"time_dilation": 1.0, "rates_mbit_per_s": {}},
        },
    ],
)
def test_runs_without_such_a_limit_have_no_such_check(changes):
    results = {"client_throughput_ops_per_s": 9.0}
    assert not list(latency_checks(manifest_of(**{**MANIFEST, **changes}), results))
    assert machine_share(manifest_of(**{**MANIFEST, **changes}), results) is None


def test_share_of_the_machine_is_what_is_missing_of_the_response_time():
    def share(throughput, **changes):
        return machine_share(
            manifest_of(**{**MANIFEST, **changes}), {"client_throughput_ops_per_s": throughput}
        )

    cycle_s = 0.9e-3  # of each of the 8 workers, without the machine
    assert share(8 / (cycle_s / 0.98)) == pytest.approx(0.02)
    assert share(9000.0) == 0
    thinking = {"think_time_s": 1.0, "num_clients": 192}
    assert share(192 / 1.1, **thinking) == pytest.approx((1.1 - 1.0018) / 0.1)


def test_share_of_the_machine_is_not_told_by_a_run_without_requests_or_with_unknown_ones():
    assert machine_share(manifest_of(**MANIFEST), {"client_throughput_ops_per_s": 0.0}) is None
    assert machine_share(manifest_of(**MANIFEST), {}) is None
    mixed = manifest_of(**{**MANIFEST, "settings": {"workload": "mixed", "workers": 8}})
    assert machine_share(mixed, {"client_throughput_ops_per_s": 9.0}) is None


def test_rates_of_a_role_are_those_of_all_its_hosts():
    assert rates_by_role(manifest_of(**MANIFEST)) == {
        "clients": 600,
        "middlewares": 800,
        "servers": 100,
    }
    slow = {**MANIFEST, "topology": {"rates_mbit_per_s": {**RATES, "s2": 25.0}}}
    slow["roles"] = {**MANIFEST["roles"], "servers": ["s1", "s2"]}
    assert rates_by_role(manifest_of(**slow))["servers"] == 50  # each of the two has as much to do
    partly = {**MANIFEST, "topology": {"rates_mbit_per_s": {**RATES, "c2": None}}}
    assert "clients" not in rates_by_role(manifest_of(**partly))


def test_each_place_of_a_pipeline_counts_as_a_client():
    direct = {"roles": {**MANIFEST["roles"], "middlewares": []}, "num_clients": 2 * 4}
    direct |= {"settings": {"workload": "set", "pipeline": 4}}
    most = 8 / 0.9e-3
    one = check(0.98 * most, **direct)
    assert one.passed and f"{most:.0f} that the round trips of 8 clients let" in one.detail
    results = {"client_throughput_ops_per_s": 0.98 * most}
    assert machine_share(manifest_of(**{**MANIFEST, **direct}), results) == pytest.approx(0.02)


def test_pipelines_through_a_middleware_may_stay_below_all_limits():
    settings = {**MANIFEST["settings"], "pipeline": 4}
    piped = manifest_of(**{**MANIFEST, "settings": settings})
    results = {"client_throughput_ops_per_s": 9.0}
    assert not list(latency_checks(piped, results))
    assert machine_share(piped, results) is None
