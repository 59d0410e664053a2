import pytest

from analysis.whole_files import written_whole


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
