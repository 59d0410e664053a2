"""Campaigns of others that would read or write elsewhere: refused before any command uses them."""

import io
import json
import os
import tarfile

import pytest
from click.testing import CliRunner

from analysis.results import ParseError
from analysis.tables.packed import archive_path, packed_sections, unpack
from remote.campaign import Campaign
from remote.campaign.received import require_plain_files
from remote.campaign.states import LOCK, sole
from remote.commands import of_campaigns
from remote.commands.cli import main
from remote.errors import ConfigError
from tests.helpers.packing import campaign_to_pack

MEMBER = "cfg/rep-1/authorized_keys"
COMMANDS = ("pack", "unpack", "verify", "claims")
SECTION = "new"


@pytest.fixture
def campaign(tmp_path, monkeypatch):
    campaign = campaign_to_pack(tmp_path, monkeypatch)
    monkeypatch.setattr(of_campaigns, "DATA_DIR", campaign.parent)
    return campaign


@pytest.fixture
def keys(tmp_path):
    """A folder outside of the campaign with a file that must stay as it is."""
    folder = tmp_path / "ssh"
    folder.mkdir()
    (folder / "authorized_keys").write_text("mine")
    return folder / "authorized_keys"


def write_archive(campaign, name=MEMBER):
    source = archive_path(campaign, SECTION)
    source.parent.mkdir(exist_ok=True)
    member = tarfile.TarInfo(f"{name}.verbatim")
    member.size = 6
    with tarfile.open(source, "w:xz") as archive:
        archive.addfile(member, io.BytesIO(b"theirs"))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("place", [f"{SECTION}/cfg/rep-1", LOCK, "what-if/more/odd"])
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


def test_a_pipe_is_refused_and_a_link_to_the_whole_campaign_is_not(campaign, tmp_path):
    (tmp_path / "elsewhere").symlink_to(campaign)
    require_plain_files(tmp_path / "elsewhere")
    require_plain_files(tmp_path / "new")
    os.mkfifo(campaign / "pipe")
    with pytest.raises(ConfigError, match="pipe: is no plain file or folder"):
        require_plain_files(tmp_path / "elsewhere")


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


def test_a_record_of_archives_that_is_nested_without_end_is_told(campaign):
    raw = campaign / "raw"
    raw.mkdir()
    (raw / "released.json").write_text("[" * 100_000)
    with pytest.raises(ParseError, match="tells of no released archives"):
        packed_sections(campaign)


@pytest.mark.parametrize("name", ["..", ".", "../../elsewhere", " "])
def test_an_archive_that_is_named_after_no_section_is_refused(campaign, name):
    raw = campaign / "raw"
    raw.mkdir()
    if "/" in name:
        told = {"commit": "0" * 40, "path": "x", "bytes": 1, "sha256": "0" * 64}
        (raw / "released.json").write_text(json.dumps({f"{name}.tar.xz": told}))
    else:
        (raw / f"{name}.tar.xz").write_bytes(b"")
    with pytest.raises(ParseError, match="is no archive of a section"):
        packed_sections(campaign)
