"""Questions with one server, about packets that do not begin and end where requests do."""

from __future__ import annotations

import time

from remote.conformance.trial import Answer, Question, Trial, Verdict, numbered
from remote.conformance.wire import Client, ErrorReply, HungUp, NoReply, WrongReply

_BETWEEN_BYTES_S = 0.002  # so that each is a packet of its own
_PATIENCE_WITH_PIPELINES_S = 2.0  # that they are not taken is no fault


def byte_by_byte(trial: Trial) -> Answer:
    """Send a set and a get, each byte in a packet."""
    client = trial.client()
    _send_bytes(client, b"set split 0 0 7\r\na value\r\n")
    client.expect_line(b"STORED")
    _send_bytes(client, b"get split\r\n")
    client.expect_value(b"split", b"a value")
    return Answer("one byte in each packet")


def pipelines(trial: Trial) -> Answer:
    """Send gets and a set in one packet, to be answered one after another."""
    values = numbered(b"pipelined", 6)
    trial.fill(values)
    client = trial.client(min(_PATIENCE_WITH_PIPELINES_S, trial.patience_s))
    *read, written = values
    request = b"".join(b"get %b\r\n" % key for key in read)
    request += b"set %b 0 0 3\r\nnew\r\nget %b\r\n" % (written, written)
    client.send(request)
    answered = 0
    try:
        for key in read:
            client.expect_value(key, values[key])
            answered += 1
        client.expect_line(b"STORED")
        client.expect_value(written, b"new")
    except (NoReply, HungUp, ErrorReply) as exc:
        sentence = f"of {len(read) + 2} requests in one packet {answered} were answered"
        return Answer("one request at a time", Verdict.DOES_NOT, f"{sentence}: {exc.sentence}")
    except WrongReply as exc:
        sentence = f"of {len(read) + 2} requests in one packet, in order {answered}"
        raise WrongReply(f"{sentence}: {exc.sentence}", exc.difference) from exc
    return Answer("answered one after another, in order")


def _send_bytes(client: Client, request: bytes) -> None:
    for place, byte in enumerate(request):
        client.send(bytes([byte]), begins=place == 0)
        time.sleep(_BETWEEN_BYTES_S)


QUESTIONS = (
    Question(text="A request may come in many packets", ask=byte_by_byte),
    Question(text="A packet may hold many requests (pipelining)", ask=pipelines),
)
