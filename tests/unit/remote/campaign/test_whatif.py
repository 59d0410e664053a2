import pytest

from analysis.models import System, message_bytes
from analysis.tables.tidying import tidy_campaign
from remote.campaign.whatif import changed_section, changed_topology, on_lab, run_what_if
from remote.errors import ConfigError
from remote.experiment.rules import require_possible
from remote.experiment.section_file import read_section
from remote.experiment.settings import mistakes
from remote.providers.local_lab.topology import Topology
from tests.helpers.campaign import build_run

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
        run_what_if(
            system(), clients, {"case": change}, base=BASE, config=CONFIG, topology=TOPOLOGY,
            measure=measure,
        )  # fmt: skip


def system():
    return System(middlewares=1, **message_bytes("get"))


def test_predictions_stand_beside_what_was_measured(tmp_path):
    asked = []

    def measure(case, section, topology):
        (config,) = section.configs()
        asked.append((case, config["workers"], topology == TOPOLOGY))
        build_run(tmp_path / case, section.name, config)
        build_run(tmp_path / case, section.name, config, repetition=2, noise=1.01)
        return tidy_campaign(tmp_path / case)

    table = run_what_if(
        system(),
        192,
        {"few workers": {"workers": 8}, "fast servers": {"server_link_rate": 200e6}},
        base=BASE,
        config=CONFIG,
        topology=TOPOLOGY,
        measure=measure,
    )
    assert asked == [("as it is", 64, True), ("few workers", 8, True), ("fast servers", 64, False)]
    assert table["case"].tolist()[::2] == ["as it is", "few workers", "fast servers"]
    as_it_is = table.iloc[0]
    assert as_it_is["bottleneck"] == "server link"
    assert as_it_is["measured"] == pytest.approx(2900, rel=0.02)
    assert abs(as_it_is["relative_error"]) < 0.05
    fast = table[table["case"] == "fast servers"].iloc[0]
    assert fast["predicted"] == pytest.approx(2 * as_it_is["predicted"], rel=0.05)
    assert fast["verdict"] == "differs"


def test_cases_that_were_not_measured_keep_their_prediction(tmp_path):
    nothing = on_lab(tmp_path / "what-if", fleet="none")
    table = run_what_if(
        system(), 192, {"few workers": {"workers": 8}},
        base=BASE, config=CONFIG, topology=TOPOLOGY, measure=nothing,
    )  # fmt: skip
    assert set(table["verdict"]) == {"not measured"}
    assert table["predicted"].notna().all()
    assert not (tmp_path / "what-if").exists()
