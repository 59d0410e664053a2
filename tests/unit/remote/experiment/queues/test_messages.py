"""What waits in the queues before a run."""

from collections import Counter
from dataclasses import replace

import pytest

from records.settings import Settings
from remote.errors import CommandFailed, HostUnreachable
from remote.experiment.queues import messages

SETTINGS = Settings(
    client_hosts=1,
    num_middlewares=1,
    num_servers=0,
    num_databases=1,
    workload="queue",
    clients_per_thread=1,
    queue_mix="pop:1",
    queues=3,
    queued_messages=7,
    key_prefix="q-",
    value_bytes=2,
    backend="postgresql",
    workers=1,
)


def test_messages_are_spread_over_the_queues():
    requests = messages.requests(SETTINGS)
    assert requests[0] == b"set q-1 0 0 2\r\nxx\r\n"
    assert Counter(request.split()[1] for request in requests) == {b"q-1": 3, b"q-2": 2, b"q-3": 2}


def test_messages_are_addressed_to_the_receivers():
    names = [r.split()[1] for r in messages.requests(replace(SETTINGS, receivers=2, queues=2))]
    assert names[:4] == [b"q-1/to/r1", b"q-2/to/r1", b"q-1/to/r2", b"q-2/to/r2"]
    assert len(names) == 7


class Channel:
    """A middleware that answers each request with the next of some replies."""

    def __init__(self, replies):
        self.replies = replies

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def sendall(self, requests):
        self.answers = [next(self.replies) for _ in range(requests.count(b"set "))]

    def recv(self, size):
        return self.answers.pop(0) if self.answers else b""


class Connection:
    def __init__(self, *replies):
        self.host, self.name, self.replies = self, "m1", iter(replies)

    def dial(self, port, timeout_s):
        return Channel(self.replies)


def test_each_message_is_acknowledged():
    messages.send_messages(Connection(*[b"STORED\r\n"] * 7), SETTINGS)
    messages.send_messages(Connection(), replace(SETTINGS, queued_messages=0))


def test_message_that_is_not_stored_is_told():
    replies = [b"STORED\r\n"] * 6 + [b"SERVER_ERROR d1 is full\r\n"]
    with pytest.raises(CommandFailed, match=r"m1: .*SERVER_ERROR d1 is full"):
        messages.send_messages(Connection(*replies), SETTINGS)


def test_middleware_that_hangs_up_is_told():
    with pytest.raises(HostUnreachable, match=r"m1: .*port 11212 does not store messages"):
        messages.send_messages(Connection(*[b"STORED\r\n"] * 6, b""), SETTINGS)
