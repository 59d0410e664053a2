import gzip
import json

import pytest

from records.manifest import Manifest, UnfinishedManifest
from records.paths import PROJECT
from records.verdict import ADVISORY, Check, Verdict, Window
from tests.helpers.manifests import manifest_of

PACKED = sorted((PROJECT / "data").rglob("manifests.json.gz"))


@pytest.mark.parametrize("path", PACKED, ids=lambda path: str(path.relative_to(PROJECT / "data")))
def test_every_shipped_manifest_is_read_and_nothing_of_it_is_lost(path):
    documents = json.loads(gzip.decompress(path.read_bytes()))
    assert documents
    for document in documents.values():
        manifest = Manifest.read(document)
        assert manifest.document() == document
        manifest.require_whole()


def test_a_run_from_before_entries_were_added_has_what_was_true_of_it():
    before = manifest_of(clock_offsets_s={"c1": 0.01}, checks=[{"name": "stderr", "passed": True}])
    assert before.middleware.tells_statistics and before.middleware.exit_statuses == [0]
    assert (before.clocks, before.topology.time_dilation, before.roles.databases) == ({}, 1.0, [])
    assert before.checks == [Check(name="stderr", passed=True, detail="")]


@pytest.mark.parametrize("document", [{}, {"format": 2}, {"format": "1"}, [], None])
def test_another_format_is_refused(document):
    with pytest.raises(ValueError, match="not a manifest of format 1"):
        Manifest.read(document)


def test_what_a_later_version_adds_is_left_out():
    assert "weather" not in manifest_of(weather="fine").document()


def test_what_was_never_said_is_not_written():
    written = manifest_of(roles={"clients": ["c1"]}).document()
    entries = {"status": "accepted", "attempt": 1, "roles": {"clients": ["c1"]}}
    assert written == {"format": 1, **entries}


def test_entries_of_a_run_under_way_are_written_in_the_order_of_all_manifests():
    manifest = UnfinishedManifest(campaign="one")
    manifest.jobs = []
    manifest.attempt = 2
    manifest.section = "3.1"
    manifest.status = "failed"
    names = ["format", "status", "attempt", "campaign", "section", "jobs"]
    assert list(manifest.document()) == names


@pytest.mark.parametrize(("name", "value"), [("attempt", 0), ("num_clients", "6"), ("job", [])])
def test_a_wrong_entry_of_a_run_under_way_is_refused_when_it_is_set(name, value):
    with pytest.raises(ValueError, match=name):
        setattr(UnfinishedManifest(), name, value)


def test_settings_that_a_run_did_not_record_have_their_defaults_and_hosts_are_counted():
    roles = {"clients": ["c1", "c2"], "middlewares": [], "servers": ["s1", "s2", "s3"]}
    recorded = {"workload": "set", "routing": "hash", "weather": "fine"}
    settings = manifest_of(roles=roles, settings=recorded).all_settings
    assert (settings.workload, settings.routing, settings.pipeline) == ("set", "hash", 1)
    counts = (settings.client_hosts, settings.num_middlewares, settings.num_servers)
    assert counts == (2, 0, 3)


def test_a_verdict_takes_the_place_of_the_manifests_own():
    window = Window(start_epoch_s=10, stable_s=5, end_epoch_s=15)
    failed = Check(name="no_misses", passed=False, detail="3 misses/s")
    hint = Check(name="long_enough", passed=False, detail="90 response times", severity=ADVISORY)
    verdict = Verdict(status="rejected", checks=[failed, hint], window=window)
    judged = manifest_of(section="3.1").judged(verdict)
    assert (judged.section, judged.status, judged.stable) == ("3.1", "rejected", window)
    assert judged.failed_checks() == ["no_misses: 3 misses/s"]
    assert judged.failed_checks(ADVISORY) == ["long_enough: 90 response times"]
    assert "window" in judged.document() and "results" not in judged.document()


def test_a_run_without_load_has_no_stable_window():
    with pytest.raises(ValueError, match="no generator ran"):
        _ = manifest_of().stable
