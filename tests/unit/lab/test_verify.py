import json
import random
import shutil

import pytest
from click.testing import CliRunner

from analysis.results.manifests import measured_sections
from analysis.tables.frames import table_contents, tables_path
from analysis.tables.tidying import tidy_campaign
from lab.cli import main
from lab.verify import check_findings, table_difference, verify_campaign
from records.verdict import Check, Verdict
from remote.campaign.reproduce import compare
from remote.campaign.view.report import campaign_report
from remote.errors import ConfigError
from tests.helpers.campaign import build_run, seal, write_compressed
from tests.helpers.manifests import manifest_of

CONFIG = {"workload": "get", "clients_per_thread": 8, "workers": 64}


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A campaign of one run, its manifest complete, and its tables."""
    campaign = tmp_path_factory.mktemp("measured") / "one"
    folder = build_run(campaign, "3.1", CONFIG)
    write_compressed(
        folder,
        {
            f"s1/memcached-stats-{when}.txt": f"STAT cmd_get {count}\r\nSTAT cmd_set 0\r\nEND\r\n"
            for when, count in (("before", 0), ("after", 1))
        },
    )
    seal(folder)
    tidy_campaign(campaign)
    return campaign


@pytest.fixture
def campaign(measured, tmp_path):
    """A copy of it that the test may damage."""
    return shutil.copytree(measured, tmp_path / "one")


def kinds(campaign):
    return [finding.kind for finding in verify_campaign(campaign).findings]


def make_sound(campaign):
    """Let manifest and folder say of the run what the checks say; return the folder."""
    (path,) = campaign.glob("*/*/*/manifest.json")
    manifest = json.loads(path.read_text())
    manifest["status"] = "rejected"
    path.write_text(json.dumps(manifest))
    folder = path.parent.rename(path.parent.with_name(f"rep-1.rejected-{manifest['attempt']}"))
    tidy_campaign(campaign)
    return folder


def test_campaigns_within_a_campaign_are_none_of_its_runs(campaign):
    make_sound(campaign)
    build_run(campaign / "what-if" / "more", "3.1", CONFIG)
    build_run(campaign / "sensitivity" / "3.1-workload=get" / "as-it-is", "3.1", CONFIG)
    build_run(campaign / "middlewares" / "nutcracker", "3.1", CONFIG)
    (campaign / "sections" / "middlewares" / "mine").mkdir(parents=True)
    assert verify_campaign(campaign).findings == ()


def test_damaged_missing_and_extra_files_are_found(campaign):
    folder = make_sound(campaign)
    damaged = folder / "c1/memtier-0.json.gz"
    content = damaged.read_bytes()
    damaged.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))  # of the same size
    (folder / "c2/dool.csv.gz").unlink()
    (folder / "c3/notes.txt").touch()
    found = {(f.kind, f.path.name) for f in verify_campaign(campaign).findings}
    assert found == {
        ("damaged", "memtier-0.json.gz"),
        ("missing", "dool.csv.gz"),
        ("extra", "notes.txt"),
    }


CHECK = Check(name="no_misses", passed=True)


def test_a_pilot_is_a_run_that_its_checks_accept(tmp_path, monkeypatch):
    both = [Verdict(status=status, checks=[CHECK]) for status in ("accepted", "rejected")]
    verdicts = iter(both)
    monkeypatch.setattr("lab.verify.evaluate", lambda *_: next(verdicts))
    pilot = manifest_of(status="pilot", checks=[dict(CHECK)])
    assert check_findings(tmp_path, pilot) == []
    (finding,) = check_findings(tmp_path, pilot)
    assert finding.detail == "the run was pilot, is rejected"


def test_damaged_manifest_and_run_without_one_are_found(campaign):
    folder = make_sound(campaign)
    lone = folder.with_name("rep-2")
    lone.mkdir()
    found = {(f.kind, f.path.name) for f in verify_campaign(campaign).findings}
    assert found == {("missing", "rep-2")}
    (folder / "manifest.json").write_text("{")
    assert "damaged" in kinds(campaign)


@pytest.mark.parametrize(
    ("old", "new", "detail"),
    [
        ('"sha256"', '"shb256"', ".sha256 is missing; delete"),
        ('"files"', '"filet"', "files is missing"),
        ('"clients_per_thread": 8', '"clients_per_thread": 9', "says that it is 3.1/workload=get_"),
        ('"repetition": 1', '"repetition": 2', "says that it is 3.1/"),
        ('"status": "rejected"', '"status": "rejectee"', "status must be one of accepted"),
        (
            '"client_throughput_ops_per_s": ',
            '"client_throughput_ops_per_s": 1',
            "results: client_throughput_ops_per_s was",
        ),
    ],
)
def test_altered_manifest_is_found_whatever_it_says(campaign, old, new, detail):
    path = make_sound(campaign) / "manifest.json"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    findings = [f for f in verify_campaign(campaign).findings if f.path == path]
    assert any(detail in f.detail for f in findings), findings


def test_any_altered_byte_of_a_table_is_found(campaign):
    whole = table_contents(tables_path(campaign, "3.1"))["runs"]
    for at in random.Random(1).sample(range(len(whole)), 100):
        altered = whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]
        assert "delete the folder tidy/" in table_difference(altered, whole), at
    assert table_difference(whole, whole) == ""


@pytest.mark.parametrize("content", [b"", b"PK", b"x" * 1000])
def test_a_damaged_file_of_tables_is_found(campaign, content):
    make_sound(campaign)
    tables_path(campaign, "3.1").write_bytes(content)
    (finding,) = verify_campaign(campaign).findings
    assert "no zip of tables" in finding.detail
    assert "delete the folder tidy/" in finding.detail


def test_table_that_the_runs_do_not_give_is_found(campaign):
    folder = make_sound(campaign)
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, "error": "by hand"}))
    (finding,) = verify_campaign(campaign).findings
    assert finding.kind == "tables"
    assert finding.path.name == "3.1.zip"
    assert finding.detail.startswith("rejected is not what the runs give")


def test_verify_command_tells_by_its_status(campaign):
    result = CliRunner().invoke(main, ["verify", str(campaign)])
    assert result.exit_code == 1
    assert "1 runs" in result.output and "1 findings" in result.output
    make_sound(campaign)
    result = CliRunner().invoke(main, ["verify", str(campaign)])
    assert result.exit_code == 0, result.output
    assert "all as it was measured" in result.output


def test_campaign_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ConfigError, match="no such campaign"):
        verify_campaign(tmp_path / "none")
    with pytest.raises(ConfigError, match="holds no runs"):
        verify_campaign(tmp_path)


def test_report_tells_refusals_overhead_and_counts(campaign):
    report = campaign_report(campaign, {})
    assert report.refused == []
    counted = {c.kind: c for c in report.counts}
    assert not counted["keys at servers"].agrees
    assert counted["keys at servers"].counted == 1
    assert counted["sets at servers"].agrees
    text = report.text()
    assert "40.0% was not spent measuring, more than 25%." in text
    assert report.phases_s["measuring"] == 6
    make_sound(campaign)
    ((run, status, reason),) = campaign_report(campaign, {}).refused
    assert run.startswith("3.1/workload=get") and status == "rejected"
    assert "s1" in reason or "servers" in reason
    assert measured_sections(campaign) == ["3.1"]


def test_run_without_recorded_counts_is_reported_as_such(campaign):
    (path,) = campaign.glob("*/*/*/manifest.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "checks": []}))
    (count,) = campaign_report(campaign, {}).counts
    assert (count.kind, count.runs, count.agrees) == ("not recorded", 1, False)


def test_claims_of_a_campaign_that_is_not_there_are_refused():
    missing = CliRunner().invoke(main, ["claims", "none-such"])
    assert missing.exit_code == 1
    assert "no such campaign" in missing.output


def test_numbers_are_compared_with_what_was_measured_again():
    def results(throughput):
        found = {"client_throughput_ops_per_s": throughput}
        return manifest_of(results={**found, "client_response_time_ms": 1000 / throughput})

    throughput, response_time = compare(results(100), [results(100), results(110)])
    assert throughput.ratio == pytest.approx(1.05)
    assert response_time.original == 10


def test_checks_that_came_later_do_not_make_an_old_campaign_unsound(campaign):
    folder = make_sound(campaign)
    manifest = json.loads((folder / "manifest.json").read_text())
    known = [c for c in manifest["checks"] if c["name"] != "no_misses"]
    (folder / "manifest.json").write_text(json.dumps({**manifest, "checks": known}))
    tidy_campaign(campaign)
    assert verify_campaign(campaign).findings == ()
    known[0]["passed"] = not known[0]["passed"]
    (folder / "manifest.json").write_text(json.dumps({**manifest, "checks": known}))
    assert "checks" in kinds(campaign)


def test_tables_that_are_named_after_no_section_are_told(campaign):
    (campaign / "tidy" / "...zip").write_bytes(b"")
    (told,) = (one for one in verify_campaign(campaign).findings if one.kind == "tables")
    assert "'..' cannot be the name of a section" in told.detail
