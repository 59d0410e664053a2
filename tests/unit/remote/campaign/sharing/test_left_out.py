"""A packed campaign tells nothing of who measured it, and is the same for whoever reads it."""

import gzip
import json
import lzma
import shutil

import pytest
from click.testing import CliRunner

from analysis.tables.frames import NAMES, table_path
from analysis.tables.packed import archive_path, pack, packing, raw_files
from analysis.tables.tidied import campaign_tables
from remote.campaign.record import Record
from remote.campaign.sharing.left_out import LeftOut
from remote.campaign.verify import verify_campaign
from remote.commands.cli import main
from tests.helpers.campaign import build_run, seal

CONFIG = {"workload": "get", "clients_per_thread": 8, "workers": 64}
SECRETS = (b"10.1.2.", b"192.168.7.", b"jane", b"vm-7", b"id_work", b"0123456789abcdefABCDEF")
ADDRESSES = {"c1": "10.1.2.9", "m1": "10.1.2.10", "s1": "vm-7.example.org"}
FINGERPRINT = "SHA256:" + "0123456789abcdefABCDEF".ljust(43, "x")


def rewritten(path, change):
    path.write_bytes(
        gzip.compress(change(gzip.decompress(path.read_bytes()).decode()).encode(), mtime=0)
    )


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """Two sections, measured by Jane on her machines; the manifests are complete."""
    folder = tmp_path_factory.mktemp("measured") / "one"
    for section, config in (("3.1", CONFIG), ("2.1", {**CONFIG, "workers": None})):
        config = {name: level for name, level in config.items() if level}
        run = build_run(folder, section, config)
        for path in run.glob("*/ping-*.txt.gz"):
            target = "m1" if section == "3.1" else "s1"
            name = ADDRESSES[target]
            whole = "10.1.2.31" if target == "s1" else name
            header = f"PING {name} ({whole})"
            rewritten(
                path,
                lambda text, header=header, whole=whole: text.replace(
                    "PING 198.18.0.31 (198.18.0.31)", header
                ).replace("198.18.0.31", whole),
            )
        for path in run.glob("*/dool.csv.gz"):
            own = '"Host:","vm-7-jane",,,,"User:","jane"'
            rewritten(path, lambda t, own=own: t.replace('"Host:","host",,,,"User:","root"', own))
        (run / "c1" / "memtier-0.err.gz").write_bytes(
            gzip.compress(b"connected to 10.1.2.10:11211\n", mtime=0)
        )
        seal(run)
        manifest = json.loads((run / "manifest.json").read_text())
        manifest["control"] = {"host": "janes-laptop", "python": "3.11.7"}
        manifest["jobs"][0]["command"] = "/home/jane/mw/bin/memtier_benchmark --server=10.1.2.10"
        manifest["error"] = (
            f"s1: the ssh-ed25519 key of vm-7.example.org ({FINGERPRINT}) is not the one in "
            "/home/jane/.ssh/id_work; jane@192.168.7.7"
        )
        (run / "manifest.json").write_text(json.dumps(manifest))
    Record(profile="smoke", seed=1, fleet="/home/jane/lab/azure.yml").write(folder)
    campaign_tables(folder, ["2.1", "3.1"])
    return folder


@pytest.fixture
def campaign(measured, tmp_path, monkeypatch):
    """A copy of it, where commands look for campaigns."""
    data = tmp_path / "data"
    monkeypatch.setattr("remote.commands.of_packing.DATA_DIR", data)
    monkeypatch.setattr("remote.commands.of_packing.ABOUT_RUNS", (2,))  # one chapter is enough here
    return shutil.copytree(measured, data / "one")


def everything(campaign):
    for path in campaign.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            yield path, lzma.decompress(content) if path.suffix == ".xz" else content


def told(campaign):
    return sorted({s for _, content in everything(campaign) for s in SECRETS if s in content})


def tables(campaign):
    paths = [table_path(campaign, section, name) for section in ("2.1", "3.1") for name in NAMES]
    return {path.name: path.read_bytes() for path in paths}


def findings(campaign):
    return [(one.kind, one.detail) for one in verify_campaign(campaign).findings]


def test_packed_campaigns_tell_nothing_and_are_the_same_to_readers(campaign):
    before, found = tables(campaign), findings(campaign)
    result = CliRunner().invoke(main, ["pack", "one"])
    assert result.exit_code == 0, result.output
    assert told(campaign) == []
    assert tables(campaign) == before
    assert findings(campaign) == found
    assert "10.1.2.10 is 203.0.113.1" in result.output
    assert "vm-7.example.org is s1" in result.output
    assert "janes-laptop is controller" in result.output
    assert Record.read(campaign).fleet == "azure.yml"
    with raw_files(campaign, ["3.1"]) as folder:
        manifest = json.loads(next(folder.glob("3.1/*/*/manifest.json")).read_text())
    assert manifest["jobs"][0]["command"] == "/work/bin/memtier_benchmark --server=203.0.113.1"


@pytest.mark.slow
def test_one_host_has_one_stand_in_in_all_sections_however_often_it_is_packed(campaign):
    CliRunner().invoke(main, ["pack", "one"])
    once = dict(everything(campaign))
    again = CliRunner().invoke(main, ["pack", "one"])
    assert "left out" not in again.output
    assert dict(everything(campaign)) == once
    CliRunner().invoke(main, ["unpack", "one"])
    assert told(campaign) == []
    (text,) = (
        gzip.decompress(p.read_bytes()) for p in campaign.glob("2.1/*/*/c1/memtier-0.err.gz")
    )
    assert text == b"connected to 203.0.113.1:11211\n"


@pytest.mark.slow
def test_whole_campaigns_are_packed_for_oneself_and_may_be_handed_on_later(campaign):
    result = CliRunner().invoke(main, ["pack", "one", "--whole"])
    assert "left out" not in result.output
    assert told(campaign) == sorted(SECRETS)
    result = CliRunner().invoke(main, ["pack", "one"])
    assert "10.1.2.10 is 203.0.113.1" in result.output
    assert told(campaign) == []


@pytest.mark.slow
def test_packing_that_broke_off_is_taken_up(campaign, monkeypatch):
    """Manifests tell of the files that will be there before the archive is."""
    left_out = LeftOut(campaign)
    monkeypatch.setattr(packing, "write_manifests", half_way(packing.write_manifests))
    with pytest.raises(OSError, match="no space"):
        pack(campaign, "3.1", left_out)
    assert not archive_path(campaign, "3.1").exists()
    monkeypatch.undo()
    monkeypatch.setattr("remote.commands.of_packing.DATA_DIR", campaign.parent)
    result = CliRunner().invoke(main, ["pack", "one"])
    assert result.exit_code == 0, result.output
    assert told(campaign) == []
    assert "damaged" not in {kind for kind, _ in findings(campaign)}


def half_way(rewrite):
    def broken(*arguments):
        rewrite(*arguments)
        raise OSError("no space")

    return broken


def test_a_file_that_was_damaged_stays_so(campaign):
    path = next(campaign.glob("3.1/*/*/c1/memtier-0.err.gz"))
    path.write_bytes(gzip.compress(b"other text of 10.1.2.10", mtime=0))
    CliRunner().invoke(main, ["pack", "one"])
    assert "damaged" in {kind for kind, _ in findings(campaign)}
    assert told(campaign) == []
