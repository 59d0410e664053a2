"""Questions with one server, about values and keys that come back as they were."""

from __future__ import annotations

import random
import re

from remote.conformance.trial import (
    Answer,
    CannotTell,
    Question,
    Trial,
    Verdict,
    meanwhile,
    numbered,
)
from remote.conformance.wire import ErrorReply, Value, WrongReply, quote, values_reply

SIZES_BYTES = (0, 1, 4096, 1 << 20)
MULTI_GET_KEYS = (2, 6, 24)
_FLAGS, _EXPIRY_S = 4711, 9999
_TIME_LEFT = re.compile(rb"HD t(\d+)")


def accepts(trial: Trial) -> Answer:
    """Connect, and get a key that the server lacks."""
    trial.client().expect_nothing(b"not-there")
    return Answer("yes")


def gets(trial: Trial) -> Answer:
    """Get a key that the server has, and one that it lacks."""
    trial.fill({b"there": b"a value"})
    client = trial.client()
    for _ in range(3):
        client.expect(b"there", b"a value")
        client.expect_nothing(b"not-there")
    return Answer("hits and misses")


def sizes(trial: Trial) -> Answer:
    """Send values from none to a mebibyte, set and read back."""
    rng = random.Random(1)
    for size in SIZES_BYTES:
        data = rng.randbytes(size).hex().encode()[:size]
        client = trial.client()
        try:
            client.set(b"sized", data)
        except ErrorReply as exc:
            with trial.server(0) as server:
                server.set(b"sized", data)  # what memcached refuses, too, tells nothing
            return Answer(f"less than {size} bytes", Verdict.DOES_NOT, exc.sentence)
        client.expect(b"sized", data)
    return Answer(f"{', '.join(map(str, SIZES_BYTES))} bytes")


def contents(trial: Trial) -> Answer:
    """Send values in which there is what looks like the protocol, and every byte there is."""
    writer, reader = trial.client(), trial.client()
    for data in (b"one\r\nEND\r\ntwo", b"\r\n", b"VALUE a 0 1\r\nb\r\nEND\r\n", bytes(range(256))):
        with meanwhile(f"after a set of the {len(data)} bytes {quote(data)}"):
            writer.set(b"content", data)
            reader.expect(b"content", data)
    return Answer("every byte, also \\r\\nEND\\r\\n")


def keys(trial: Trial) -> Answer:
    """Set and get the shortest and the longest key."""
    client = trial.client()
    for key in (b"k", b"k" * 250):
        client.set(key, b"of %d bytes" % len(key))
        client.expect(key, b"of %d bytes" % len(key))
    return Answer("1 and 250 bytes")


def flags_and_expiry(trial: Trial) -> Answer:
    """Set both; flags come back with the value, and the server knows the time that is left."""
    client = trial.client()
    client.set(b"flagged", b"a value", flags=_FLAGS, expiry_s=_EXPIRY_S)
    client.expect(b"flagged", b"a value", _FLAGS)
    with trial.server(0) as server:
        server.send(b"mg flagged t\r\n")
        line = server.line()
    if not (left := _TIME_LEFT.fullmatch(line)):
        if line != b"HD t-1":
            raise CannotTell(f"this memcached does not tell the time left, but {quote(line)}")
        raise WrongReply(f"stored a value without its expiry of {_EXPIRY_S} s")
    if not _EXPIRY_S - 60 < int(left[1]) <= _EXPIRY_S:
        raise WrongReply(f"stored an expiry of {left[1].decode()} s instead of {_EXPIRY_S} s")
    return Answer("both kept")


def multi_gets(trial: Trial) -> Answer:
    """Ask for keys all there, some missing, one twice; all that is there, in order."""
    trial.fill(values := numbered(b"multi", max(MULTI_GET_KEYS)))
    there, absent = list(values), [b"absent-%d" % n for n in range(max(MULTI_GET_KEYS))]
    asked = [there[:count] for count in MULTI_GET_KEYS]
    asked += [[*there[:2], absent[0], *there[2:4], absent[1]], absent, [*there[:2], there[0]]]
    client, otherwise = trial.client(), ""
    for wanted in asked:
        found = client.get(*wanted)
        expected = [key for key in wanted if key in values]
        request = quote(b"get " + b" ".join(wanted))
        reply = values_reply(Value(key, 0, values[key]) for key in expected)
        if lost := sorted(set(expected) - {value.key for value in found}):
            raise client.wrong(f"lost key {quote(lost[0])} of {request}", reply)
        if wrong := [value for value in found if value.data != values.get(value.key)]:
            key, _, data = wrong[0]
            raise client.wrong(
                f"replied to {request} with {quote(data)} for key {quote(key)}", reply
            )
        if [value.key for value in found] != expected:
            came = "once" if len(found) < len(expected) else "in another order than memcached"
            otherwise = f"{request} is answered {came}" if len(set(wanted)) == len(wanted) else ""
            otherwise = otherwise or f"{request}: the key asked for twice comes {came}"
    if otherwise:
        return Answer("complete, but not in order", Verdict.DOES_NOT, otherwise)
    return Answer(f"{', '.join(map(str, MULTI_GET_KEYS))} keys, complete and in order")


QUESTIONS = (
    Question(text="A get finds what is there and only that", ask=gets),
    Question(text="A set is read back, whatever its size", ask=sizes),
    Question(text="A set is read back, whatever is in it", ask=contents),
    Question(text="Short and long keys", ask=keys),
    Question(text="Flags and expiry are kept", ask=flags_and_expiry),
    Question(text="Multi-gets are complete and in order", ask=multi_gets),
)
