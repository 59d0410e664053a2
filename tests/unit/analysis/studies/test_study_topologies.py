from dataclasses import fields

import pandas as pd
import pytest

from analysis.studies.machines import khalils_server, on_the_lab
from analysis.studies.machines.on_the_lab import near, sets_on_the_lab
from analysis.studies.machines.printed_sets import STUDIES, set_cells
from analysis.studies.machines.topologies import AZURE, KNOWN, fitted_machines, topology_text
from analysis.studies.one_link import NETWORK_DELAY_S
from analysis.studies.printed import study_name
from analysis.tables.frames import Tables
from remote.experiment.section_file import read_section
from remote.providers.local_lab.topology import TOPOLOGIES_DIR, Processor, Topology
from remote.services.memtier import keys_of

EXAMPLES = AZURE.parents[4] / "examples" / "studies-machines"


@pytest.mark.slow
@pytest.mark.parametrize("study", KNOWN)
def test_topologies_are_what_was_fitted(study):
    shipped = (TOPOLOGIES_DIR / f"{study}.toml").read_text()
    assert shipped == topology_text(AZURE.read_text(), study)


@pytest.mark.slow
@pytest.mark.parametrize("study", STUDIES)
def test_hosts_are_azures_with_processors(study):
    ours, fitted = Topology.named(study), fitted_machines(study)
    assert without_processors(ours) == without_processors(Topology.named("azure")) | {
        "name": study, "rtt_ms": pytest.approx(2e3 * NETWORK_DELAY_S),
    }  # fmt: skip
    of = {host.name: host.processor for host in ours.hosts}
    assert of["c1"] is None
    assert of["m1"] == of["m2"]
    assert of["m1"].reply_us == pytest.approx(1e6 * fitted.middleware_s, abs=0.1)
    assert of["m1"].forward_us == pytest.approx(1e6 * fitted.forwarding_s, abs=0.1)
    assert of["s1"].reply_us == pytest.approx(1e6 / fitted.alone_per_s, abs=0.1)
    assert of["s3"].reply_us == pytest.approx(of["s1"].reply_us * fitted.slowest, rel=1e-3)
    assert of["s1"].exponent == of["s3"].exponent == pytest.approx(fitted.exponent, abs=1e-3)


def test_khalils_server_gives_the_ends_of_his_curve():
    curve = khalils_server.predicted_curve(128).set_index("num_clients")
    assert curve.loc[8, "response_time_ms"] == pytest.approx(0.8)  # his low end, in the text
    assert curve.loc[128, "throughput_ops_per_s"] == pytest.approx(33000, rel=1e-3)
    assert curve.loc[128, "response_time_ms"] == pytest.approx(3.8, rel=0.03)  # his table, unseen
    hosts = {host.name: host for host in Topology.named("khalil2016").hosts}
    assert hosts["s1"].processor == Processor(reply_us=30.3)
    assert hosts["s1"].egress == hosts["c1"].egress
    assert hosts["m1"].processor is None


@pytest.mark.parametrize("study", STUDIES)
def test_sections_have_the_cells_that_the_studies_printed(study):
    section = read_section(study, "quick", folder=EXAMPLES)
    measured = set()
    for config in section.configs():
        own = section.settings(config)
        workers = own.workers if own.num_middlewares else 0
        measured.add((own.num_middlewares, own.num_servers, workers, own.num_clients))
    printed = set_cells().query("study == @study and place != 'section 2.2'")
    key = ["middlewares", "servers", "workers", "num_clients"]
    assert measured == set(printed[key].itertuples(index=False, name=None))


def test_khalils_section_has_his_loads():
    section = read_section("khalil2016", "quick", folder=EXAMPLES)
    own = [section.settings(config) for config in section.configs()]
    assert [s.num_clients for s in own if not s.num_middlewares] == list(range(8, 129, 8))
    assert [s.num_clients for s in own if s.num_middlewares] == [192]
    assert {(keys_of(s).prefix, s.value_bytes) for s in own}.pop()[1] == 128


def test_no_campaign_no_cells(tmp_path):
    assert sets_on_the_lab(tmp_path).empty
    assert khalils_server.ratios(tmp_path).empty
    assert set(khalils_server.curves(tmp_path)["series"]) == {study_name("khalil2016")}


def test_measured_cells_stand_beside_those_that_were_printed(tmp_path, monkeypatch):
    systems = [(0, 1, None, 72), (2, 1, 64, 192), (2, 1, 64, 192)]
    names = ["num_middlewares", "num_servers", "workers", "num_clients"]
    runs = pd.DataFrame(systems, columns=names).assign(
        workload="set",
        client_throughput_ops_per_s=[14071.0, 14000.0, 10000.0],
        **{**told("schmid2018"), "repetition": [1, 1, 2]},
    )
    hold(monkeypatch, on_the_lab, "schmid2018", runs)
    direct, many = sets_on_the_lab(tmp_path).to_dict("records")
    assert (direct["study"], direct["at_once"]) == (study_name("schmid2018"), 72)
    assert (direct["ratio"], many["at_once"]) == (1, 128)
    assert (many["measured"], many["published"]) == (12000, 14376)
    assert many["ci_low"] < 10000 < 14000 < many["ci_high"]
    assert near(pd.Series([direct["ratio"], many["ratio"]])).tolist() == [True, False]


def test_our_curve_stands_beside_khalils(tmp_path, monkeypatch):
    runs = pd.DataFrame({"num_middlewares": [0, 0, 0, 1], "num_clients": [8, 8, 16, 192]}).assign(
        workload="mixed", client_throughput_ops_per_s=[9000.0, 11000.0, 20000.0, 1.0],
        **told("khalil2016"),
    )  # fmt: skip
    runs["client_response_time_ms"] = [0.9, 0.7, 1.0, 9.0]
    hold(monkeypatch, khalils_server, "khalil2016", runs)
    ours = khalils_server.curves(tmp_path).query("series == 'This lab'")
    assert ours["num_clients"].tolist() == [8, 16]
    assert ours["throughput_ops_per_s"].tolist() == [10000, 20000]
    (only,) = khalils_server.ratios(tmp_path).to_dict("records")
    assert only == {"num_clients": 8, "quantity": "response_time_ms", "ratio": pytest.approx(1)}


def told(section: str) -> dict[str, object]:
    return {
        "section": section, "clients_per_thread": 1, "repetition": 1, "time_dilation": 6.0,
        "stable_s": 3.0, "think_time_s": 0.0, "client_response_time_ms": 5.0,
    }  # fmt: skip


def hold(monkeypatch, module: object, study: str, runs: pd.DataFrame) -> None:
    monkeypatch.setattr(
        module, "find_sections", lambda folder: [folder.name][: folder.name == study]
    )
    tables = {f.name: pd.DataFrame() for f in fields(Tables)} | {"runs": runs}
    monkeypatch.setattr(module, "load_tables", lambda *_: Tables(**tables))


def without_processors(topology: Topology) -> dict[str, object]:
    found = topology.to_dict()
    for role in ("middlewares", "servers"):
        for name in ("processor", "own"):
            found[role].pop(name, None)
    return found
