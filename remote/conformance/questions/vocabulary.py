"""Questions with one server, about the commands that are known, and bad ones."""

from __future__ import annotations

import re
import time
from collections import Counter
from contextlib import suppress

from records.text.words import joined
from remote.conformance.bench import WORKERS
from remote.conformance.questions.neighbours import be_served
from remote.conformance.trial import Answer, Question, Trial, Verdict, meanwhile
from remote.conformance.wire import Client, HungUp, NoReply, difference, quote

COMMANDS = {
    "add": [b"add {new} 0 0 1\r\na\r\n"],
    "replace": [b"replace {key} 0 0 1\r\nb\r\n"],
    "append": [b"append {key} 0 0 1\r\n2\r\n"],
    "prepend": [b"prepend {key} 0 0 1\r\n2\r\n"],
    "gets": [b"gets {key}\r\n"],
    "cas": [b"cas {key} 0 0 1 999999\r\nb\r\n"],
    "delete": [b"delete {key}\r\n"],
    "incr": [b"incr {key} 1\r\n"],
    "decr": [b"decr {key} 1\r\n"],
    "touch": [b"touch {key} 0\r\n"],
    "gat": [b"gat 0 {key}\r\n"],
    "noreply": [b"set {key} 0 0 1 noreply\r\n4\r\n", b"get {key}\r\n"],
    "mg": [b"mg {key} v\r\n"],
    "ms": [b"ms {key} 1\r\n4\r\n"],
    "version": [b"version\r\n"],
    "verbosity": [b"verbosity 1\r\n"],
}
"""What a client sends, one packet after another; ``{key}`` has a number, ``{new}`` nothing."""

BAD_INPUTS = {
    "an unknown command": b"frobnicate a\r\n",
    "a get without a key": b"get\r\n",
    "a key of 251 bytes": b"get " + b"k" * 251 + b"\r\n",
    "a value longer than its length": b"set bad 0 0 3\r\nabcdef\r\n",
    "a length below 0": b"set bad 0 0 -1\r\n",
    "a length that is no number": b"set bad 0 0 many\r\n",
    "a length of 9999999999": b"set bad 0 0 9999999999\r\n",
    "binary garbage": bytes(range(128, 256)) * 2 + b"\r\n\0\0\r\n",
    "100 kB without a line's end": b"x" * 100_000,
}
_LAST = "version"
_REPLY_TIME_S = 1.0
_BETWEEN_PACKETS_S = 0.05
_ERROR = re.compile(rb"(?:CLIENT_|SERVER_)?ERROR.*\r\n", re.DOTALL)
_OWN_NUMBERS = ((rb"^VERSION .*\r", b"VERSION\r"), (rb"^(VALUE \S+ \d+ \d+) \d+", rb"\1"))


def commands(trial: Trial) -> Answer:
    """Send each command to memcached and to the middleware, and compare the answers."""
    with trial.server(0) as server:
        expected = {}
        for name in COMMANDS:
            _set_up(name, server)
            expected[name] = _without_own_numbers(_of_memcached(name, server))
            _set_up(name, server)
    clients = {name: trial.client() for name in COMMANDS}
    for place in range(2):  # all commands at once: those that are not answered cost a second only
        for name, client in clients.items():
            for packet in _packets(name)[place : place + 1]:
                with suppress(HungUp, NoReply):
                    client.send(packet)
        time.sleep(_BETWEEN_PACKETS_S)
    until_s = time.monotonic() + _REPLY_TIME_S
    came = {name: _reply(clients[name], expected[name], until_s) for name in COMMANDS}
    with meanwhile("after commands that it may not know"):
        be_served(trial, trial.client())
    lacking = [n for n in COMMANDS if _without_own_numbers(came[n]) != expected[n]]
    if not lacking:
        return Answer(f"all {len(COMMANDS)}, as memcached answers them")
    known = ", ".join(["get", "set", *(name for name in COMMANDS if name not in lacking)])
    others = [
        name
        for name in lacking
        if not _ERROR.fullmatch(came[name])
        and not expected[name].startswith(_without_own_numbers(came[name]))  # late, or closed
    ]
    if others:
        told = [f"{quote(_packets(name)[0])} with {quote(came[name])}" for name in others]
        sentence = f"neither as memcached nor with an error, it answered {joined(told)}"
        shown = difference(expected[others[0]], _without_own_numbers(came[others[0]]))
        return Answer(f"{', '.join(others)} wrongly", Verdict.FAULT, sentence, shown)
    sentence = f"not as memcached: {', '.join(lacking)}"
    return Answer(f"only {known}", Verdict.DOES_NOT, sentence)


def bad_inputs(trial: Trial) -> Answer:
    """Send what is no request, as often as there are workers; others must be served."""
    other = trial.client()
    outcomes: Counter[str] = Counter()
    for what, request in BAD_INPUTS.items():
        with meanwhile(f"after {what}, {quote(request)}"):
            clients = [trial.client() for _ in range(WORKERS)]
            outcome = "no reply"
            for client in clients:
                try:
                    client.send(request)
                except (HungUp, NoReply):
                    outcome = "closed"
            outcome = _outcome(clients[0], outcome)
            outcomes[outcome] += 1
            for client in clients:
                client.close()
            be_served(trial, other)
    return Answer(", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))


def _outcome(client: Client, otherwise: str) -> str:
    try:
        came = client.first(2 * _BETWEEN_PACKETS_S)
    except HungUp:
        return "closed"
    if not came:
        return otherwise
    return "ERROR" if _ERROR.match(came) else quote(came)


def _packets(name: str) -> list[bytes]:
    key = b"command-%b" % name.encode()
    return [
        packet.replace(b"{key}", key).replace(b"{new}", b"new-%b" % key)
        for packet in COMMANDS[name]
    ]


def _set_up(name: str, server: Client) -> None:
    server.set(b"command-%b" % name.encode(), b"3")
    server.send(b"delete new-command-%b\r\n" % name.encode())
    server.line()


def _of_memcached(name: str, server: Client) -> bytes:
    """Return memcached's own reply; that to a second command tells where it ends."""
    for packet in _packets(name):
        server.send(packet)
    if name != _LAST:
        server.send(_LAST.encode() + b"\r\n")
    lines = [server.line()]
    while not lines[-1].startswith(b"VERSION "):
        lines.append(server.line())
    return b"".join(line + b"\r\n" for line in (lines if name == _LAST else lines[:-1]))


def _reply(client: Client, expected: bytes, until_s: float) -> bytes:
    """Return what comes until it is what is expected, or an error, or the time is over."""
    came = b""
    with suppress(HungUp):
        while _without_own_numbers(came) != expected and not _ERROR.fullmatch(came):
            if not (more := client.first(max(0.01, until_s - time.monotonic()))):
                break
            came += more
    return came


def _without_own_numbers(reply: bytes) -> bytes:
    for pattern, replacement in _OWN_NUMBERS:
        reply = re.sub(pattern, replacement, reply, flags=re.MULTILINE)
    return reply


QUESTIONS = (
    Question(text="The commands of memcached beside get and set", ask=commands),
    Question(text="Bad input harms nobody else", ask=bad_inputs),
)
