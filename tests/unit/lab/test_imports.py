"""`lab import`: the report, the errors, and the plan that is an example."""

import tomllib

import pytest
from click.testing import CliRunner

from analysis.tables.loading import load_tables
from lab import imports
from lab.cli import main
from records.documents import parse
from records.import_plan import ImportPlan
from records.paths import PROJECT
from tests.unit.analysis.imports.folders import PLAN, log, write_run

EXAMPLE = PROJECT / "examples/cetin2018-azure/plan.toml"
OF_REQUESTS = """
[files.log]
reader = "csv-requests"
name = 'mw(?P<host>\\d+)-rep(?P<repetition>\\d+)\\.out'
columns = { arrived = "t0_us", taken = "t2_us", done = "t5_us", waiting = "queue_length" }

"""


@pytest.fixture
def run_import(tmp_path, monkeypatch):
    """Import the folder `raw` by a plan; return exit status and output."""
    monkeypatch.setattr(imports, "DATA", tmp_path / "data")

    def run(text: str = PLAN, name: str = "theirs"):
        path = tmp_path / "plan.toml"
        path.write_text(text)
        words = ["import", str(path), str(tmp_path / "raw"), "--campaign", name]
        result = CliRunner().invoke(main, words)
        return result.exit_code, result.output

    return run


def test_the_report_lists_files_contradictions_and_what_is_lacking(tmp_path, run_import):
    write_run(tmp_path / "raw", log=log(requests=50))
    write_run(tmp_path / "raw", repetition=2, log=log(end=False))
    status, output = run_import()
    assert status == 0, output
    assert "2 runs in 1 section\n  3.1: 1 accepted, 1 rejected" in output
    assert "files read: 1 log, 2 monitor, 2 printed" in output
    assert "results/reads/clients=1/workers=8/mw1-rep2.out: line" in output
    assert "requests_counts: 1 run, first 3.1/workload=get/rep-1: clients 100.0 op/s" in output
    assert "waiting workers: 1 run" in output
    assert (tmp_path / "data/theirs/plan.toml").read_text() == PLAN
    assert (tmp_path / "data/theirs/sections/3.1.toml").is_file()


def test_a_log_of_requests_gives_the_same_tables(tmp_path, run_import):
    stamps = [(n * 10_000, n * 10_000 + 2000, n * 10_000 + 8000) for n in range(1000)]
    rows = "".join(f"{t0},{t2},{t5},1\n" for t0, t2, t5 in stamps)
    write_run(tmp_path / "raw", log=f"arrived,taken,done,waiting\n{rows}")
    before, _, after = PLAN.partition("[files.log]")
    status, output = run_import(before + OF_REQUESTS + after[after.index("[files.monitor]") :])
    assert status == 0, output
    (row,) = load_tables(tmp_path / "data/theirs", "3.1").runs.iloc
    assert row["middleware_throughput_ops_per_s"] == pytest.approx(100)
    assert row["middleware_queueing_time_ms"] == pytest.approx(2)
    assert row["middleware_response_time_ms"] == pytest.approx(8)
    assert row["middleware_queue_length"] == pytest.approx(1)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (PLAN.replace("clients=(", "users=("), "theirs", "plan.toml: path.pattern: the first path"),
        (PLAN.replace("[sections]", "[section]"), "theirs", "plan.toml: the top level: unknown"),
        (PLAN, "../theirs", "--campaign: must be letters, digits"),
        ("title = ", "theirs", "plan.toml: not TOML"),
    ],
)
def test_a_mistake_is_one_message(tmp_path, run_import, text, name, message):
    write_run(tmp_path / "raw")
    status, output = run_import(text, name)
    assert status == 1
    assert message in output
    assert not (tmp_path / "data").exists()


def test_the_example_is_a_plan_of_40_lines():
    text = EXAMPLE.read_text()
    plan = parse(ImportPlan, tomllib.loads(text))
    assert list(plan.sections) == ["2.1", "2.2", "3.1", "3.2", "4.1", "5.1", "5.2", "6"]
    assert len([line for line in text.splitlines() if line.strip()]) <= 40
