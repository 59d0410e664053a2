"""Runs whose files are in an archive: nothing lost, nothing that reads them sees a difference."""

import base64
import contextlib
import gzip
import io
import json
import random
import tarfile
import zlib
from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.results import ParseError
from analysis.results.manifests import PACKED_MANIFESTS, read_document, run_folders
from analysis.tables.frames import tables_path
from analysis.tables.packed import (
    archive_path,
    pack,
    packed_sections,
    raw_files,
    sections_without_files,
    unpack,
)
from analysis.tables.packed.recompress import restored, stored
from analysis.tables.tidy_cache import campaign_tables, remake_tables
from analysis.tables.tidying import tidy_campaign
from lab.cli import main
from lab.verify import verify_campaign
from records.files.atomic import write_json
from remote.campaign import Campaign
from remote.campaign.record import Record
from tests.helpers.campaign import build_run

CONFIGS = [
    {"workload": "get", "clients_per_thread": 8, "workers": 8},
    {"workload": "get", "clients_per_thread": 8, "workers": 64},
]


@pytest.fixture
def campaign(tmp_path):
    """Two runs of section 3.1, one of 2.1."""
    folder = tmp_path / "data" / "one"
    for config in CONFIGS:
        build_run(folder, "3.1", config)
    build_run(folder, "2.1", {"workload": "set", "clients_per_thread": 8})
    return folder


def contents(campaign):
    """All files of the sections, by path."""
    return {
        path.relative_to(campaign): path.read_bytes()
        for path in campaign.glob("[0-9]*/**/*")
        if path.is_file()
    }


def test_unpacking_gives_every_byte_back(campaign):
    as_measured(campaign)
    before = contents(campaign)
    packed = pack(campaign, "3.1")
    assert [path.name for path in contents(campaign) if path.parts[0] == "3.1"] == [
        PACKED_MANIFESTS
    ]
    assert packed.bytes_after == archive_path(campaign, "3.1").stat().st_size < packed.bytes_before
    assert unpack(campaign, "3.1") == packed.files == len(before) - len(contents_of_21(before)) - 2
    assert contents(campaign) == before
    assert packed_sections(campaign) == []
    assert not (campaign / "raw").exists()


def contents_of_21(files):
    return [path for path in files if path.parts[0] == "2.1"]


def as_measured(campaign):
    """Write the manifests of the runs as measuring does."""
    paths = sorted(campaign.glob("[0-9]*/*/*/manifest.json"))
    for path in paths:
        left = {"c1/memtier-0.json.gz": {"sha256": "0" * 64, "bytes": 1}}
        job = {"host": "c1", "name": "memtier-0", "command": "memtier_benchmark --server m1"}
        job |= {"exit_status": 0, "started_at_s": 1}
        manifest = json.loads(path.read_text())
        write_json(path, {**manifest, "files": left, "jobs": [job] * 9, "title": "last"})
    return paths


def test_packed_manifests_are_without_what_only_their_files_need(campaign):
    paths = as_measured(campaign)
    before = contents(campaign)
    pack(campaign, "3.1")
    for path in paths:
        known = json.loads(before[path.relative_to(campaign)])
        found = read_document(path.parent)
        packed = path.parts[-4] == "3.1"
        assert path.exists() != packed
        assert found == (known | {"files": {}, "jobs": []} if packed else known)
        assert list(found) == list(known)
    with raw_files(campaign, ["3.1"]) as folder:
        assert all(
            (folder / name).read_bytes() == content
            for name, content in before.items()
            if name.parts[0] == "3.1"
        )
    with tarfile.open(archive_path(campaign, "3.1")) as archive:
        transcripts = json.load(archive.extractfile("transcripts.json"))
    assert sum(len(one["jobs"]) for one in transcripts.values()) == 2 * 9
    unpack(campaign, "3.1")
    assert contents(campaign) == before


@pytest.mark.parametrize("ends_in", ["_pack_manifests", "_remove_empty_folders", "unlink"])
@pytest.mark.parametrize("done", [0, 1, 30])
def test_packing_that_was_interrupted_is_packed_again_with_nothing_lost(
    campaign, ends_in, done, monkeypatch
):
    as_measured(campaign)
    before = contents(campaign)
    unlink, removed = Path.unlink, []

    def unlink_some(path, missing_ok=False):
        if path.parent.name == "c1" or path.name == "manifest.json":
            removed.append(path)
            if len(removed) > done:
                raise KeyboardInterrupt
        unlink(path, missing_ok)

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        if ends_in == "unlink":
            patch.setattr(Path, "unlink", unlink_some)
        else:
            patch.setattr(f"analysis.tables.packed.packing.{ends_in}", interrupted)
        pack(campaign, "3.1")
    assert [
        json.loads(before[run.relative_to(campaign) / "manifest.json"])["title"]
        for run in run_folders(campaign / "3.1")
    ] == ["last"] * 2
    pack(campaign, "3.1")
    unpack(campaign, "3.1")
    assert contents(campaign) == before


@pytest.mark.parametrize("content", [b"3", b"{", b'{"cfg/rep-1": 3}', b"[" * 100_000])
def test_foreign_transcripts_are_refused(campaign, content):
    source = archive_path(campaign, "3.1")
    source.parent.mkdir()
    with tarfile.open(source, "w:xz") as archive:
        entry = tarfile.TarInfo("transcripts.json")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    with pytest.raises(ParseError, match=r"transcripts.json.gz in it tells of no runs"):
        unpack(campaign, "3.1")


def histogram_log(*payloads):
    lines = [b"#[Histogram log format version 1.3]", b'"StartTimestamp","Interval_Length"']
    lines += [b"Tag=response_time/get,1.0,1.000,2.0," + payload for payload in payloads]
    return gzip.compress(b"\n".join([*lines, b""]), mtime=0)


def encoded(counts, level=9):
    plain = b"\x1c\x84\x93\x13" + bytes(36) + counts
    packed = zlib.compress(plain, level)
    return base64.b64encode(b"\x1c\x84\x93\x14" + len(packed).to_bytes(4, "big") + packed)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no gzip",
        gzip.compress(b"other settings", 1, mtime=77),
        gzip.compress(b"cut", mtime=0)[:-3],
        histogram_log(encoded(b"\x02\x07" * 300), encoded(b"\x04\x05" * 300)),
        histogram_log(encoded(b"\x02\x07" * 300, level=1)),
        histogram_log(b"HISTF not base64"),
        histogram_log(base64.b64encode(b"\x1c\x84\x93\x14" + bytes(30))),
        histogram_log(encoded(b"cut")[:-9]),
    ],
)
def test_every_content_comes_back_whoever_has_compressed_it(content):
    for name in ("c1/odd.txt.gz", "c1/histograms.hlog.gz"):
        assert restored(*stored(name, content)) == (name, content)


def test_histograms_are_archived_uncompressed(campaign):
    counts = random.Random(1).randbytes(2000)
    folder = next(campaign.glob("2.1/*/*")) / "c1"
    (folder / "histograms.hlog.gz").write_bytes(histogram_log(encoded(counts)))
    pack(campaign, "2.1")
    with tarfile.open(archive_path(campaign, "2.1")) as archive:
        (name,) = [one for one in archive.getnames() if "hlog" in one]
        assert name.endswith("c1/histograms.hlog.histograms")
        assert counts in archive.extractfile(name).read()


def test_tables_of_packed_runs_are_those_of_the_runs(campaign, tmp_path):
    tidy_campaign(campaign, ["3.1"], into=tmp_path)
    pack(campaign, "3.1")
    campaign_tables(campaign, ["3.1"])
    made, again = (tables_path(folder, "3.1").read_bytes() for folder in (tmp_path, campaign))
    assert made == again


def test_runs_measured_after_packing_are_packed_with_the_others(campaign):
    pack(campaign, "3.1")
    build_run(campaign, "3.1", {**CONFIGS[0], "workers": 16})
    before = contents(campaign)
    files = pack(campaign, "3.1").files
    assert len(run_folders(campaign / "3.1")) == 3
    assert unpack(campaign, "3.1") == files
    assert len(contents(campaign)) > len(before)
    assert len({path.parts[1] for path in contents(campaign) if path.parts[0] == "3.1"}) == 3


def test_only_the_packed_sections_that_are_asked_for_are_copied(campaign):
    with raw_files(campaign) as folder:
        assert folder == campaign
    pack(campaign, "3.1")
    with raw_files(campaign, ["2.1"]) as folder:
        assert folder == campaign
    with raw_files(campaign, ["3.1"]) as folder:
        assert sorted(path.name for path in folder.iterdir()) == ["3.1"]
    assert not folder.exists()


@pytest.fixture
def without_files(campaign):
    """That campaign with its tables, of which somebody has handed on all but an archive."""
    as_measured(campaign)
    campaign_tables(campaign, ["2.1", "3.1"])
    for section in ("2.1", "3.1"):
        pack(campaign, section)
    archive_path(campaign, "3.1").unlink()
    return campaign


def test_a_section_without_raw_files_is_named_by_what_needs_them(without_files):
    assert sections_without_files(without_files) == ["3.1"]
    said = r"raw/3\.1\.tar\.xz: .*this copy of the campaign has no raw files of section 3\.1"
    before = contents(without_files)
    for needs_files in (pack, unpack):
        with pytest.raises(ParseError, match=said):
            needs_files(without_files, "3.1")
    with pytest.raises(ParseError, match=said), raw_files(without_files):
        pass
    with raw_files(without_files, ["2.1"]):
        pass
    assert contents(without_files) == before


def test_tables_that_cannot_be_made_again_are_kept(without_files):
    kept = tables_path(without_files, "3.1").stat().st_mtime_ns
    made = tables_path(without_files, "2.1").stat().st_mtime_ns
    assert remake_tables(without_files) == ["3.1"]
    assert tables_path(without_files, "3.1").stat().st_mtime_ns == kept
    assert tables_path(without_files, "2.1").stat().st_mtime_ns > made
    assert len(campaign_tables(without_files, ["3.1"]).runs) == 2
    tables_path(without_files, "3.1").unlink()
    with pytest.raises(ParseError, match="no raw files of section 3"):
        campaign_tables(without_files, ["3.1"])


def test_verification_names_what_it_could_not_check_and_is_sound(without_files):
    pack_only = {f.path for f in verify_campaign(without_files).findings}
    assert not any("3.1" in path.parts or path.name.startswith("3.1") for path in pack_only)
    found = verify_campaign(without_files)
    assert (found.runs, found.tables, found.unchecked) == (1, 1, ("3.1",))
    path = without_files / "3.1" / PACKED_MANIFESTS
    path.write_bytes(b"damaged")
    assert path in [finding.path for finding in verify_campaign(without_files).findings]


def test_commands_name_sections_without_raw_files(without_files, monkeypatch):
    Record(profile="smoke", seed=1, fleet="local").write(without_files)
    for name in ("packing", "campaigns"):
        monkeypatch.setattr(f"lab.{name}.DATA", without_files.parent)
    monkeypatch.setitem(Campaign.open.__func__.__kwdefaults__, "data_dir", without_files.parent)
    verified = CliRunner().invoke(main, ["verify", "one"])
    assert "no raw files of them: sections 3.1" in verified.output
    shown = CliRunner().invoke(main, ["campaign", "one"])
    assert shown.exit_code == 3, shown.output
    unpacked = CliRunner().invoke(main, ["unpack", "one"])
    assert unpacked.exit_code == 1
    assert "no raw files of section 3.1" in unpacked.output
    assert packed_sections(without_files) == []


@pytest.mark.parametrize("keep", [0, 10, 0.5, 0.99])
def test_damaged_archive_is_named(campaign, keep):
    pack(campaign, "3.1")
    path = archive_path(campaign, "3.1")
    content = path.read_bytes()
    path.write_bytes(content[: int(keep if keep > 1 else keep * len(content))])
    with pytest.raises(ParseError, match=r"raw/3\.1\.tar\.xz: not a complete archive"):
        campaign_tables(campaign, ["3.1"])
    (finding,) = verify_campaign(campaign).findings
    assert (finding.kind, finding.path) == ("damaged", path)
    with pytest.raises(ParseError):
        unpack(campaign, "3.1")
    assert path.exists()


@pytest.mark.parametrize("name", ["../elsewhere", "/tmp/elsewhere", "a/../../elsewhere"])
def test_archive_with_a_way_out_of_its_folder_is_refused(tmp_path, name):
    source = archive_path(tmp_path, "2.1")
    source.parent.mkdir()
    with tarfile.open(source, "w:xz") as archive:
        archive.addfile(tarfile.TarInfo(name))
    with pytest.raises(ParseError, match=r"2\.1\.tar\.xz: .*elsewhere.gz' is no plain path"):
        unpack(tmp_path, "2.1")


def test_every_damaged_byte_is_found(campaign):
    pack(campaign, "2.1")
    path = archive_path(campaign, "2.1")
    content = path.read_bytes()
    for place in range(0, len(content), len(content) // 40):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])
        assert any(finding.path == path for finding in verify_campaign(campaign).findings), place


def test_verification_tells_of_a_packed_file_that_is_not_what_was_measured(campaign):
    (folder,) = campaign.glob("2.1/*/*")
    manifest = json.loads((folder / "manifest.json").read_text())
    files = {"c1/memtier-0.json.gz": {"sha256": "0" * 64, "bytes": 1}}
    manifest |= {"files": files, "jobs": []}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    pack(campaign, "2.1")
    damaged = [f for f in verify_campaign(campaign).findings if f.kind == "damaged"]
    assert folder / "c1/memtier-0.json.gz" in [finding.path for finding in damaged]


@pytest.mark.slow
def test_commands_pack_and_unpack_with_the_what_ifs(campaign, monkeypatch):
    build_run(campaign / "what-if" / "more", "3.1", CONFIGS[0])
    for folder in (campaign, campaign / "what-if" / "more"):
        Record(profile="smoke", seed=1, fleet="local").write(folder)
    monkeypatch.setattr("lab.packing.DATA", campaign.parent)
    as_measured(campaign)
    before = contents(campaign)
    packed = CliRunner().invoke(main, ["pack", "one"])
    assert packed.exit_code == 0, packed.output
    assert [line.split(":")[0] for line in packed.output.splitlines()] == [
        *["one"] * 2,
        "one/what-if/more",
    ]
    unpacked = CliRunner().invoke(main, ["unpack", "one"])
    assert unpacked.exit_code == 0, unpacked.output
    assert contents(campaign) == before


def test_commands_pack_the_sensitivities_too(campaign, monkeypatch):
    case = campaign / "sensitivity" / "3.1-workload=get" / "as-it-is"
    build_run(case, "3.1", CONFIGS[0])
    for folder in (campaign, case):
        Record(profile="smoke", seed=1, fleet="local").write(folder)
    monkeypatch.setattr("lab.packing.DATA", campaign.parent)
    packed = CliRunner().invoke(main, ["pack", "one"])
    assert packed.output.splitlines()[-1].startswith("one/sensitivity/3.1-workload=get/as-it-is:")


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("command", ["pack", "campaign", "claims", "trace"])
def test_a_damaged_manifest_is_refused_before_anything_is_done(
    campaign, monkeypatch, command, is_packed
):
    Record(profile="smoke", seed=1, fleet="local").write(campaign)
    for name in ("packing", "campaigns"):
        monkeypatch.setattr(f"lab.{name}.DATA", campaign.parent)
    monkeypatch.setitem(Campaign.open.__func__.__kwdefaults__, "data_dir", campaign.parent)
    path = max(campaign.glob("*/*/*/manifest.json"))
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "hosts": [1]}))
    if is_packed:
        pack(campaign, path.parts[-4])
    before = contents(campaign)
    refused = CliRunner().invoke(main, [command, "one"])
    assert refused.exit_code == 1
    assert f"{path}: " in refused.output
    assert "hosts must be a table, got [1]" in refused.output
    assert contents(campaign) == before
