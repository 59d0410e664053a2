"""Archives that only the history of a repository has: brought when they are needed, and checked."""

import os
import subprocess
import sys

import pytest

from analysis.results import ParseError
from analysis.tables.packed import __main__ as command
from analysis.tables.packed import archive_path, pack, packed_sections, raw_files, sizes_of, unpack
from analysis.tables.packed import archives as archives_module
from analysis.tables.packed.released import present, released
from analysis.tables.packed.releasing import release
from tests.helpers.campaign import build_run

CONFIG = {"workload": "get", "clients_per_thread": 8, "workers": 8}
SECTIONS = ("3.1", "4.1")


def git(folder, *arguments):
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def committed(repository, message):
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--message", message)


@pytest.fixture
def repository(tmp_path):
    """One whose newest commit has a campaign of two packed sections."""
    folder = tmp_path / "project"
    for section in SECTIONS:
        build_run(folder / "data" / "one", section, CONFIG)
        pack(folder / "data" / "one", section)
    git(tmp_path, "init", "--quiet", str(folder))
    committed(folder, "measured")
    return folder


@pytest.fixture
def campaign(repository, monkeypatch):
    """That campaign, of which the newest commit has section 4.1 no more."""
    campaign = repository / "data" / "one"
    release(campaign, ["4.1"], repository)
    committed(repository, "released")
    archive_path(campaign, "4.1").unlink()
    monkeypatch.setattr(archives_module, "present", in_repository(repository))
    return campaign


def in_repository(repository):
    return lambda path, scratch: present(path, scratch, repository)


def test_a_released_archive_is_of_the_history_only(campaign, repository):
    assert git(repository, "ls-files", "data/one/raw").split() == [
        f"data/one/raw/{name}" for name in (".gitignore", "3.1.tar.xz", "released.json")
    ]
    assert git(repository, "status", "--porcelain") == ""
    assert packed_sections(campaign) == list(SECTIONS)


def test_it_is_brought_when_it_is_needed_and_stays(campaign, repository):
    path = archive_path(campaign, "4.1")
    told = sizes_of(campaign, "4.1")
    with raw_files(campaign, ["3.1"]):
        assert not path.exists()
    with raw_files(campaign, ["4.1"]) as folder:
        assert list(folder.rglob("memtier-0.json.gz"))
    assert {path: path.stat().st_size} == told
    assert git(repository, "status", "--porcelain") == ""


def test_a_campaign_that_cannot_be_written_is_read_all_the_same(campaign, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with raw_files(campaign, ["4.1"]) as folder:
        assert list(folder.rglob("memtier-0.json.gz"))
    assert not archive_path(campaign, "4.1").exists()


def test_a_clone_without_history_gets_it_from_where_it_is_from(campaign, repository, tmp_path):
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", str(shallow))
    path = archive_path(shallow / "data" / "one", "4.1")
    assert not path.exists()
    assert present(path, tmp_path, shallow) == path
    assert path.stat().st_size == released(path.parent)[path.name].bytes


def test_where_there_is_no_history_the_error_says_what_to_put_where(campaign, tmp_path):
    with pytest.raises(ParseError) as told:
        present(archive_path(campaign, "4.1"), tmp_path, tmp_path)
    known = released(campaign / "raw")["4.1.tar.xz"]
    for part in (str(archive_path(campaign, "4.1")), known.commit, known.sha256, known.path):
        assert part in str(told.value)
    assert sorted(path.name for path in (campaign / "raw").iterdir()) == [
        ".gitignore",
        "3.1.tar.xz",
        "released.json",
    ]


def test_an_archive_that_is_brought_with_other_bytes_is_refused(campaign, repository, tmp_path):
    path = archive_path(campaign, "4.1")
    known, record = released(path.parent)[path.name], path.with_name("released.json")
    record.write_text(record.read_text().replace(known.sha256, "0" * 64))
    with pytest.raises(ParseError, match="it has other bytes there"):
        present(path, tmp_path, repository)
    assert not path.exists()


def test_another_file_of_its_size_in_its_place_is_refused(campaign):
    path = archive_path(campaign, "4.1")
    path.write_bytes(bytes(released(path.parent)[path.name].bytes))
    with pytest.raises(ParseError, match=r"4\.1\.tar\.xz: is not what was released"):
        unpack(campaign, "4.1")


def test_unpacked_and_packed_again_it_is_released_no_more(campaign):
    assert unpack(campaign, "4.1") > 0
    assert released(campaign / "raw") == {}
    assert packed_sections(campaign) == ["3.1"]
    pack(campaign, "4.1")
    assert sorted(path.name for path in (campaign / "raw").iterdir()) == [
        "3.1.tar.xz",
        "4.1.tar.xz",
    ]


def test_a_second_release_adds_to_the_first(campaign, repository):
    release(campaign, ["3.1"], repository)
    known = released(campaign / "raw")
    assert sorted(known) == ["3.1.tar.xz", "4.1.tar.xz"]
    assert len({one.commit for one in known.values()}) == 2


def test_what_the_newest_commit_does_not_have_is_not_released(repository):
    campaign = repository / "data" / "one"
    archive_path(campaign, "4.1").write_bytes(b"measured since")
    with pytest.raises(ParseError, match="the newest commit has another one"):
        release(campaign, SECTIONS, repository)
    build_run(campaign, "6", CONFIG)
    pack(campaign, "6")
    with pytest.raises(ParseError, match=r"6\.tar\.xz: cannot be released"):
        release(campaign, ["6"], repository)
    assert not (campaign / "raw" / "released.json").exists()


@pytest.mark.parametrize(
    "told",
    [
        "{",
        "[]",
        '{"4.1.tar.xz": 3}',
        '{"4.1.tar.xz": {"commit": "HEAD", "path": "a", "bytes": 1, "sha256": "0"}}',
        '{"4.1.tar.xz": {"commit": "--upload-pack=a"}}',
    ],
)
def test_a_damaged_record_is_named(campaign, told):
    (campaign / "raw" / "released.json").write_text(told)
    with pytest.raises(ParseError, match=r"released\.json: tells of no released archives"):
        packed_sections(campaign)


def test_one_command_brings_all_and_one_releases_more(campaign, repository, monkeypatch, capsys):
    for name, stands_in in (
        ("present", in_repository(repository)),
        ("release", lambda *told: release(*told, repository)),
    ):
        monkeypatch.setattr(command, name, stands_in)
    monkeypatch.setattr(sys, "argv", ["packed", str(campaign)])
    command.main()
    path = archive_path(campaign, "4.1")
    assert capsys.readouterr().out.split()[0] == f"{path}:"
    assert path.exists()
    monkeypatch.setattr(sys, "argv", ["packed", str(campaign), "--release", "3.1"])
    command.main()
    assert len(released(campaign / "raw")) == 2
    path.write_bytes(b"damaged")
    monkeypatch.setattr(sys, "argv", ["packed", str(campaign)])
    with pytest.raises(SystemExit, match="is not what was released"):
        command.main()
