import json

import pytest

from analysis.tables.tidying import tidy_campaign
from tests.helpers.campaign import build_run, write_compressed
from tests.helpers.tools import cpu_time

CONFIG = {"workload": "set", "clients_per_thread": 32, "workers": 8}
OF_MONITOR = 40  # percent of the machine's two processors: 0.8 of one


def hosts_of_run(folder, *, used_cpus, own_processors="servers", cores=1):
    """Hosts of a run on two processors, of which those in `used_cpus` tell what they used."""
    run_dir = build_run(folder, "3.1", CONFIG)
    counted = {f"{host}/cpu-time.out": cpu_time(used, cores) for host, used in used_cpus.items()}
    write_compressed(run_dir, counted)
    manifest = json.loads((run_dir / "manifest.json").read_text())
    if own_processors:
        manifest["topology"]["own_processors"] = own_processors
    (run_dir / "manifest.json").write_text(json.dumps(manifest))
    return tidy_campaign(folder).hosts.set_index("host")


def test_processors_that_hosts_share_are_told_without_those_that_some_have(tmp_path):
    hosts = hosts_of_run(tmp_path, used_cpus={"c1": 0.3, "s1": 0.2})
    assert hosts["own_processors"].to_dict() == {
        "c1": False,
        "c2": False,
        "c3": False,
        "m1": False,
        "s1": True,
    }
    assert hosts.loc["s1", "cpu_percent"] == pytest.approx(20)
    assert hosts.loc["c1", "cpu_percent"] == pytest.approx(60)
    assert hosts.loc["m1", "cpu_percent"] == pytest.approx(60)


def test_clocks_that_differ_make_no_processor_less_than_idle(tmp_path):
    hosts = hosts_of_run(tmp_path, used_cpus={"c1": 0.3, "s1": 0.9})
    assert hosts.loc["c1", "cpu_percent"] == 0


def test_without_processors_of_their_own_hosts_have_the_machines(tmp_path):
    hosts = hosts_of_run(tmp_path, used_cpus={"c1": 0.3, "s1": 0.2}, own_processors="", cores=2)
    assert set(hosts["cpu_percent"]) == {OF_MONITOR}
    assert "own_processors" not in hosts


@pytest.mark.parametrize("used_cpus", [{"c1": 0.3}, {"s1": 0.2}, {}])
def test_what_cannot_be_told_apart_is_not_known(tmp_path, used_cpus):
    hosts = hosts_of_run(tmp_path, used_cpus=used_cpus)
    assert hosts["cpu_percent"].drop("s1").isna().all()


def test_who_has_processors_of_its_own_and_is_not_there_leaves_open_how_many_others_have(tmp_path):
    hosts = hosts_of_run(tmp_path, used_cpus={"c1": 0.3}, own_processors="databases")
    assert hosts["cpu_percent"].isna().all()
