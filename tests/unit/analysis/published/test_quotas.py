from dataclasses import fields, replace

import pandas as pd
import pytest

from analysis.published.machines import on_quotas
from analysis.published.machines.on_quotas import near, sets_on_quotas
from analysis.published.machines.printed_sets import STUDIES, set_cells
from analysis.published.machines.quotas import (
    AZURE,
    HELD,
    fitted_machines,
    quotas,
    set_time,
    topology_text,
)
from analysis.published.printed import study_name
from analysis.tables.frames import Tables
from remote.experiment.section_file import read_section
from remote.providers.local_lab.topology import Topology

SET_TIME_S = 20e-6
EXAMPLES = AZURE.parents[4] / "examples" / "studies-machines"


def made_up(**changed: object) -> Tables:
    """Make runs of 16 and 64 workers at k = 5, of which each host's CPU time is known."""
    systems = [
        {"section": "3.1", "workload": "set", "num_clients": 192, "workers": w, "repetition": r}
        for w in (16, 64)
        for r in (1, 2)
    ]
    runs = pd.DataFrame(systems).assign(
        num_middlewares=1, num_servers=1, stable_s=4.0, time_dilation=5.0,
        client_throughput_ops_per_s=[900.0, 1100.0, 2000.0, 2000.0],
    )  # fmt: skip
    parts = [
        runs[[*systems[0], "time_dilation"]].assign(role=role, cpu_s=4.0 * share)
        for role, share in (("servers", 0.02), ("middlewares", 0.2))
    ]
    told = {"runs": runs.assign(**changed), "hosts": pd.concat(parts)}
    return Tables(**{f.name: told.get(f.name, pd.DataFrame()) for f in fields(Tables)})


def test_the_cpu_time_is_that_of_the_clock_under_the_largest_load():
    assert set_time(made_up()) == pytest.approx(5 * 0.02 / 2000)  # 0.02 CPUs for 2000 / 5 sets


@pytest.mark.parametrize("other", [{"workload": "get"}, {"num_servers": 3}])
def test_other_runs_tell_no_cpu_time_of_a_set(other):
    with pytest.raises(ValueError, match=r"no sets .*lab run 3.1"):
        set_time(made_up(**other))


def test_hosts_whose_cpu_time_is_not_counted_tell_none():
    tables = made_up()
    uncounted = replace(tables, hosts=tables.hosts.assign(cpu_s=float("nan")))
    with pytest.raises(ValueError, match=r"no sets .*CPU time of each host: as root"):
        set_time(uncounted)


def test_a_quota_lets_servers_do_what_was_fitted():
    fitted = fitted_machines("schmid2018")
    found = quotas(fitted, SET_TIME_S)
    assert found.server / SET_TIME_S == pytest.approx(fitted.alone_per_s * HELD**fitted.exponent)
    assert found.server / found.slowest == pytest.approx(fitted.slowest)


def test_the_file_is_azures_with_quotas(tmp_path):
    (tmp_path / "mine.toml").write_text(topology_text(AZURE.read_text(), "cetin2018", SET_TIME_S))
    made = Topology.read(tmp_path / "mine.toml")
    own = quotas(fitted_machines("cetin2018"), SET_TIME_S)
    quota = {host.name: host.cpu_quota for host in made.hosts}
    assert quota["c1"] is quota["m2"] is None
    assert quota["s1"] == pytest.approx(own.server, abs=1e-3)
    assert quota["s3"] == pytest.approx(own.slowest, abs=1e-3)
    assert without_quotas(made) == without_quotas(Topology.named("azure")) | {"name": "cetin2018"}


@pytest.mark.parametrize("study", STUDIES)
def test_topologies_of_the_studies_are_of_one_machine(study):
    ours, schmids = Topology.named(study), Topology.named("schmid2018")
    assert without_quotas(ours) == without_quotas(Topology.named("azure")) | {"name": study}
    expected, his = (quotas(fitted_machines(name), SET_TIME_S) for name in (study, "schmid2018"))
    for host, of_host in (("s1", "server"), ("s3", "slowest")):
        ratio = quota_of(ours, host) / quota_of(schmids, host)
        assert ratio == pytest.approx(getattr(expected, of_host) / getattr(his, of_host), rel=0.01)


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


def test_no_campaign_no_cells(tmp_path):
    assert sets_on_quotas(tmp_path).empty


def test_measured_cells_stand_beside_those_that_were_printed(tmp_path, monkeypatch):
    systems = [(0, 1, None, 72), (2, 1, 64, 192), (2, 1, 64, 192)]
    names = ["num_middlewares", "num_servers", "workers", "num_clients"]
    runs = pd.DataFrame(systems, columns=names).assign(
        section="schmid2018", workload="set", clients_per_thread=1, repetition=[1, 1, 2],
        time_dilation=12.0, stable_s=3.0, think_time_s=0.0, client_response_time_ms=5.0,
        client_throughput_ops_per_s=[14071.0, 14000.0, 10000.0],
    )  # fmt: skip
    monkeypatch.setattr(
        on_quotas, "held_sections", lambda folder: [folder.name][: folder.name == "schmid2018"]
    )
    told = {f.name: pd.DataFrame() for f in fields(Tables)} | {"runs": runs}
    monkeypatch.setattr(on_quotas, "held_tables", lambda *_: Tables(**told))
    direct, many = sets_on_quotas(tmp_path).to_dict("records")
    assert (direct["study"], direct["at_once"], direct["ratio"]) == (
        study_name("schmid2018"),
        72,
        1,
    )
    assert (many["at_once"], many["measured"], many["published"]) == (128, 12000, 14376)
    assert many["ci_low"] < 10000 < 14000 < many["ci_high"]
    assert near(pd.Series([direct["ratio"], many["ratio"]])).tolist() == [True, False]


def without_quotas(topology: Topology) -> dict[str, object]:
    found = topology.to_dict()
    for name in ("cpu_quota", "own"):
        found["servers"].pop(name, None)
    return found


def quota_of(topology: Topology, name: str) -> float:
    (quota,) = (host.cpu_quota for host in topology.hosts if host.name == name)
    assert quota is not None
    return quota
