import pytest

from remote.packets.messages import Unreadable, begins_request, parse_request
from remote.packets.readers import ReplyReader, RequestReader
from tests.helpers.captures import set_of, value

SLY = b"\r\nEND\r\nget a\r\nVALUE a 0 1\r\n"


def read(reader, data, step=None):
    """Feed `data` in pieces of `step` bytes, the first at 1 ns, the next at 2 ns, and so on."""
    step = step or len(data)
    places = range(0, len(data), step)
    return [m for at, i in enumerate(places, 1) for m in reader.feed(at, data[i : i + step])]


REQUESTS = [
    (b"get a\r\n", b"get", [b"a"], True, "get"),
    (b"gets a\r\n", b"gets", [b"a"], True, "get"),
    (b"get a b c\r\n", b"get", [b"a", b"b", b"c"], True, "multi-get-3"),
    (b"gat 60 a b\r\n", b"gat", [b"a", b"b"], True, "multi-get-2"),
    (b"get" + b" k" * 100 + b"\r\n", b"get", [b"k"] * 100, True, "multi-get-100-or-more"),
    (set_of(b"a", SLY), b"set", [b"a"], True, "set"),
    (set_of(b"a", b""), b"set", [b"a"], True, "set"),
    (set_of(b"a", b"x", b" noreply"), b"set", [b"a"], False, "set"),
    (b"cas a 0 0 1 77\r\nx\r\n", b"cas", [b"a"], True, "cas"),
    (b"cas a 0 0 1 77 noreply\r\nx\r\n", b"cas", [b"a"], False, "cas"),
    (b"delete a\r\n", b"delete", [b"a"], True, "delete"),
    (b"delete a noreply\r\n", b"delete", [b"a"], False, "delete"),
    (b"incr a 5\r\n", b"incr", [b"a"], True, "incr"),
    (b"touch a 60\r\n", b"touch", [b"a"], True, "touch"),
    (b"stats settings\r\n", b"stats", [], True, "stats"),
    (b"flush_all noreply\r\n", b"flush_all", [], False, "flush_all"),
    (b"quit\r\n", b"quit", [], False, "quit"),
    (b"set a 0 0 -1\r\n", b"set", [b"a"], True, "set"),
    (b"no such thing\n", b"no", [], True, "no"),
    (b"\r\n", b"", [], True, ""),
]


@pytest.mark.parametrize("step", [None, 1, 2, 7])
def test_requests_are_read_however_they_are_cut(step):
    found = read(RequestReader(), b"".join(row[0] for row in REQUESTS), step)
    assert [(r.verb, r.keys, r.has_reply, r.request_type, r.length_bytes) for r in found] == [
        (*row[1:], len(row[0])) for row in REQUESTS
    ]


REPLIES = [
    (value(b"a", SLY) + value(b"b", b"") + b"END\r\n", b"VALUE", [b"a", b"b"], False),
    (b"VALUE a 0 1 99\r\nx\r\nEND\r\n", b"VALUE", [b"a"], False),
    (b"END\r\n", b"END", [], False),
    *((word + b"\r\n", word, [], False) for word in (b"STORED", b"NOT_FOUND", b"TOUCHED", b"17")),
    (b"STAT pid 1\r\nSTAT version 1.6\r\nEND\r\n", b"END", [], False),
    (b"ERROR\r\n", b"ERROR", [], True),
    (b"SERVER_ERROR out of memory\r\n", b"SERVER_ERROR", [], True),
    (value(b"a", b"x") + b"SERVER_ERROR lost\r\n", b"SERVER_ERROR", [b"a"], True),
]


@pytest.mark.parametrize("step", [None, 1, 3])
def test_replies_are_read_however_they_are_cut(step):
    found = read(ReplyReader(), b"".join(row[0] for row in REPLIES), step)
    assert [(r.word, r.keys, r.is_error, r.length_bytes) for r in found] == [
        (*row[1:], len(row[0])) for row in REPLIES
    ]


def test_a_reply_begins_with_its_first_byte_and_ends_with_its_last():
    reader = ReplyReader()
    assert reader.feed(5, b"STORED\r\nVAL") != []
    assert reader.feed(7, b"UE a 0 3\r\nx") == []
    (reply,) = reader.feed(9, b"yz\r\nEND\r\n")
    assert (reply.began_ns, reply.at_ns) == (5, 9)
    (reply,) = reader.feed(11, b"END\r\n")
    assert (reply.began_ns, reply.at_ns) == (11, 11)


def test_what_is_missing_of_a_value_is_skipped():
    reader = RequestReader()
    data = set_of(b"a", b"x" * 5000) + b"get b\r\n"
    assert reader.feed(1, data[:90], 3000) == []
    assert reader.feed(2, data[3090:3100], 0) == []
    assert [r.verb for r in reader.feed(3, data[3100:])] == [b"set", b"get"]
    whole = set_of(b"a", b"x" * 500)
    assert [r.length_bytes for r in reader.feed(4, whole[:90], len(whole) - 90)] == [len(whole)]


@pytest.mark.parametrize(
    ("data", "hidden"),
    [(b"get a", 2), (b"get a\r\n", 7), (set_of(b"a", b"x" * 50)[:40], 100)],
)
def test_what_begins_in_a_hole_cannot_be_read(data, hidden):
    with pytest.raises(Unreadable, match="not captured"):
        RequestReader().feed(1, data, hidden)


@pytest.mark.parametrize("data", [b"mg a v\r\n", b"\x80\x01\x00\n"])
def test_other_protocols_are_not_read(data):
    with pytest.raises(Unreadable, match="neither meta commands nor the binary protocol"):
        RequestReader().feed(1, data)


def test_lines_without_end_and_damaged_heads_of_values_are_told():
    with pytest.raises(Unreadable, match="a line is longer"):
        RequestReader().feed(1, b"x" * (1 << 21))
    with pytest.raises(Unreadable, match="not the head of a value"):
        ReplyReader().feed(1, b"VALUE a 0 x\r\n")


@pytest.mark.parametrize(
    ("request_line", "reply", "fits"),
    [
        (b"get a\r\n", b"END\r\n", True),
        (b"get a\r\n", value(b"a", b"x") + b"END\r\n", True),
        (b"get a\r\n", value(b"b", b"x") + b"END\r\n", False),
        (b"get a\r\n", b"STORED\r\n", False),
        (b"get a\r\n", b"SERVER_ERROR x\r\n", True),
        (b"set a 0 0 1\r\n", b"STORED\r\n", True),
        (b"set a 0 0 1\r\n", b"END\r\n", False),
        (b"incr a 1\r\n", b"2\r\n", True),
        (b"stats\r\n", b"END\r\n", True),
        (b"stats\r\n", value(b"a", b"x") + b"END\r\n", False),
    ],
)
def test_replies_that_fit(request_line, reply, fits):
    request, _ = parse_request(request_line)
    (found,) = ReplyReader().feed(1, reply)
    assert found.fits(request) is fits


@pytest.mark.parametrize(
    ("data", "begins"),
    [
        *((row[0], True) for row in REQUESTS[:16]),
        (b"get a", False),
        (b"getting on\r\n", False),
        (b"get\r\n", False),
        (b"set a 0 0\r\n", False),
        (b"xxxxxxx", False),
        (b"\r\n", False),
        (b"", False),
    ],
)
def test_where_a_request_begins(data, begins):
    assert begins_request(data) is begins
