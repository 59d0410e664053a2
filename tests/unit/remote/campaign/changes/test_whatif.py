from dataclasses import replace

import pytest

from remote.campaign.changes.whatif import (
    changed_section,
    changed_topology,
    measure_cases,
    measure_on_rebuilt_lab,
)
from remote.errors import ConfigError
from remote.experiment.combinations import mistakes
from remote.experiment.rules import require_possible
from remote.experiment.section_file import read_section
from remote.providers.local_lab.topology import Topology

BASE = read_section("3.1", "smoke")
CONFIG = next(c for c in BASE.configs() if c["workload"] == "get" and c["workers"] == 64)
TOPOLOGY = Topology.named("azure")


@pytest.mark.parametrize(
    "change", [{}, {"workers": 16}, {"middlewares": 2}, {"servers": 3, "workers": 8}]
)
def test_a_changed_section_can_be_measured(change, tmp_path):
    section = changed_section(BASE, CONFIG, 192, change)
    require_possible(section, tmp_path)
    (config,) = section.configs()
    settings = section.settings(config)
    assert not list(mistakes(settings, section.own(config)))
    assert settings.num_clients == 192
    assert settings.workload == "get"
    assert settings.workers == change.get("workers", 64)
    assert settings.num_middlewares == change.get("middlewares", 1)
    assert settings.num_servers == change.get("servers", 1)
    assert section.durations == BASE.durations


def test_a_changed_section_has_the_pipeline_of_the_section(tmp_path):
    piped = replace(BASE, constants={**BASE.constants, "pipeline": 4, "depth": 2})
    section = changed_section(piped, CONFIG, 192, {"middlewares": 2})
    require_possible(section, tmp_path)
    (settings,) = map(section.settings, section.configs())
    assert (settings.num_clients, settings.connections) == (192, 48)
    assert (settings.pipeline, settings.depth) == (4, 2)
    with pytest.raises(ConfigError, match=r"with 194 clients: .* the threads of .* times the pipe"):
        changed_section(piped, CONFIG, 194, {})


def test_a_changed_topology_has_other_links_and_delay():
    changed = changed_topology(TOPOLOGY, {"server_link_rate": 200e6, "network_delay": 1e-3})
    rates = {host.name: host.egress.rate_mbit_per_s for host in changed.hosts}
    before = {host.name: host.egress.rate_mbit_per_s for host in TOPOLOGY.hosts}
    assert {rates[host.name] for host in changed.hosts if host.role == "servers"} == {200}
    others = [host.name for host in changed.hosts if host.role != "servers"]
    assert [rates[name] for name in others] == [before[name] for name in others]
    assert changed.rtt_ms == 2
    assert changed_topology(TOPOLOGY, {}) == TOPOLOGY


@pytest.mark.parametrize(
    ("change", "clients", "message"),
    [
        ({"server_time": 1e-6}, 192, "server_time: only the model can change it"),
        ({"workers": 8}, 191, "with 191 clients: choose a multiple of"),
    ],
)
def test_what_the_lab_cannot_do_is_refused_before_anything_is_measured(change, clients, message):
    def measure(*_):
        raise AssertionError("nothing is to be measured")

    with pytest.raises(ConfigError, match=message):
        measure_cases(
            {"case": change}, clients, base=BASE, config=CONFIG, topology=TOPOLOGY, measure=measure
        )


def test_every_case_is_measured_on_its_own_lab():
    asked = []

    def measure(case, section, topology):
        (config,) = section.configs()
        asked.append((case, config["workers"], topology == TOPOLOGY))

    changes = {"few workers": {"workers": 8}, "fast servers": {"server_link_rate": 200e6}}
    measured = measure_cases(
        changes, 192, base=BASE, config=CONFIG, topology=TOPOLOGY, measure=measure
    )
    assert asked == [("as it is", 64, True), ("few workers", 8, True), ("fast servers", 64, False)]
    assert list(measured) == ["as it is", *changes]


def test_on_another_fleet_than_the_lab_nothing_is_measured(tmp_path):
    measured = measure_cases(
        {"few workers": {"workers": 8}},
        192,
        base=BASE,
        config=CONFIG,
        topology=TOPOLOGY,
        measure=measure_on_rebuilt_lab(tmp_path / "what-if", fleet="none"),
    )
    assert measured == {"as it is": None, "few workers": None}
    assert not (tmp_path / "what-if").exists()
