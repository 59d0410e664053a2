import gzip

import pandas as pd
import pytest

from analysis.results import ParseError
from analysis.results.followed import (
    read_followed_by_generator,
    read_followed_by_middleware,
    read_pauses,
)

GENERATOR = """\
client,number,server,operation,keys,intended_ns,sent_ns,first_byte_ns,last_byte_ns,outcome
198.18.0.11:40312,688,198.18.0.21:11212,get,1,,1795231822004118532,1795231822006020011,1795231822006120011,hit
198.18.0.11:40313,7,198.18.0.21:11212,set,0,1795231822004000001,1795231822004118533,1795231822006020011,1795231822006120011,stored
"""
MIDDLEWARE = """\
client,number,request_type,first_byte_ns,enqueued_ns,dequeued_ns,worker,replied_ns,servers,sent_ns,answered_ns
198.18.0.11:40312,688,get,1795231822004618532,1795231822004620011,1795231822004630517,5,1795231822005630517,198.18.0.31:11211,1795231822004640517,1795231822005620517
198.18.0.11:40313,7,set,11,12,13,0,19,198.18.0.31:11211;198.18.0.32:11211,14;15,17;18
198.18.0.11:40313,14,cas,21,22,23,0,29,,,
"""
PAUSES = """\
start_ns,length_ns,cause
1795231822004118532,5000000,gc: Copy
1795231823104118532,3120011,hiccup
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.csv"


def test_followed_by_generator_keeps_every_nanosecond(path):
    path.write_text(GENERATOR)
    rows = read_followed_by_generator(path)
    assert rows["sent_ns"].tolist() == [1795231822004118532, 1795231822004118533]
    assert rows["intended_ns"].isna().tolist() == [True, False]
    assert rows["intended_ns"][1] == 1795231822004000001
    assert rows["client"].tolist() == ["198.18.0.11:40312", "198.18.0.11:40313"]
    assert rows["outcome"].tolist() == ["hit", "stored"]


def test_followed_by_middleware_has_what_each_server_did(path):
    path.write_text(MIDDLEWARE)
    rows = read_followed_by_middleware(path)
    assert rows["first_byte_ns"][0] == 1795231822004618532
    assert rows["servers"].tolist() == [
        ("198.18.0.31:11211",),
        ("198.18.0.31:11211", "198.18.0.32:11211"),
        (),
    ]
    assert rows["sent_ns"].tolist()[1:] == [(14, 15), ()]
    assert rows["answered_ns"].tolist()[1:] == [(17, 18), ()]
    assert rows["worker"].tolist() == [5, 0, 0]


def test_pauses_are_read_compressed_too(path):
    path.write_bytes(gzip.compress(PAUSES.encode()))
    rows = read_pauses(path)
    assert rows["length_ns"].tolist() == [5_000_000, 3_120_011]
    assert rows["cause"].tolist() == ["gc: Copy", "hiccup"]


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (read_followed_by_generator, GENERATOR),
        (read_followed_by_middleware, MIDDLEWARE),
        (read_pauses, PAUSES),
    ],
)
def test_a_last_line_that_was_cut_is_left_out_and_headers_alone_are_empty(path, read, text):
    path.write_text(text[:-5])
    cut = read(path)
    path.write_text("".join(text.splitlines(keepends=True)[:-1]))
    pd.testing.assert_frame_equal(cut, read(path))
    path.write_text(text.splitlines(keepends=True)[0])
    assert read(path).empty


@pytest.mark.parametrize(
    ("old", "new", "line_number", "told"),
    [
        ("client,number", "number,client", 1, "columns client, number"),
        (",0,19,", ",0,", 3, "11 cells expected, got 10"),
        ("14;15", "14", 3, "have different numbers of servers"),
        ("17;18", "17;", 3, "not a whole number >= 0: ''"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(path, old, new, line_number, told):
    assert old in MIDDLEWARE
    path.write_text(MIDDLEWARE.replace(old, new))
    with pytest.raises(ParseError) as caught:
        read_followed_by_middleware(path)
    assert caught.value.line_number == line_number
    assert told in caught.value.message
