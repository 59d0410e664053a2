"""A power loss at any time while a section is packed or unpacked takes no file of its runs."""

import pytest

from analysis.results.manifests import PACKED_MANIFESTS
from analysis.tables.packed import archive_path, pack, requests_path, unpack
from tests.helpers.campaign import build_run
from tests.helpers.power_loss import Disk


@pytest.fixture
def campaign(tmp_path):
    """A run of section 3.1 that followed requests."""
    campaign = tmp_path / "data" / "one"
    run = build_run(campaign, "3.1", {"workload": "get", "clients_per_thread": 8, "workers": 8})
    (run / "c1" / "followed.csv.gz").write_bytes(b"followed")
    return campaign


def test_files_are_removed_when_their_archives_are_on_the_disk(campaign, tmp_path, monkeypatch):
    disk = Disk(tmp_path, monkeypatch)

    def holds_all(path):
        if campaign / "3.1" in path.parents:
            assert archive_path(campaign, "3.1").exists()
            assert requests_path(campaign, "3.1").exists()
            assert (campaign / "3.1" / PACKED_MANIFESTS).exists()
            assert disk.lost() == []

    disk.before = holds_all
    packed = pack(campaign, "3.1")
    assert len([path for path in disk.removed if path.suffix == ".gz"]) == packed.files > 0


def test_archives_are_removed_when_their_files_are_on_the_disk(campaign, tmp_path, monkeypatch):
    packed = pack(campaign, "3.1")
    disk = Disk(tmp_path, monkeypatch)

    def holds_all(path):
        if path.suffix == ".xz" or path.name == PACKED_MANIFESTS:
            assert list(campaign.glob("3.1/*/*/manifest.json"))
            assert len(list(campaign.glob("3.1/*/*/**/*.gz"))) == packed.files
            assert disk.lost() == []

    disk.before = holds_all
    unpack(campaign, "3.1")
    archives = [archive_path(campaign, "3.1"), requests_path(campaign, "3.1")]
    assert sorted(path for path in disk.removed if path.suffix == ".xz") == sorted(archives)
