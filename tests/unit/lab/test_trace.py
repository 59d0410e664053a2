"""`lab trace`: the slowest requests as a table, all of them as files."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from analysis.tables.packed import pack
from lab.cli import main
from tests.helpers.followed_run import Passage, write_run

COUNT = 9


@pytest.fixture
def run(tmp_path):
    passages = [Passage(number=n, sent_s=1 + n, servers=("s1", "s2")) for n in range(COUNT)]
    passages[4].stages_ms = {**passages[4].stages_ms, "queueing_time": 41.5}
    pause = ("s2", passages[6].at_s("servers_time"), 0.06)
    passages[6].stages_ms = {**passages[6].stages_ms, "servers_time": 60.0}
    run = tmp_path / "one/8/workload=mixed/rep-1"
    return write_run(run, passages, stopped=[pause], captured=True)


def lab(*words):
    return CliRunner().invoke(main, ["trace", *map(str, words)])


def rows_of(output):
    """Cells of the table, by the columns that its ruler tells."""
    lines = output.splitlines()
    ruler = next(place for place, line in enumerate(lines) if line.startswith("--"))
    return [line.split() for line in lines[ruler + 1 :] if line[:1].strip()]


@pytest.mark.parametrize("words", [(), ("8",)])
@pytest.mark.parametrize("packed", [False, True])
def test_the_slowest_come_first_with_what_is_blamed(run, words, packed):
    campaign = run.parents[2]
    if packed:
        pack(campaign, "8")
    result = lab(campaign, *words, "--slowest", 2)
    assert result.exit_code == 0, result.output
    head, *_ = result.output.splitlines()
    assert f"{COUNT} requests, 1/1 of each connection; times in ms of the clock, k = 1" in head
    one, other = rows_of(result.output)
    assert one[:3] == ["1", "get", "61.420"]
    assert one[3:10] == ["0.500", "0.020", "0.300", "0.050", "60.000", "0.050", "0.500"]
    assert " ".join(one[-5:]) == "pause of s2 100 %"
    assert other[2] == "43.620"
    assert " ".join(other[-3:]) == "queue 100 %"


@pytest.mark.parametrize("name", ["", "manifest.json"])
def test_a_run_is_named_by_its_folder_or_manifest(run, name):
    result = lab(run / name)
    assert result.exit_code == 0, result.output
    assert len(rows_of(result.output)) == COUNT


def test_files_hold_all_followed_requests(run, tmp_path):
    trace, table = tmp_path / "trace.json", tmp_path / "requests.csv"
    result = lab(run, "--slowest", 2, "--perfetto", trace, "--csv", table)
    assert result.exit_code == 0, result.output
    assert f"{trace}: open it at https://ui.perfetto.dev" in result.output
    events = json.loads(trace.read_text())["traceEvents"]
    told = [event["args"] for event in events if "response_time_ms" in event.get("args", {})]
    assert len(told) == COUNT
    assert sorted(args["blamed"] for args in told if "blamed" in args) == ["pause of s2", "queue"]
    assert "stopped" in {event["name"] for event in events}
    rows = pd.read_csv(table)
    assert len(rows) == COUNT
    assert rows["blamed"].count() == 2
    assert set(rows["servers"]) == {"s1;s2"}
    assert rows["server_host_in_ms"].str.count(";").tolist() == [1] * COUNT


def test_where_nothing_was_followed_the_option_is_named(run):
    path = run / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "settings": {}}))
    for words in [(run.parents[2],), (run.parents[2], "8"), (run.parents[2], "3.1"), (run,)]:
        result = lab(*words)
        assert result.exit_code == 1
        assert "--trace" in result.output
        assert "was followed" in result.output


def test_of_several_runs_one_has_to_be_named(run):
    other = write_run(run.with_name("rep-2"), [Passage()])
    result = lab(run.parents[2], "8")
    assert result.exit_code == 1
    assert "2 runs followed requests: name one of them" in result.output
    assert f"  {run}\n  {other}\n" in result.output


def test_a_run_that_cannot_be_joined_says_why(run):
    path = run / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["clocks"]
    path.write_text(json.dumps(manifest))
    result = lab(run)
    assert result.exit_code == 1
    assert "the clocks of the run's hosts were not read" in result.output
