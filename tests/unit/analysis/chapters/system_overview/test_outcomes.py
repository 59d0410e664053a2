import json

from analysis.chapters.system_overview.outcomes import outcome_table
from tests.helpers.campaign import STABLE_S, build_run


def judged(folder, section, repetition, *checks, k=1.0, clients=1, workers=8):
    """A run with the outcome of some checks: name to passed."""
    config = {"workload": "get", "clients_per_thread": clients, "workers": workers}
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
    part_busy = (idle, ("shared_part_not_the_limit", False))
    for repetition, checks in enumerate([(idle, quick), (idle, slow), (busy, slow), part_busy], 1):
        judged(tmp_path, "3.1", repetition, *checks)
    judged(tmp_path, "3.2", 1, idle, k=4.0)
    table = outcome_table(tmp_path)
    assert table["window_s"].tolist() == [STABLE_S, STABLE_S / 4]
    assert table.drop(columns="window_s").to_dict("records") == [
        {"section": "3.1", "time_dilation": 1.0, "runs": 4, "lab_was_limit": 1}
        | {"machine_was_busy": 2, "machine_added_latency": 1, "not_judged": 0},
        {"section": "3.2", "time_dilation": 4.0, "runs": 1, "lab_was_limit": 0}
        | {"machine_was_busy": 0, "machine_added_latency": 0, "not_judged": 1},
    ]


def test_a_campaign_without_runs_has_no_rows(tmp_path):
    assert outcome_table(tmp_path / "nothing").empty
