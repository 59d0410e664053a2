"""Campaigns of others that would read or write elsewhere: refused before any command uses them."""

import gzip
import io
import json
import os
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from analysis.results import ParseError
from analysis.results.manifests import PACKED_MANIFESTS
from analysis.tables.packed import archive_path, packed_sections, raw_files, unpack
from analysis.tables.packed.tarballs import read_archive
from analysis.tables.packed.tarballs import write_archive as write_whole_archive
from analysis.tables.packed.transcripts import TRANSCRIPTS
from lab import campaigns
from lab.cli import main
from lab.say import say
from records.middleware import Middleware
from records.text.visible import visible
from remote.campaign import Campaign
from remote.campaign.plain_files import require_plain_files
from remote.campaign.states import LOCK, sole
from remote.errors import ConfigError
from remote.experiment.section_file import read_section
from remote.services.middleware_file import kept_folder
from tests.helpers.packing import campaign_to_pack, pack

MEMBER = "cfg/rep-1/authorized_keys"
COMMANDS = ("pack", "unpack", "verify", "claims")
SECTION = "new"


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    campaign = campaign_to_pack(tmp_path, monkeypatch)
    monkeypatch.setattr(campaigns, "DATA", campaign.parent)
    return campaign


@pytest.fixture
def keys(tmp_path):
    """A folder outside of the campaign with a file that must stay as it is."""
    folder = tmp_path / "ssh"
    folder.mkdir()
    (folder / "authorized_keys").write_text("mine")
    return folder / "authorized_keys"


@pytest.fixture
def run(campaign):
    return next(path.parent for path in campaign.glob("3.1/*/*/manifest.json"))


def lab(*words):
    return CliRunner().invoke(main, list(map(str, words)))


def write_archive(campaign, *names):
    source = archive_path(campaign, SECTION)
    source.parent.mkdir(exist_ok=True)
    with tarfile.open(source, "w:xz") as archive:
        for name in names or [MEMBER]:
            member = tarfile.TarInfo(f"{name}.verbatim")
            member.size = 6
            archive.addfile(member, io.BytesIO(b"theirs"))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "place", [f"{SECTION}/cfg/rep-1", f"{SECTION}/{PACKED_MANIFESTS}", LOCK, "what-if/more/odd"]
)
def test_a_campaign_with_a_link_is_refused_by_every_command(campaign, keys, command, place):
    write_archive(campaign)
    link = campaign / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(keys if place == LOCK else keys.parent)
    result = CliRunner().invoke(main, [command, "one"])
    assert result.exit_code != 0
    assert f"{link}: is a symbolic link to {link.readlink()}" in result.output
    assert "put what it points to in its place, or remove it" in result.output
    with pytest.raises(ConfigError, match="is a symbolic link"):
        Campaign.open("one/middlewares/haproxy", data_dir=campaign.parent)
    assert keys.read_text() == "mine"


@pytest.mark.parametrize("command", ["pack", "unpack"])
@pytest.mark.parametrize("name", ["{0}", "../two"])
def test_a_folder_elsewhere_is_neither_packed_nor_unpacked(campaign, command, name):
    elsewhere = campaign.parent.parent / "two"
    campaign.rename(elsewhere)
    before = sorted(elsewhere.rglob("*"))
    result = lab(command, name.format(elsewhere))
    assert result.exit_code == 1
    assert f"is no campaign's name: move the folder into {campaign.parent} first" in result.output
    assert sorted(elsewhere.rglob("*")) == before


def test_a_pipe_is_refused_and_a_link_to_the_whole_campaign_is_not(campaign, tmp_path):
    (tmp_path / "elsewhere").symlink_to(campaign)
    require_plain_files(tmp_path / "elsewhere")
    require_plain_files(tmp_path / "new")
    os.mkfifo(campaign / "pipe")
    with pytest.raises(ConfigError, match="pipe: is no plain file or folder"):
        require_plain_files(tmp_path / "elsewhere")


@pytest.mark.parametrize("name", [b"3.1\xff", b"a\x1b]0;mine\x07"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_name_that_cannot_be_seen_is_refused_by_every_command(campaign, command, name):
    Path(os.fsdecode(bytes(campaign) + b"/" + name)).mkdir()
    result = lab(command, "one")
    assert result.exit_code == 1
    assert f"{campaign}/{visible(os.fsdecode(name))}: has characters in its name" in result.output


@pytest.mark.parametrize("command", ["trace", "reproduce"])
@pytest.mark.parametrize("place", ["raw", "sections", "sections/middlewares/mine"])
def test_a_run_is_refused_with_all_of_its_campaign(campaign, run, keys, command, place):
    link = campaign / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(keys.parent)
    result = lab(command, run)
    assert result.exit_code == 1
    assert f"{link}: is a symbolic link to {keys.parent}" in result.output


@pytest.mark.parametrize("name", ["", "manifest.json"])
def test_a_packed_run_is_named_as_if_its_folder_were_there(campaign, run, name):
    pack()
    assert not run.exists()
    assert "holds no plan" in lab("reproduce", run / name).output
    assert "no request was followed in this run" in lab("trace", run / name).output
    assert "no readable manifest" in lab("reproduce", run.with_name("rep-99") / name).output


def test_packed_manifests_that_lead_out_are_refused_by_every_command(campaign):
    write_archive(campaign)
    path = campaign / SECTION / PACKED_MANIFESTS
    path.parent.mkdir()
    path.write_bytes(gzip.compress(json.dumps({"../../rep-1": {"format": 1}}).encode()))
    for command in COMMANDS:
        output = lab(command, "one").output
        assert f"{path}: holds no manifests of runs: '../../rep-1' is no folder of a run" in output


def test_of_a_middleware_only_its_own_files_are_copied(campaign, tmp_path):
    kept, copy = (kept_folder(one / "sections", "mine") for one in (campaign, tmp_path / "again"))
    kept.mkdir(parents=True)
    for name in ("mine.toml", "mine.jar", "other"):
        (kept / name).write_text(name)
    plan = replace(
        read_section("3.1", "smoke"),
        middlewares={"mine": Middleware(name="mine", title="", command="", files={"mine.jar": ""})},
    )
    campaigns._take_middlewares(plan, campaign, tmp_path / "again")
    assert sorted(path.name for path in copy.iterdir()) == ["mine.jar", "mine.toml"]


def test_commands_show_texts_of_others_through_one_function(capsys):
    say("a\x1b[2Jb\udcff", err=True)
    assert capsys.readouterr().err == "a\\x1b[2Jb\\udcff\n"
    sources = Path(campaigns.__file__).parent.glob("*.py")
    assert [path.name for path in sources if "click.echo" in path.read_text()] == ["say.py"]


def test_an_archive_changes_no_manifest_that_was_checked(campaign, run):
    """What an archive says of a run's roles would lead to files of other folders."""
    known = json.loads((run / "manifest.json").read_text())
    pack()
    source = archive_path(campaign, "3.1")
    told = {str(run.relative_to(campaign / "3.1")): {"roles": {"clients": ["../.."]}}}
    files = dict(read_archive(source)) | {TRANSCRIPTS: gzip.compress(json.dumps(told).encode())}
    source.unlink()
    write_whole_archive(source, files.items())
    with raw_files(campaign, ["3.1"]) as copy:
        path = copy / run.relative_to(campaign) / "manifest.json"
        assert json.loads(path.read_text()) == known
    write_archive(campaign, "cfg/rep-1/manifest.json")
    with pytest.raises(
        ParseError, match=r"new\.tar\.xz: 'cfg/rep-1/manifest.json' in it is a manif"
    ):
        unpack(campaign, SECTION)


@pytest.mark.parametrize("names", [["a", "a/b"], ["a/b", "a"]])
def test_members_that_stand_in_each_others_way_are_told(campaign, names):
    write_archive(campaign, *names)
    with pytest.raises(ParseError, match=r"new\.tar\.xz: '.*' in it cannot be written"):
        unpack(campaign, SECTION)


@pytest.mark.parametrize("place", ["", "cfg", "cfg/rep-1", MEMBER])
def test_unpacking_writes_through_no_link_that_appears_later(campaign, keys, place):
    write_archive(campaign)
    link = campaign / SECTION / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(keys if link.name == keys.name else keys.parent, link.name != keys.name)
    with pytest.raises((ParseError, OSError), match="link"):
        unpack(campaign, SECTION)
    assert keys.read_text() == "mine"
    assert list(keys.parent.iterdir()) == [keys]


def test_locking_empties_no_file_through_a_link_that_appears_later(campaign, keys):
    (campaign / LOCK).unlink(missing_ok=True)
    (campaign / LOCK).symlink_to(keys)
    with pytest.raises(OSError, match="link"), sole(campaign):
        pass
    assert keys.read_text() == "mine"


@pytest.mark.parametrize("name", ["..", ".", " "])
def test_an_archive_that_is_named_after_no_section_is_refused(campaign, name):
    raw = campaign / "raw"
    raw.mkdir()
    (raw / f"{name}.tar.xz").write_bytes(b"")
    with pytest.raises(ParseError, match="is no archive of a section"):
        packed_sections(campaign)
