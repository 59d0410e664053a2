import json

import pytest

from analysis.tables import overview
from tests.helpers.campaign import build_run


@pytest.fixture
def folder(tmp_path):
    config = {"workload": "get", "clients_per_thread": 1, "workers": 8}
    build_run(tmp_path, "3.1", config)
    build_run(tmp_path, "3.1", config, repetition=2, status="rejected")
    return tmp_path


def test_checks_are_counted_over_all_runs(folder):
    table = overview.checks_table(folder).set_index("check")
    assert table.loc["no_misses", ["runs", "passed"]].tolist() == [2, 1]
    assert table.loc["no_misses", "asks"]
    assert table.loc["no_misses", "severity"] == "required"


def test_hosts_in_front_of_a_check_are_left_out(folder):
    (path,) = folder.glob("3.1/*/rep-1/manifest.json")
    manifest = json.loads(path.read_text())
    manifest["checks"] = [
        {"name": "m1_requests_counts", "passed": True, "severity": "advisory"},
        {"name": "m2_requests_counts", "passed": False, "severity": "advisory"},
    ]
    path.write_text(json.dumps(manifest))
    table = overview.checks_table(folder).set_index("check")
    row = table.loc["requests_counts", ["severity", "runs", "passed"]]
    assert row.tolist() == ["advisory", 1, 0]


def test_hosts_that_said_nothing_of_themselves_are_listed(folder):
    table = overview.hosts_table(folder, "3.1").set_index("host")
    assert table.loc["m1", "rate_mbit_per_s"] == 800
    assert table["cores"].isna().all()


def test_configuration_of_a_middleware_is_completed(folder):
    found = overview.middleware_configuration(folder, "3.1")
    assert (found["workers"], found["net_threads"], found["num_clients"]) == (8, 1, 6)
    assert found["addresses"] == {"s1": "s1"}


def test_sections_without_runs_are_named(folder):
    with pytest.raises(FileNotFoundError, match=r"2\.1 holds no accepted run"):
        overview.example_manifest(folder, "2.1")
    with pytest.raises(FileNotFoundError, match="with a middleware"):
        overview.middleware_configuration(folder, "2.1")
    assert overview.checks_table(folder / "nothing").empty
