import json

import pytest

from analysis import overview
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


def test_hosts_in_front_of_a_check_are_left_out(folder):
    (path,) = folder.glob("3.1/*/rep-1/manifest.json")
    manifest = json.loads(path.read_text())
    manifest["checks"] = [
        {"name": "m1_requests_counts", "passed": True},
        {"name": "m2_requests_counts", "passed": False},
    ]
    path.write_text(json.dumps(manifest))
    table = overview.checks_table(folder).set_index("check")
    assert table.loc["requests_counts", ["runs", "passed"]].tolist() == [1, 0]


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


def judged(folder, section, repetition, *checks, k=1.0):
    """A run with the outcome of some checks: name to passed."""
    config = {"workload": "get", "clients_per_thread": 1, "workers": 8}
    run = build_run(folder, section, config, repetition=repetition)
    manifest = json.loads((run / "manifest.json").read_text())
    manifest["checks"] = [{"name": name, "passed": passed} for name, passed in checks]
    manifest["topology"]["time_dilation"] = k
    (run / "manifest.json").write_text(json.dumps(manifest))


def test_limits_of_runs_are_counted_by_section(tmp_path):
    slow = ("machine_latency_small", False)
    quick = ("machine_latency_small", True)
    busy = ("machine_not_the_limit", False)
    idle = ("machine_not_the_limit", True)
    for repetition, checks in enumerate([(idle, quick), (idle, slow), (busy, slow), (busy,)], 1):
        judged(tmp_path, "3.1", repetition, *checks)
    judged(tmp_path, "3.2", 1, idle, k=4.0)
    table = overview.machine_table(tmp_path)
    assert table.to_dict("records") == [
        {"section": "3.1", "time_dilation": 1.0, "runs": 4, "lab_was_limit": 1}
        | {"machine_was_busy": 2, "machine_added_latency": 1, "not_judged": 0},
        {"section": "3.2", "time_dilation": 4.0, "runs": 1, "lab_was_limit": 0}
        | {"machine_was_busy": 0, "machine_added_latency": 0, "not_judged": 1},
    ]
    words = overview.machine_sentences(table)
    assert words.startswith("In 1 of 4 runs that can be judged")
    assert (
        "In 1 the machine's own time at every hop took more than that (1 in section 3.1)" in words
    )
    assert "In 2 its processors were busy all the time (2 in section 3.1)" in words


def test_campaign_whose_runs_cannot_be_judged_says_so(tmp_path):
    judged(tmp_path, "3.1", 1)
    assert overview.machine_sentences(overview.machine_table(tmp_path)).startswith("Of no run")
    assert overview.machine_table(tmp_path / "nothing").empty
