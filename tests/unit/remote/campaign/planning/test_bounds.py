from dataclasses import replace
from pathlib import Path

import pytest

from records.fleets import LOCAL_LAB
from remote.campaign.planning.bounds import (
    FIRST_RATE_PER_S,
    first_rate,
    least_response_time_s,
    upper_bound,
)
from remote.errors import ConfigError
from remote.experiment.section_file import read_section
from remote.hosts.inventory import Inventory
from tests.helpers.hosts import host

SECTION = read_section("3.1", "smoke")
READS = {"workload": "get", "clients_per_thread": 32, "workers": 64}


def inventory(fleet=LOCAL_LAB, rate=100.0, rtt_ms=0.9, servers=1):
    names = [*("c1", "c2", "c3", "m1"), *(f"s{i + 1}" for i in range(servers))]
    roles = {"c": "clients", "m": "middlewares", "s": "servers"}
    hosts = [host(name, roles[name[0]], rate_mbit_per_s=rate) for name in names]
    return Inventory(
        path=Path("hosts.yml"), hosts=tuple(hosts), fleet=fleet, topology="any", rtt_ms=rtt_ms
    )


def test_reads_are_bounded_by_the_server_s_link():
    bound = upper_bound(SECTION.settings(READS), inventory())
    assert bound == pytest.approx(100e6 / 8 / 4300, rel=0.05)  # 4 KiB and what is around it
    assert first_rate(SECTION, READS, inventory()) == pytest.approx(bound / 2)


def test_a_far_server_bounds_what_waits_for_it():
    few = {**READS, "workload": "set", "workers": 8}
    near = inventory(rate=1e6)
    hosts = [replace(h, own_rtt_ms=5.0) if h.name == "s1" else h for h in near.hosts]
    far = replace(near, hosts=tuple(hosts))
    assert upper_bound(SECTION.settings(few), far) == pytest.approx(8 / 5e-3)


def test_hosts_of_which_nothing_is_known_begin_low():
    assert first_rate(SECTION, READS, None) == FIRST_RATE_PER_S
    assert first_rate(SECTION, READS, inventory(fleet="azure")) == FIRST_RATE_PER_S
    assert first_rate(SECTION, READS, inventory(rate=None, rtt_ms=None)) == FIRST_RATE_PER_S


def test_hosts_that_are_missing_are_told():
    with pytest.raises(ConfigError, match="1 servers are needed"):
        first_rate(SECTION, READS, inventory(servers=0))


def test_a_closed_loop_responds_no_faster_than_its_bound_lets_it():
    bound = upper_bound(SECTION.settings(READS), inventory())
    assert least_response_time_s(SECTION, READS, inventory()) == pytest.approx(192 / bound)
    assert least_response_time_s(SECTION, READS, None) == 0
    assert least_response_time_s(SECTION, READS, inventory(servers=0)) == 0


def test_requests_of_a_pipeline_share_what_the_bound_lets_through():
    sets = {"workload": "set", "clients_per_thread": 2, "workers": 64}
    piped = replace(SECTION, constants={**SECTION.constants, "pipeline": 4})
    network = inventory(rate=1e6)
    assert piped.settings(sets).num_clients == 4 * SECTION.settings(sets).num_clients == 48
    for section in (SECTION, piped):
        assert least_response_time_s(section, sets, network) == pytest.approx(2 * 0.9e-3)
    bounds = [upper_bound(one.settings(sets), network) for one in (piped, SECTION)]
    assert bounds[0] == pytest.approx(4 * bounds[1])


def test_clients_that_think_are_no_part_of_a_response_time():
    few = {**READS, "workload": "set", "clients_per_thread": 1}
    thinking = replace(SECTION, constants={**SECTION.constants, "think_time_s": 0.1})
    network = inventory(rate=1e6)
    bound = upper_bound(thinking.settings(few), network)
    assert bound == pytest.approx(6 / (0.1 + 2 * 0.9e-3))
    assert least_response_time_s(thinking, few, network) == pytest.approx(2 * 0.9e-3)
    paced = replace(SECTION, constants={**SECTION.constants, "sending_rate_per_s": 10})
    assert least_response_time_s(paced, few, network) == 0


def test_nothing_is_known_of_what_databases_take():
    section = read_section("q4", "smoke")
    assert upper_bound(section.settings(section.configs()[0]), inventory()) is None
    assert least_response_time_s(section, section.configs()[0], inventory()) == 0
