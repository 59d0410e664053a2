"""Which calls belong to which request: told at the middleware's own moments, by hand."""

import pytest

from remote.packets.matching import Call, Matcher
from remote.packets.messages import Reply, parse_request


def request(line, at_ns):
    found, _ = parse_request(line)
    found.began_ns = found.at_ns = at_ns
    return found


def call(line, server, sent_ns, received_ns):
    return Call(server, request(line, sent_ns), Reply(b"END", [], 5, received_ns, received_ns))


@pytest.fixture
def matcher():
    return Matcher()


def test_a_part_that_is_missing(matcher):
    client = request(b"get a b\r\n", 10)
    matcher.arrived(client)
    matcher.called(call(b"get a\r\n", "s1", 11, 20))
    assert matcher.replied(client) is None
    assert matcher.unmatched_requests == 1


def test_the_same_key_twice(matcher):
    client = request(b"get a a\r\n", 10)
    matcher.arrived(client)
    own = call(b"get a a\r\n", "s1", 11, 20)
    matcher.called(own)
    assert matcher.replied(client) == [own]


def test_copies_that_are_late_belong_to_nobody(matcher):
    client = request(b"set a 0 0 1\r\n", 10)
    matcher.arrived(client)
    in_time = call(b"set a 0 0 1\r\n", "s1", 11, 12)
    matcher.called(in_time)
    assert matcher.replied(client) == [in_time]
    matcher.called(call(b"set a 0 0 1\r\n", "s2", 11, 30))
    assert matcher.unmatched_calls == 1


def test_a_call_from_before_the_request_is_not_its_own(matcher):
    client = request(b"get a\r\n", 10)
    matcher.arrived(client)
    matcher.called(call(b"get a\r\n", "s1", 9, 12))
    assert matcher.replied(client) is None
    assert (matcher.unmatched_calls, matcher.unmatched_requests) == (1, 1)


def test_gets_of_one_key_at_the_same_time_get_a_call_each(matcher):
    alone = request(b"get z\r\n", 1)
    matcher.arrived(alone)
    matcher.called(call(b"get z\r\n", "s1", 2, 3))
    assert matcher.replied(alone)
    first, second = request(b"get a\r\n", 10), request(b"get a\r\n", 11)
    matcher.arrived(first)
    matcher.arrived(second)
    calls = [call(b"get a\r\n", f"s{i}", 12 + i, 20 + i) for i in range(2)]
    for one in calls:
        matcher.called(one)
    assert matcher.replied(first) == calls[:1]
    assert matcher.replied(second) == calls[1:]
    assert matcher.unmatched_calls == 0


def test_sets_of_one_key_at_the_same_time_get_a_call_at_each_server(matcher):
    line = b"set a 0 0 1\r\n"
    alone = request(line, 1)
    matcher.arrived(alone)
    for server in ("s1", "s2"):
        matcher.called(call(line, server, 2, 3))
    assert len(matcher.replied(alone)) == 2
    first, second = request(line, 10), request(line, 11)
    matcher.arrived(first)
    matcher.arrived(second)
    calls = [
        call(line, server, at, at + 5) for at, server in enumerate(["s1", "s1", "s2", "s2"], 12)
    ]
    for one in calls:
        matcher.called(one)
    assert matcher.replied(first) == [calls[0], calls[2]]
    assert matcher.replied(second) == [calls[1], calls[3]]


def test_nothing_is_guessed_before_any_was_alone(matcher):
    first, second = request(b"get a\r\n", 10), request(b"get a\r\n", 11)
    matcher.arrived(first)
    matcher.arrived(second)
    for _ in range(2):
        matcher.called(call(b"get a\r\n", "s1", 12, 13))
    assert matcher.replied(first) is matcher.replied(second) is None
    assert (matcher.unmatched_calls, matcher.unmatched_requests) == (2, 2)


def test_requests_without_keys_and_those_given_up(matcher):
    stats, get = request(b"stats\r\n", 1), request(b"get a\r\n", 2)
    matcher.arrived(stats)
    matcher.arrived(get)
    matcher.called(call(b"stats\r\n", "s1", 3, 4))
    matcher.called(call(b"get a\r\n", "s1", 3, 4))
    assert matcher.replied(stats) is None
    matcher.dropped(get)
    assert (matcher.unmatched_calls, matcher.unmatched_requests) == (1, 0)
