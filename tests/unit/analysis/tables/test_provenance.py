import json

import pytest

from analysis.tables.provenance import Provenance, read_provenance, summarise
from records.manifest import Manifest

MANIFEST = {
    "format": 1,
    "campaign": "smoke",
    "profile": "smoke",
    "status": "accepted",
    "attempt": 1,
    "fleet": "local-lab",
    "topology": {"name": "azure", "time_dilation": 1},
    "generator": {"name": "memtier_benchmark", "version": "2.3.1"},
    "git": {"commit": "0123456789abcdef", "dirty": False},
    "started_at": "2026-11-21T02:10:00+00:00",
    "finished_at": "2026-11-21T02:11:00+00:00",
}


def summary(*manifests) -> Provenance:
    return summarise(list(map(Manifest.read, manifests)))


def test_distinct_values_are_collected_once():
    later = {
        **MANIFEST,
        "status": "rejected",
        "git": {"commit": "fedcba9876543210", "dirty": True},
        "topology": {"name": "azure", "time_dilation": 4},
        "finished_at": "2026-11-22T01:00:00+00:00",
    }
    facts = dict(summary(MANIFEST, MANIFEST, later).facts())
    assert facts == {
        "Campaign": "smoke (profile smoke)",
        "Measured": "2026-11-21 02:10 to 2026-11-22 01:00 UTC",
        "Runs": "2 accepted, 1 rejected or failed",
        "Fleet": "local-lab (azure, time dilation 1, 4)",
        "Load generator": "memtier_benchmark 2.3.1",
        "Git commit": "0123456789, fedcba9876 with local changes",
    }


def test_of_many_time_dilations_the_ends_are_told():
    azure = [{"name": "azure", "time_dilation": k} for k in (16, 1, 4, 45, 4)]
    every = [*azure, {"name": "queue", "time_dilation": 4}]
    told = summary(*({**MANIFEST, "topology": topology} for topology in every))
    assert told.fleets == (
        "local-lab (azure, time dilation 1 to 45)",
        "local-lab (queue, time dilation 4)",
    )


def test_runs_without_generator_or_times_are_no_obstacle():
    bare = {key: MANIFEST[key] for key in MANIFEST if key not in ("generator", "started_at")}
    del bare["finished_at"]
    facts = dict(summary(bare).facts())
    assert facts["Measured"] == "not recorded"
    assert facts["Load generator"] == "none"


def test_campaign_without_runs_says_what_to_do(tmp_path):
    with pytest.raises(FileNotFoundError, match="holds no measured runs: measure first"):
        read_provenance(tmp_path)


def test_footnote_names_what_a_figure_was_made_from():
    dropin = {
        "name": "drop-in memtier_benchmark",
        "version": "memtier_benchmark v=2.3.1 generator=middleware-lab 0.1.0 java=17.0.15",
    }
    dilated = {**MANIFEST, "topology": {"name": "azure", "time_dilation": 4}, "generator": dropin}
    assert summary(MANIFEST, MANIFEST).footnote() == (
        "Campaign smoke: out of 2 runs; memtier_benchmark 2.3.1; time dilation k = 1; "
        "commit 0123456789."
    )
    assert summary(dilated, MANIFEST).footnote(1) == (
        "Campaign smoke: 1 run; drop-in memtier_benchmark 2.3.1 (middleware-lab 0.1.0) and "
        "memtier_benchmark 2.3.1; time dilation k = 1, 4; commit 0123456789."
    )


def test_provenance_of_a_section_leaves_the_others_out(tmp_path):
    for section in ("2.1", "2.2"):
        folder = tmp_path / section / "workload=get" / "rep-1"
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text(json.dumps(MANIFEST))
    assert read_provenance(tmp_path, ["2.1"]).num_accepted == 1
    assert read_provenance(tmp_path).num_accepted == 2


def test_a_version_without_end_is_gone_over_once():
    generator = {"name": "other", "version": "generator=" * 100_000}
    (told,) = summary({**MANIFEST, "generator": generator}).generators
    assert told.endswith("generator=")
