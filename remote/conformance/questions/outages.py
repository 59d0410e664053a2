"""Questions with three servers, of which one is slow, down, or up again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from records.text.words import joined
from remote.conformance.trial import Answer, CannotTell, Question, Trial, Verdict, numbered
from remote.conformance.wire import Client, ErrorReply, HungUp, NoReply, Value, values_reply

_PROMPT_S = 0.3
_PROBES, _OTHERS = 6, 6
_KEYS = 12
_ATTEMPT_S = 2.0
_HIT, _MISS, _STORED = "a hit", "a miss", "STORED"


def slow_server(trial: Trial) -> Answer:
    """Pause a server; once a request waits for it, others are sent, of which some need it not."""
    values = numbered(b"slow", _PROBES + _OTHERS)
    trial.fill(values)
    pairs = [(trial.client(), key) for key in values]
    for client, key in pairs:
        client.expect(key, values[key])
    for number, server in enumerate(trial.bench.servers, 1):
        waiting: list[tuple[Client, bytes]] = []
        server.pause()
        try:
            for probe in pairs[:_PROBES]:
                if not _prompt([probe], values):
                    waiting.append(probe)
                    break
            late = [] if not waiting else pairs[_PROBES:]
            answered = _prompt(late, values)
        finally:
            server.resume()
        waiting += [pair for pair in late if pair not in answered]
        for client, key in waiting:
            client.expect_value(key, values[key])
        if waiting:
            text = f"{len(answered)} of {_OTHERS} gets answered while server {number} was paused"
            if answered:
                return Answer(text)
            return Answer(text, Verdict.FAULT, f"one get waited for the paused server: {text}")
    raise CannotTell("no get waited, whichever server was paused")


def server_down(trial: Trial) -> Answer:
    """Kill a server; classify the replies to gets and sets on old and new connections."""
    values = numbered(b"down", _KEYS)
    trial.fill(values)
    clients = [trial.client() for _ in range(_KEYS)]
    for client, (key, data) in zip(clients, values.items(), strict=True):
        client.expect(key, data)
    told, hanging = [], []
    trial.bench.servers[0].stop()
    try:
        for kind, act in (("gets", _get(values)), ("sets", _set)):
            some = [*clients[::2], *(trial.client() for _ in range(_KEYS // 2))]
            outcomes = trial.at_once(act, some)
            told.append(f"{kind}: {_counted(outcomes)}")
            if hung := [outcome for outcome in outcomes if outcome == "hangs"]:
                hanging.append(f"{len(hung)} of {len(outcomes)} {kind}")
    finally:
        trial.bench.servers[0].start()
    if hanging:
        sentence = f"{joined(hanging)} had no reply within {trial.patience_s:g} s"
        return Answer("; ".join(told), Verdict.FAULT, f"{sentence} after server 1 was killed")
    return Answer("; ".join(told))


def server_up_again(trial: Trial) -> Answer:
    """Kill a server, let that be noticed, and start it again: all gets must hit before long."""
    values = numbered(b"again", _KEYS)
    trial.fill(values)
    attempt_s = min(_ATTEMPT_S, trial.patience_s)
    trial.bench.servers[0].stop()
    trial.at_once(_get(values), [trial.client(attempt_s / 2) for _ in range(_KEYS)])
    trial.bench.servers[0].start()
    began_s = time.monotonic()
    trial.fill(values)
    while True:
        outcomes = trial.at_once(_get(values), [trial.client(attempt_s) for _ in range(_KEYS)])
        seconds = time.monotonic() - began_s
        if set(outcomes) == {_HIT}:
            return Answer(f"all gets hit {seconds:.1f} s later")
        if seconds > trial.patience_s:
            sentence = f"{seconds:.0f} s after server 1 was up again: {_counted(outcomes)}"
            return Answer("not all gets hit", Verdict.FAULT, sentence)
        time.sleep(0.1)


def _prompt(
    pairs: Sequence[tuple[Client, bytes]], values: dict[bytes, bytes]
) -> list[tuple[Client, bytes]]:
    """Send a get on each connection at once; return those that are answered at once."""
    for client, key in pairs:
        client.send(b"get %b\r\n" % key)
    until_s = time.monotonic() + _PROMPT_S
    answered = []
    for client, key in pairs:
        if client.is_heard(max(0.001, until_s - time.monotonic())):
            client.expect_value(key, values[key])
            answered.append((client, key))
    return answered


def _get(values: dict[bytes, bytes]) -> Callable[[int, Client], str]:
    keys = list(values)

    def act(number: int, client: Client) -> str:
        key = keys[number]

        def get() -> str:
            if not (found := client.get(key)):
                return _MISS
            if found[0].data != values[key]:
                sentence = f"replied to 'get {key.decode()}' with another value than was set"
                raise client.wrong(sentence, values_reply([Value(key, 0, values[key])]))
            return _HIT

        return _outcome(get)

    return act


def _set(number: int, client: Client) -> str:
    def act() -> str:
        client.set(b"down-set-%d" % number, b"a value")
        return _STORED

    return _outcome(act)


def _outcome(act: Callable[[], str]) -> str:
    try:
        return act()
    except ErrorReply as exc:
        return exc.kind
    except HungUp:
        return "hung up on"
    except NoReply:
        return "hangs"


def _counted(outcomes: Sequence[str]) -> str:
    return ", ".join(f"{count} {outcome}" for outcome, count in Counter(outcomes).most_common())


QUESTIONS = (
    Question(text="A slow server delays only what needs it", ask=slow_server, stops_servers=True),
    Question(text="A server that is down", ask=server_down, stops_servers=True),
    Question(text="A server that is up again", ask=server_up_again, stops_servers=True),
)
