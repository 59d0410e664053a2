import gzip
from pathlib import Path

import pytest

from analysis.results import ParseError
from analysis.results.files import (
    find_file,
    parse_count,
    parse_finite,
    parse_json,
    read_text,
    split_cells,
)
from records.text.visible import LONGEST_MESSAGE


def test_compression_is_told_by_the_content_not_the_name(tmp_path):
    path = tmp_path / "windows.csv"
    path.write_bytes(gzip.compress("µs\n".encode()))
    assert read_text(path) == "µs\n"
    path.write_text("µs\n")
    assert read_text(path) == "µs\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"a" * 100)[:-3], "compressed content is cut"),
        (gzip.compress(b"abc")[:4] + b"garbage" * 5, "compressed content is damaged"),
        (b"one\ntwo\n\xff\n", r"data:3: not text: byte 0xff"),
    ],
    ids=["cut", "damaged", "no text"],
)
def test_unreadable_content_is_an_error_with_the_path(tmp_path, content, message):
    path = tmp_path / "data"
    path.write_bytes(content)
    with pytest.raises(ParseError, match=message) as caught:
        read_text(path)
    assert caught.value.path == path


def test_the_compressed_file_is_found_when_there_is_one(tmp_path):
    (tmp_path / "a.csv.gz").touch()
    assert find_file(tmp_path, "a.csv").name == "a.csv.gz"
    assert find_file(tmp_path, "b.csv").name == "b.csv"


def test_folder_is_an_error_with_the_path(tmp_path):
    with pytest.raises(ParseError, match="file cannot be read: Is a directory"):
        read_text(tmp_path)


def test_byte_order_mark_is_left_out(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("\ufeffone\n".encode())
    assert read_text(path) == "one\n"
    path.write_bytes(b"\xef\xbb\xbfone\n\xff\n")
    with pytest.raises(ParseError, match=r"text:2: not text: byte 0xff"):
        read_text(path)


@pytest.mark.parametrize("text", ["", "1_0", "nan", "-inf", "1e999", "1.2.3", "0x10"])
def test_what_is_no_finite_number(text):
    with pytest.raises(ValueError, match=r"not a finite number|could not convert"):
        parse_finite(text)


@pytest.mark.parametrize("text", ["", "1_0", "-1", "+1", "1.0", "\u0661", "\u00b2"])
def test_what_is_no_count(text):
    with pytest.raises(ValueError, match="not a whole number >= 0"):
        parse_count(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1,\n', ":2: not a complete JSON document"),
        ("[1]", ":1: not a JSON object"),
        ('{"a": 1e999}', "not JSON of a tool: not a finite number"),
        ("[" * 100_000, "not JSON of a tool"),
    ],
)
def test_what_is_no_json_object(text, message):
    with pytest.raises(ParseError, match=message):
        parse_json(Path("some.json"), text)


def test_json_that_is_not_finite_is_none():
    assert parse_json(Path("some.json"), '{"a": NaN, "b": -Infinity}') == {"a": None, "b": None}


def test_damaged_quoting_is_an_error_with_path_and_line():
    assert split_cells(Path("a.csv"), 1, '"a,b",c') == ["a,b", "c"]
    assert split_cells(Path("a.csv"), 1, "") == []
    with pytest.raises(ParseError, match=r"a\.csv:7: not a line of CSV"):
        split_cells(Path("a.csv"), 7, "1,2\r3,4")


def test_a_message_shows_no_endless_line(tmp_path):
    error = ParseError(tmp_path / "data", 3, "x" * 10**6)
    assert str(error).startswith(f"{tmp_path}/data:3: xxx")
    assert len(str(error)) < LONGEST_MESSAGE + 100


def test_missing_file_is_an_error_with_the_path(tmp_path):
    with pytest.raises(ParseError, match="nothing: file is missing"):
        read_text(tmp_path / "nothing")
