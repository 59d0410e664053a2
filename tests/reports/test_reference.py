"""The reference campaign as it is shipped: complete, small, readable as it stands."""

import shutil
from collections import defaultdict

import pytest

from analysis.results.manifests import PACKED_MANIFESTS, each_run, measured_sections, run_folders
from analysis.tables import tidy_cache
from analysis.tables.frames import tables_path
from analysis.tables.overview import CHECKS
from analysis.tables.packed import SUFFIX, raw_files
from analysis.tables.tidy_cache import campaign_tables
from lab.verify import check_findings, file_findings, table_findings
from records.files.unpacking import gunzip
from records.paths import REFERENCE
from remote.campaign import NO_FLEET, Campaign
from remote.campaign.record import RECORD
from remote.experiment.manifest import read_manifest
from tests.helpers.private import assert_archive_tells_nothing, assert_texts_tell_nothing

LARGEST_BYTES = 60e6
CACHES = ("0", "2.1", "2.2", "3.1", "3.2", "4.1", "4.4", "5.1", "5.2", "6", "7", "8", "9")
QUEUES = ("q1", "q2", "q3", "q4", "q5", "q6")
SECTIONS = (*CACHES, *QUEUES)
# Sections that were begun with repetitions and seconds of the clock; all others ask for precision.
TIMED = {"8": (1, 7200)}
PRECISE = tuple(name for name in CACHES if name not in ("0", *TIMED))


def test_every_configuration_has_the_fewest_repetitions_that_its_section_asks_for():
    """More of them would make some cells as precise as their sections ask."""
    campaign = Campaign.open("reference", fleet=NO_FLEET)
    assert set(SECTIONS) <= set(measured_sections(REFERENCE))
    assert campaign.profile == "quick"
    for name in SECTIONS:
        fewest, _ = campaign.plan(name).repetitions
        missing = campaign.missing(name, retry=True)
        assert [run.label for run in missing if run.repetition <= fewest] == []


@pytest.mark.parametrize("name", TIMED)
def test_runs_are_as_long_and_as_many_as_they_should_be(name):
    section = Campaign.open("reference", fleet=NO_FLEET).plan(name)
    stable_s = section.fixed.of_clock(section.time_dilation).stable_s
    assert (section.fixed.repetitions, stable_s) >= TIMED[name]
    windows = [m.stable.stable_s for m in under_load(name)]
    assert windows and min(windows) >= TIMED[name][1]


@pytest.mark.parametrize("name", PRECISE)
def test_runs_that_are_to_be_precise_have_windows_that_are_long_in_undilated_time(name):
    precision = Campaign.open("reference", fleet=NO_FLEET).plan(name).precision
    by_configuration = defaultdict(list)  # how often a run holds 100 of its response times
    for m in under_load(name):
        undilated_s = m.stable.stable_s / m.topology.time_dilation
        needed_s = 100 * m.results["client_response_time_ms"] / 1000
        by_configuration[str(m.config)].append(undilated_s / needed_s)
    for config, times in by_configuration.items():
        assert len(times) >= precision.repetitions[0], config
        assert max(times) >= 1, config
    every = [time for times in by_configuration.values() for time in times]
    assert sum(time >= 1 for time in every) >= 0.95 * len(every)  # others were cut by the budget


@pytest.mark.parametrize("name", [name for name in SECTIONS if name != "0"])
def test_runs_pass_all_checks_that_they_must(name):
    assert under_load(name)
    assert not [text for m in under_load(name) for text in m.failed_checks()]


def under_load(section):
    """Manifests of the runs that count and are no measurements of links."""
    manifests = (manifest for _, manifest in each_run(REFERENCE, [section]))
    return [m for m in manifests if m.status == "accepted" and m.num_clients]


@pytest.mark.parametrize("name", QUEUES)
def test_every_message_of_the_queues_is_accounted_for(name):
    assert len(under_load(name)) >= 3
    kept = [c for m in under_load(name) for c in m.checks if c.name.endswith("_messages_kept")]
    assert kept and all(check.passed for check in kept)


def test_it_is_small():
    files = [path for path in REFERENCE.rglob("*") if path.is_file()]
    on_disk = sum(path.stat().st_blocks * 512 for path in files)
    assert on_disk < LARGEST_BYTES


@pytest.mark.parametrize("name", SECTIONS)
def test_its_tables_are_read_as_they_are(name, monkeypatch):
    """Where they are not: `make tables`, then commit."""

    def never(*_: object, **__: object) -> None:
        raise AssertionError(f"the tables of section {name} are made anew")

    monkeypatch.setattr(tidy_cache, "tidy_campaign", never)
    assert not campaign_tables(REFERENCE, [name]).runs.empty or name == "0"


@pytest.mark.parametrize("name", ["2.1", "q1"])
def test_its_tables_are_those_that_this_code_makes(name, tmp_path):
    tidy = tmp_path / "tidy"
    tidy.mkdir()
    shutil.copy(tables_path(REFERENCE, name), tidy)
    with raw_files(REFERENCE, [name]) as runs_dir:
        assert list(table_findings(runs_dir, tidy)) == []


# Of all kinds; to go over the largest, too, takes minutes.
ARCHIVES = [
    path for path in sorted(REFERENCE.glob(f"raw/**/*{SUFFIX}")) if path.stat().st_size < 1.5e6
]


@pytest.mark.parametrize("archive", ARCHIVES, ids=lambda path: path.name)
def test_its_files_tell_nothing_of_people_and_their_machines(archive):
    assert_archive_tells_nothing(archive)


def test_its_manifests_tell_nothing_of_people_and_their_machines():
    packed = [(p, gunzip(p.read_bytes()).decode()) for p in REFERENCE.rglob(PACKED_MANIFESTS)]
    records = [(path, path.read_text()) for path in REFERENCE.rglob(RECORD)]
    assert packed and records
    assert_texts_tell_nothing([*packed, *records])


def test_packed_files_are_what_was_measured():
    """One section in full; `lab verify reference` goes over all that have their files."""
    with raw_files(REFERENCE, ["2.2"]) as folder:
        runs = run_folders(folder / "2.2")
        assert runs
        for run in runs:
            manifest = read_manifest(run)
            assert list(file_findings(run, manifest)) == []
            assert check_findings(run, manifest) == []


def test_every_check_is_told_with_what_it_asks():
    checks = [check for _, manifest in each_run(REFERENCE) for check in manifest.checks]
    names = {check.name for check in checks}
    assert len(names) > 10
    unknown = {name for name in names if not any(name.endswith(known) for known in CHECKS)}
    assert unknown == set()
