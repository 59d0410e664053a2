import pytest

from records.files.atomic import make_folder, sync_to_disk, write_whole, written_whole
from tests.helpers.power_loss import Disk


def test_a_file_appears_when_it_is_complete(tmp_path):
    path = tmp_path / "table.parquet"
    with written_whole(path) as partial:
        partial.write_text("half")
        assert not path.exists()
    assert path.read_text() == "half"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_stays_when_writing_fails(tmp_path):
    path = tmp_path / "campaign.json"
    path.write_text("before")
    with pytest.raises(KeyboardInterrupt), written_whole(path) as partial:
        partial.write_text("half")
        raise KeyboardInterrupt
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_and_those_above_it_are_on_the_disk_when_they_are_made(tmp_path, monkeypatch):
    disk = Disk(tmp_path, monkeypatch)
    (tmp_path / "a").mkdir()
    make_folder(tmp_path / "a" / "b" / "c")
    write_whole(tmp_path / "a" / "b" / "c" / "file", b"")
    assert disk.lost() == [tmp_path / "a" / "b" / "c" / "file"]  # `a` is another's
    sync_to_disk([tmp_path / "a" / "b"], tmp_path)
    assert disk.lost() == []
    make_folder(tmp_path / "a" / "b" / "c")
