import json

from analysis.lab.outcomes import latency_words, outcome_sentences, outcome_table
from tests.helpers.campaign import build_run


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
    for repetition, checks in enumerate([(idle, quick), (idle, slow), (busy, slow), (busy,)], 1):
        judged(tmp_path, "3.1", repetition, *checks)
    judged(tmp_path, "3.2", 1, idle, k=4.0)
    table = outcome_table(tmp_path)
    assert table.to_dict("records") == [
        {"section": "3.1", "time_dilation": 1.0, "runs": 4, "lab_was_limit": 1}
        | {"machine_was_busy": 2, "machine_added_latency": 1, "not_judged": 0},
        {"section": "3.2", "time_dilation": 4.0, "runs": 1, "lab_was_limit": 0}
        | {"machine_was_busy": 0, "machine_added_latency": 0, "not_judged": 1},
    ]
    words = outcome_sentences(table).replace("\xa0", " ")
    assert words.startswith("In 1 of 4 runs that can be judged")
    assert (
        "In 1 run the machine's own time at every hop, or requests that wait for each other "
        "at links and workers, cost more than 5 % (1 in section 3.1)" in words
    )
    assert "In 2 runs its processors were less than 5 % idle (2 in section 3.1)" in words


def test_configurations_that_the_machine_slowed_down_are_named(tmp_path):
    by = ["workload", "workers", "num_clients"]
    for clients, workers, passed in [(1, 8, False), (2, 8, False), (4, 8, True), (1, 64, False)]:
        latency = ("machine_latency_small", passed)
        judged(tmp_path, "3.1", 1, latency, clients=clients, workers=workers)
    words = latency_words(tmp_path, "3.1", by)
    assert "3 of 4 runs that can be judged" in words
    assert (
        "(workload get, workers 8, clients 6 and 12; workload get, workers 64, clients 6)" in words
    )


def test_a_machine_that_took_no_time_is_said_and_one_that_was_not_judged_is_not(tmp_path):
    judged(tmp_path, "3.1", 1, ("machine_latency_small", True))
    judged(tmp_path, "3.2", 1, ("no_misses", True))
    assert "in each of the 1 run that" in latency_words(tmp_path, "3.1", ["workload"])
    assert latency_words(tmp_path, "3.2", ["workload"]) == ""


def test_campaign_whose_runs_cannot_be_judged_says_so(tmp_path):
    judged(tmp_path, "3.1", 1)
    assert outcome_sentences(outcome_table(tmp_path)).startswith("Of no run")
    assert outcome_table(tmp_path / "nothing").empty
