"""An import end to end: the campaign that comes out, and what its checks find."""

import pandas as pd
import pytest

from analysis.imports import import_campaign
from analysis.imports.campaign import PLAN as PLAN_FILE
from analysis.imports.campaign import Imported
from analysis.imports.describing import Source
from analysis.imports.section_files import section_text
from analysis.results.manifests import each_run
from analysis.tables.loading import load_tables
from records.manifest_entries import Git
from remote.experiment.section_file import read_section
from tests.unit.analysis.imports.folders import connection, dstat, log, plan, printed, write_run


def imported(tmp_path, text=None) -> Imported:
    """Import the folder `raw` as the campaign `theirs`."""
    own = plan() if text is None else plan(text)
    source = Source(plan=own, campaign="theirs", git=Git(commit="abc", dirty=False))
    return import_campaign(source, tmp_path / "raw", tmp_path / "theirs", lambda _: None)


def only_manifest(tmp_path):
    """Return the manifest of the only run."""
    ((_, manifest),) = each_run(tmp_path / "theirs")
    return manifest


def only_row(tmp_path) -> pd.Series:
    """Return the row of the only accepted run."""
    (row,) = load_tables(tmp_path / "theirs", "3.1").runs.iloc
    return row


def failed(tmp_path) -> dict[str, str]:
    """Return the checks that the only run did not pass."""
    return {
        check.name: check.detail for check in only_manifest(tmp_path).checks if not check.passed
    }


def test_tables_open_as_those_of_a_measured_campaign(tmp_path):
    for repetition in (1, 2):
        write_run(tmp_path / "raw", repetition=repetition, connection=connection())
        write_run(tmp_path / "raw", "writes/clients=1/workers=16", repetition)
    done = imported(tmp_path)
    tables = load_tables(tmp_path / "theirs", "3.1")
    assert done.num_runs == 4
    assert list(tables.runs)[:6] == [
        *("section", "workload", "workers", "repetition", "num_clients", "time_dilation"),
    ]
    assert set(tables.windows["side"]) == {"client", "middleware"}
    assert set(tables.histograms["time"]) == {"response_time"}
    assert tables.hosts["cpu_percent"].tolist() == [20.0] * 4


def test_numbers_of_the_window_are_those_of_the_files(tmp_path):
    write_run(tmp_path / "raw", connection=connection(requests=90, time_s=0.011))
    imported(tmp_path)
    row = only_row(tmp_path)
    assert row["client_throughput_ops_per_s"] == pytest.approx(90)
    assert row["client_response_time_ms"] == pytest.approx(11)
    assert row["client_response_time_p50_ms"] == pytest.approx(9)
    assert row["middleware_throughput_ops_per_s"] == pytest.approx(100)
    assert row["middleware_queueing_time_ms"] == pytest.approx(2)
    assert row["middleware_response_time_ms"] == pytest.approx(8)
    assert row["middleware_response_time_p50_ms"] == pytest.approx(0.2)
    assert row["middleware_queue_length"] == pytest.approx(1)
    assert row["stable_s"] == 7


def test_the_window_cuts_both_ends(tmp_path):
    ends = log().replace("1,100,", "1,900,", 2)  # the first two seconds are warm-up
    write_run(tmp_path / "raw", log=ends)
    imported(tmp_path)
    assert only_row(tmp_path)["middleware_throughput_ops_per_s"] == pytest.approx(100)


def test_what_files_lack_is_absent_and_listed(tmp_path):
    write_run(tmp_path / "raw", dstat="")
    done = imported(tmp_path)
    row = only_row(tmp_path)
    absent = ("middleware_errors", "middleware_waiting_workers", "client_connection_errors")
    assert row[list(absent)].isna().all()
    assert load_tables(tmp_path / "theirs", "3.1").hosts.empty
    assert "CPU and network load of hosts" in done.lacks
    assert "seconds of clients (their numbers include warm-up and cool-down)" in done.lacks
    assert only_manifest(tmp_path).imported.lacks == list(done.lacks)


def test_manifest_states_the_source(tmp_path):
    write_run(tmp_path / "raw")
    imported(tmp_path)
    manifest = only_manifest(tmp_path)
    manifest.require_whole()
    assert (manifest.fleet, manifest.imported.title) == ("its cloud", "A study")
    assert manifest.imported.files == 3
    assert manifest.started_at == ""
    assert manifest.roles.servers == ["s1"]
    assert failed(tmp_path).keys() == {"requests_counts"} or not failed(tmp_path)


@pytest.mark.parametrize(
    ("files", "check", "detail"),
    [
        ({"log": log(requests=80)}, "requests_counts", "clients 100.0 op/s, middlewares 80.0 op/s"),
        ({"client": printed(time_ms=20)}, "littles_law_clients", "1 clients, throughput times"),
        ({"log": log(queue=9)}, "littles_law_queue", "queue length 9.0, throughput times"),
        ({"client": printed(misses=10)}, "no_misses", "10 % of the keys missed"),
        ({"log": log().replace("1,100,", "1,0,", 4)}, "no_gaps", "middleware 2 s"),
        ({"client": printed(throughput=0)}, "generators_count", "throughput of 0 beside"),
        (
            {"client": printed().replace("1         Conn", "5         Conn")},
            "generators_as_told",
            "1: 1 threads of 5 clients",
        ),
    ],
)
def test_a_contradiction_is_an_advisory_check(tmp_path, files, check, detail):
    write_run(tmp_path / "raw", **files)
    done = imported(tmp_path)
    assert only_manifest(tmp_path).status == "accepted"
    assert detail in failed(tmp_path)[check]
    assert check in done.found


def test_hosts_that_no_setting_has_are_reported_and_left_out(tmp_path):
    write_run(tmp_path / "raw")
    place = tmp_path / "raw/results/reads/clients=1/workers=8"
    (place / "dstat-cli2-rep1.out").write_text(dstat())
    imported(tmp_path)
    assert failed(tmp_path)["hosts_as_told"].endswith("c2")
    assert load_tables(tmp_path / "theirs", "3.1").hosts["host"].tolist() == ["c1"]


def test_section_file_states_what_was_measured(tmp_path):
    for workers in (8, 16):
        write_run(tmp_path / "raw", f"reads/clients=1/workers={workers}")
    write_run(tmp_path / "raw", "writes/clients=4/workers=8")
    imported(tmp_path)
    text = section_text([manifest for _, manifest in each_run(tmp_path / "theirs")])
    (tmp_path / "3.1.toml").write_text(text)
    section = read_section("3.1", "paper", folder=tmp_path)
    assert sorted((c["workload"], c["workers"]) for c in section.configs()) == [
        *(("get", 8), ("get", 16), ("set", 8)),
    ]
    assert section.hosts == {"clients": 1, "middlewares": 1, "servers": 1}


def test_an_uncounted_throughput_is_missing_not_0(tmp_path):
    write_run(tmp_path / "raw", client=printed(throughput=0))
    imported(tmp_path)
    row = only_row(tmp_path)
    assert pd.isna(row["client_throughput_ops_per_s"])
    assert pd.isna(row["client_response_time_ms"])


@pytest.mark.parametrize(
    ("files", "check", "detail"),
    [
        ({"log": log(end=False)}, "files_readable", "mw1-rep1.out: line"),
        ({"client": printed()[:300]}, "files_readable", "client1-rep1.out: line"),
        ({"client": "", "dstat": dstat()}, "files_complete", "no load generator"),
        ({"log": log(seconds=5)}, "durations", "m1 has 5 of 10 s"),
        ({"connection": connection(seconds=4)}, "durations", "client 1 has 4 of 10 s"),
    ],
)
def test_a_cut_run_is_rejected_and_kept(tmp_path, files, check, detail):
    write_run(tmp_path / "raw", **files)
    write_run(tmp_path / "raw", repetition=2)
    imported(tmp_path)
    tables = load_tables(tmp_path / "theirs", "3.1")
    (run,) = tables.rejected.iloc
    assert tables.runs["repetition"].tolist() == [2]
    assert check in run["reason"]
    cut = next(
        manifest for _, manifest in each_run(tmp_path / "theirs") if manifest.repetition == 1
    )
    assert detail in next(one.detail for one in cut.checks if one.name == check)


def test_an_import_replaces_itself_and_nothing_else(tmp_path):
    write_run(tmp_path / "raw")
    imported(tmp_path)
    (tmp_path / "theirs" / PLAN_FILE).write_text("")
    imported(tmp_path)
    (tmp_path / "theirs" / PLAN_FILE).unlink(missing_ok=True)
    with pytest.raises(FileExistsError, match="no imported campaign"):
        imported(tmp_path)
