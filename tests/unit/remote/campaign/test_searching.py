"""A section that searches, from its file to its answer; the system under test is a formula."""

import math
import re

import pytest
from click.testing import CliRunner

from lab.cli import main
from records.manifest import Manifest
from remote.campaign import Campaign
from remote.campaign.view.dry_run import missing_table
from remote.campaign.view.precision import known_text
from remote.experiment.manifest import write_manifest
from remote.experiment.section_file import KEPT

FILE = """
base = "3.1"
find = "throughput with p99 < 5 ms"
time_dilation = 2
[factors]
workload = ["set", "get"]
clients_per_thread = [32]
workers = [64]
[precision]
throughput = 0.05
repetitions = [2, 4]
budget_s = 600
"""
CAPACITY_PER_S = {"set": 6_000, "get": 2_900}
TRUTH_PER_S = {name: capacity - math.log(100) / 0.005 for name, capacity in CAPACITY_PER_S.items()}


@pytest.fixture
def opened(tmp_path):
    campaign = Campaign.open("test", profile="smoke", data_dir=tmp_path)
    folder = campaign.path / KEPT
    folder.mkdir(parents=True)
    (folder / "mine.toml").write_text(FILE)
    return campaign


def measure(run, status="accepted"):
    """Write what M/M/1 would have shown."""
    rate, capacity = run.config["arrival_rate_per_s"], CAPACITY_PER_S[run.config["workload"]]
    answered = min(rate, 0.99 * capacity)
    results = {
        "client_p99_ms": 1e3 * math.log(100) / (capacity - answered),
        "client_throughput_ops_per_s": answered,
    }
    manifest = {
        "status": status, "repetition": run.repetition, "attempt": 1, "results": results,
        "topology": {"time_dilation": run.time_dilation}, "durations": vars(run.lengths),
        "checks": [machine(was_the_limit=run.config["workload"] == "set")],
    }  # fmt: skip
    folder = run.folder
    if status != "accepted":
        names = (f"{folder.name}.{status}-{n}" for n in range(1, 4))
        folder = next(f for name in names if not (f := folder.with_name(name)).exists())
    folder.mkdir(parents=True)
    write_manifest(folder, Manifest(**manifest))


def machine(*, was_the_limit):
    return {"name": "machine_not_the_limit", "passed": not was_the_limit, "detail": ""}


def test_searches_end_with_the_rates_that_are_true(opened):
    blocks = 0
    while runs := opened.planned("mine").runs:
        assert len({run.config["workload"] for run in runs}) == len(runs)
        for run in runs:
            assert run.time_dilation == 2
            measure(run)
        blocks += 1
        assert blocks < 60
    found = {search.config["workload"]: search.found for search in opened.planned("mine").searches}
    for workload, truth in TRUTH_PER_S.items():
        assert found[workload].is_known
        assert found[workload].low <= truth <= found[workload].high <= 1.05 * found[workload].low
    assert opened.missing("mine") == opened.opened("mine").links()
    assert len(opened.runs("mine")) == sum(s.runs for s in opened.planned("mine").searches)


def test_what_was_found_is_told_in_one_table(opened):
    before = known_text([opened.planned("mine")])
    assert "0 of 2 configurations known" in before
    assert before.count("to be measured") == 2
    for _ in range(5):
        for run in opened.planned("mine").runs:
            measure(run)
    left = missing_table([opened.planned("mine")], [], opened.path)
    assert "all 2 configurations" in left
    while runs := opened.planned("mine").runs:
        for run in runs:
            measure(run)
    text = known_text([opened.planned("mine")])
    assert "throughput with p99 < 5 ms, interval of 5 % asked for: 2 of 2" in text
    assert re.search(r"workload=set.* known; the machine was the limit of \d+ runs there", text)
    assert re.search(r"workload=get.* known\n", text + "\n")
    assert "About 0 runs to measure" in missing_table([opened.planned("mine")], [], opened.path)


def test_a_rate_whose_runs_are_refused_is_left(opened):
    first = {run.config["workload"]: run for run in opened.planned("mine").runs}
    for _ in range(3):
        measure(first["set"], status="rejected")
    measure(first["get"])
    again = {run.config["workload"]: run for run in opened.planned("mine").runs}
    assert again["set"].label != first["set"].label
    retried = {run.config["workload"]: run for run in opened.planned("mine", retry=True).runs}
    assert retried["set"].label == first["set"].label


def lab(*words):
    return CliRunner().invoke(main, ["find", *words, "--campaign", "none-such", "--dry-run"])


def test_find_lists_what_it_would_search():
    shown = lab("throughput with p99 < 5 ms", "3.1", "--workers", "64", "--workload=set")
    assert shown.exit_code == 0
    row = "find-3.1-p99-5-ms-workers-64-workload-set"
    assert f"{row}  workload=set_clients_per_thread=16_workers=64" in shown.output


@pytest.mark.parametrize(
    ("section", "rows"),
    [
        ("3.1", ["workload=set_clients_per_thread=16", "workload=get_clients_per_thread=16"]),
        ("7", ["workload=get_num_middlewares=0", "workload=set_num_middlewares=1"]),
    ],
)
def test_find_searches_with_another_middleware_what_that_can_be_told(section, rows):
    shown = lab("throughput with p99 < 5 ms", section, "--middleware", "nutcracker")
    assert shown.exit_code == 0, shown.output
    assert re.findall(r" (workload=\S+)", shown.output) == rows
    words = ["throughput with p99 < 5 ms", "3.1", "--workers", "64", "--middleware", "nutcracker"]
    assert "--workers: no factor of the section" in lab(*words).output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["p99 < 5 ms", "3.1"], "an objective is such as"),
        (["throughput with p99 < 5 ms", "3.3"], "no section `3.3`"),
        (["throughput with p99 < 5 ms", "3.1", "--workers", "0"], "must be a whole number >= 1"),
    ],
)
def test_find_says_what_is_wrong(words, told):
    refused = lab(*words)
    assert refused.exit_code == 1
    assert told in refused.output
