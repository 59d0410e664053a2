import gzip

import pytest

from analysis.parsing import ParseError
from analysis.parsing.files import find_file, read_text


def test_compression_is_told_by_the_content_not_the_name(tmp_path):
    path = tmp_path / "windows.csv"
    path.write_bytes(gzip.compress("µs\n".encode()))
    assert read_text(path) == "µs\n"
    path.write_text("µs\n")
    assert read_text(path) == "µs\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"a" * 100)[:-3], "compressed file is cut or damaged"),
        (gzip.compress(b"abc")[:4] + b"garbage" * 5, "compressed file is cut or damaged"),
        (b"one\ntwo\n\xff\n", r"data:3: not text: byte 0xff"),
    ],
)
def test_unreadable_content_is_an_error_with_the_path(tmp_path, content, message):
    path = tmp_path / "data"
    path.write_bytes(content)
    with pytest.raises(ParseError, match=message) as caught:
        read_text(path)
    assert caught.value.path == path


def test_missing_file_is_an_error_with_the_path(tmp_path):
    with pytest.raises(ParseError, match="nothing: file is missing"):
        read_text(tmp_path / "nothing")


def test_the_compressed_file_is_found_when_there_is_one(tmp_path):
    (tmp_path / "a.csv.gz").touch()
    assert find_file(tmp_path, "a.csv").name == "a.csv.gz"
    assert find_file(tmp_path, "b.csv").name == "b.csv"
