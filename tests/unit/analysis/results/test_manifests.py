"""Runs and their manifests, loose or packed: the same to readers; what others packed is checked."""

import gzip
import json
import os
from functools import partial

import pytest

from analysis.results import ParseError, manifests
from analysis.results.manifests import (
    PACKED_MANIFESTS,
    each_run,
    loose_sections,
    manifest_files,
    measured_sections,
    packed_bytes,
    read_document,
    read_manifest,
    run_folders,
    run_names,
)
from records.files.unpacking import gunzip

zipped = partial(gzip.compress, mtime=0)  # the names of tests have it in them
RUNS = ("workers=16/rep-1", "workers=16/rep-1.pilot-1", "workers=8/rep-2")


def manifest(run):
    return {"format": 1, "status": "accepted", "attempt": 1, "title": run}


def write_loose(section_dir, run):
    (section_dir / run).mkdir(parents=True)
    (section_dir / run / "manifest.json").write_text(json.dumps(manifest(run)))


def write_packed(section_dir, told):
    section_dir.mkdir(parents=True, exist_ok=True)
    content = told if isinstance(told, bytes) else gzip.compress(told.encode())
    (section_dir / PACKED_MANIFESTS).write_bytes(content)


@pytest.fixture(params=["loose", "packed", "some of each"])
def campaign(request, tmp_path):
    packed = {"loose": (), "packed": RUNS, "some of each": RUNS[1:]}[request.param]
    for run in set(RUNS) - set(packed):
        write_loose(tmp_path / "3.1", run)
    if packed:
        write_packed(tmp_path / "3.1", packed_bytes({run: manifest(run) for run in packed}))
    write_loose(tmp_path / "2.1", "kind=ping/rep-1")
    write_loose(tmp_path / "2.1", "kind=ping/rep-2.partial")
    return tmp_path


def test_runs_are_the_same_wherever_their_manifests_are(campaign):
    section = campaign / "3.1"
    assert measured_sections(campaign) == ["2.1", "3.1"]
    assert run_folders(section) == [section / run for run in RUNS]
    assert [f"workers=8/{run}" for run in run_names(section, "workers=8")] == [RUNS[2]]
    assert run_names(section, "none") == run_folders(campaign / "4.1") == []
    assert [read_document(section / run) for run in RUNS] == list(map(manifest, RUNS))
    assert [read_manifest(section / run).title for run in RUNS] == list(RUNS)
    told = dict(each_run(campaign))
    assert [str(run.relative_to(campaign)) for run in told] == [
        "2.1/kind=ping/rep-1",
        *(f"3.1/{run}" for run in RUNS),
    ]
    assert list(each_run(campaign, ["2.1"])) == list(told.items())[:1]
    with pytest.raises(ParseError, match=r"rep-3/manifest\.json: file is missing"):
        read_manifest(section / "workers=8/rep-3")


def test_a_manifest_in_its_folder_comes_first(campaign):
    write_packed(campaign / "2.1", packed_bytes({"kind=ping/rep-1": manifest("packed")}))
    run = campaign / "2.1/kind=ping/rep-1"
    assert read_manifest(run).title == "kind=ping/rep-1"
    (run / "manifest.json").unlink()
    assert read_manifest(run).title == "packed"


def test_files_and_loose_sections_are_told(campaign):
    files = list(manifest_files(campaign))
    assert len(files) == len(list(campaign.rglob("manifest*.json*")))
    there = any(path.name == "manifest.json" and "3.1" in path.parts for path in files)
    assert loose_sections(campaign) == (["2.1", "3.1"] if there else ["2.1"])


def test_packed_bytes_depend_on_the_manifests_alone():
    told = {run: manifest(run) for run in RUNS}
    content = packed_bytes(told)
    assert packed_bytes(dict(reversed(told.items()))) == content
    lines = gzip.decompress(content).decode().splitlines()
    assert [line.partition('": ')[0] for line in lines[1:-1]] == [f'"{run}' for run in RUNS]
    assert json.loads("\n".join(lines)) == told


def test_a_file_that_is_written_anew_is_read_anew(tmp_path):
    section = tmp_path / "3.1"
    for title in ("one", "two"):
        (section / PACKED_MANIFESTS).unlink(missing_ok=True)
        write_packed(section, packed_bytes({RUNS[0]: manifest(title)}))
        assert read_manifest(section / RUNS[0]).title == title


@pytest.mark.parametrize(
    ("told", "said"),
    [
        *((name, "is no folder of a run") for name in ("a", "a/", "/a", "a/b/c", "../b", "a/..")),
        *(
            (name, "is no folder of a run")
            for name in ("a/./b", "a//b", "a/\0", "a/\x1b[2J", "./b")
        ),
        ("a/" + "b" * 256, "is no folder of a run"),
        ("a/\ud800", "holds no manifests of runs"),
        (b"no gzip", "compressed content is damaged"),
        (zipped(b'{"a/b": {}}')[:-9], "compressed content is cut"),
        (zipped(b"[]"), "it is no table"),
        (zipped(b'{"a/b": []}'), "the entry of a/b is no table"),
        (zipped(b'{"a/b": ' * 100_000), "holds no manifests of runs"),
        (zipped(b"9" * 5000), "holds no manifests of runs"),
    ],
)
def test_what_is_no_file_of_packed_manifests_is_refused(tmp_path, told, said):
    content = told if isinstance(told, bytes) else json.dumps({told: {"format": 1}})
    write_packed(tmp_path / "3.1", content)
    with pytest.raises(ParseError, match=rf"3\.1/manifests\.json\.gz: .*{said}"):
        run_folders(tmp_path / "3.1")
    with pytest.raises(ParseError, match=said):
        read_manifest(tmp_path / "3.1" / "a" / "b")


def test_packed_manifests_that_grow_without_end_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(gunzip, "__defaults__", (1000,))
    write_packed(tmp_path / "3.1", '{"a/b": {}}' + " " * 2000)
    with pytest.raises(ParseError, match="more than 1000 bytes: too many"):
        run_folders(tmp_path / "3.1")
    monkeypatch.setattr(manifests, "LARGEST_FILE_BYTES", 10)
    with pytest.raises(ParseError, match="it has more than 10 bytes"):
        run_folders(tmp_path / "3.1")


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_packed_manifests_that_are_no_regular_file_are_not_read(tmp_path, kind):
    path = tmp_path / "3.1" / PACKED_MANIFESTS
    path.parent.mkdir()
    if kind == "link":
        (tmp_path / "elsewhere").write_bytes(packed_bytes({RUNS[0]: manifest("a")}))
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    with pytest.raises(ParseError, match=r"manifests\.json\.gz: is no regular file"):
        read_manifest(tmp_path / "3.1" / RUNS[0])
