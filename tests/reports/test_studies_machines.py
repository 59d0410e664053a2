"""The campaigns on the studies' machines as they are shipped: complete, small, readable."""

import pytest

from analysis.results.manifests import PACKED_MANIFESTS, each_run
from analysis.studies.machines.topologies import KNOWN
from analysis.tables import tidy_cache
from analysis.tables.packed import SUFFIX, raw_files
from analysis.tables.tidy_cache import campaign_tables
from lab.verify import table_findings
from records.files.unpacking import gunzip
from records.paths import DATA
from remote.campaign import NO_FLEET, Campaign
from remote.campaign.record import RECORD
from tests.helpers.private import assert_archive_tells_nothing, assert_texts_tell_nothing

LARGEST_BYTES = 7e6

of_each_study = pytest.mark.parametrize("study", KNOWN)


@of_each_study
def test_every_cell_was_measured_on_the_studys_topology_and_passed_its_checks(study):
    campaign = Campaign.open(study, fleet=NO_FLEET)
    assert [run.label for run in campaign.missing(study, retry=True)] == []
    manifests = [m for _, m in each_run(DATA / study, [study]) if m.status == "accepted"]
    assert {manifest.topology.name for manifest in manifests} == {study}
    assert all(manifest.topology.processors for manifest in manifests)
    assert not [text for m in manifests for text in m.failed_checks()]


@pytest.mark.parametrize(
    "study",
    [pytest.param(s, marks=pytest.mark.selected if s == "khalil2016" else ()) for s in KNOWN],
)
def test_its_tables_are_those_that_this_code_makes(study):
    """Where they are not: raise `tidying.SCHEMA`, `make tables`, then commit."""
    with raw_files(DATA / study, [study]) as runs_dir:
        assert list(table_findings(runs_dir, DATA / study / "tidy")) == []


@of_each_study
def test_its_tables_are_read_as_they_are(study, monkeypatch):
    def never(*_: object, **__: object) -> None:
        raise AssertionError(f"the tables of {study} are made anew")

    monkeypatch.setattr(tidy_cache, "tidy_campaign", never)
    assert not campaign_tables(DATA / study, [study]).runs.empty


@of_each_study
def test_it_is_small_and_tells_nothing_of_people_and_their_machines(study):
    files = [path for path in (DATA / study).rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < LARGEST_BYTES
    manifests = DATA / study / study / PACKED_MANIFESTS
    texts = gunzip(manifests.read_bytes()).decode(), (DATA / study / RECORD).read_text()
    assert_texts_tell_nothing(zip((manifests, RECORD), texts, strict=True))
    (archive,) = (path for path in files if path.name.endswith(SUFFIX))
    assert_archive_tells_nothing(archive)
