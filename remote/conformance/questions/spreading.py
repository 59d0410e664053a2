"""Questions with three servers, all up, about which of them are asked and what is found again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from remote.conformance.trial import Answer, Question, Trial, Verdict, numbered
from remote.conformance.wire import Value, WrongReply, difference, quote, values_reply

_KEYS = 12
_MULTI_GET_KEYS = 24
_TIMED_BYTES = 4096
_DELAY_S = 0.03  # a packet that waits for an acknowledgement waits for 40 ms
_CLIENTS = 3


def sets_go(trial: Trial) -> Answer:
    """Set keys, and look into the servers for them."""
    values = numbered(b"placed", _KEYS)
    copies, on_server = _set_and_look(trial, values)
    num_servers = len(trial.bench.servers)
    if lost := [key for key in values if not copies[key]]:
        sentence = f"answered STORED to 'set {lost[0].decode()}', which no server has"
        return Answer("nowhere", Verdict.FAULT, sentence)
    numbers = sorted(set(copies.values()))
    if len(numbers) > 1:
        fewest = min(values, key=lambda key: copies[key])
        sentence = (
            f"{_KEYS} keys are on {numbers[0]} to {numbers[-1]} of {num_servers} servers each, "
            f"{quote(fewest)} on {copies[fewest]}"
        )
        return Answer("to some", Verdict.FAULT, sentence)
    if numbers == [num_servers]:
        return Answer(f"to all {num_servers} servers")
    spread = ", ".join(map(str, on_server))
    return Answer(f"to {numbers[0]} of {num_servers} servers each: {spread} of {_KEYS} keys")


def read_by_others(trial: Trial) -> Answer:
    """Let one client set and others get."""
    values = numbered(b"read", _KEYS)
    copies, _ = _set_and_look(trial, values)
    missed: Counter[bytes] = Counter()
    for _ in range(_CLIENTS):
        client = trial.client()
        for key, data in values.items():
            if found := client.get(key):
                if found[0].data != data:
                    sentence = f"replied to {quote(b'get ' + key)} with {quote(found[0].data)}"
                    reply = values_reply([Value(key, 0, data)])
                    raise client.wrong(f"{sentence} instead of {quote(data)}", reply)
            else:
                missed[key] += 1
    if not missed:
        return Answer("every get hits")
    key, gets = next(iter(missed)), _KEYS * _CLIENTS
    servers, num_servers = copies[key], len(trial.bench.servers)
    sentence = (
        f"{missed.total()} of {gets} gets of keys that another client had set missed, such as "
        f"{quote(key)}, which is on {servers} of {num_servers} servers"
    )
    verdict = Verdict.DOES_NOT if servers == 1 else Verdict.FAULT  # copies are made to be read
    return Answer(f"{missed.total()} of {gets} miss", verdict, sentence)


def gets_spread(trial: Trial) -> Answer:
    """Get keys that all servers have, from some clients."""
    values = numbered(b"spread", _MULTI_GET_KEYS)
    trial.fill(values)

    def act() -> None:
        for _ in range(_CLIENTS):
            client = trial.client()
            for key, data in values.items():
                client.expect(key, data)

    asked = _asked(trial, act)
    text = f"{', '.join(map(str, asked))} of {sum(asked)} gets"
    if all(asked):
        return Answer(text)
    sentence = f"{asked.count(0)} of {len(asked)} servers had no get, although all had every key"
    return Answer(text, Verdict.DOES_NOT, sentence)


def delays(trial: Trial) -> Answer:
    """Send gets and sets one after another, so that none has to wait for another."""
    values = {key: bytes(_TIMED_BYTES) for key in numbered(b"timed", _MULTI_GET_KEYS)}
    trial.fill(values)
    client = trial.client()
    kinds: dict[str, Callable[[bytes], None]] = {
        "gets": lambda key: client.expect(key, values[key]),
        "sets": lambda key: client.set(key, values[key]),
    }
    times_s = {kind: [_seconds(act, key) for key in values] for kind, act in kinds.items()}
    shortest_s = min(min(times) for times in times_s.values())
    for kind, times in times_s.items():
        late = sorted(time_s for time_s in times if time_s > 3 * shortest_s + _DELAY_S)
        if len(late) >= len(times) / 5:
            text = f"{len(late)} of {len(times)} {kind} took {_ms(late[0])} to {_ms(late[-1])} ms"
            sentence = f"{text}, with no other request under way; the shortest {_ms(shortest_s)} ms"
            return Answer("slow without need", Verdict.FAULT, sentence)
    longest_s = max(max(times) for times in times_s.values())
    return Answer(f"{_ms(shortest_s)} to {_ms(longest_s)} ms")


def multi_gets_are_cut(trial: Trial) -> Answer:
    """Send one multi-get of keys that all servers have."""
    values = numbered(b"cut", _MULTI_GET_KEYS)
    trial.fill(values)
    client = trial.client()
    asked = _asked(trial, lambda: client.get(*values))
    text = f"{', '.join(map(str, asked))} of {_MULTI_GET_KEYS} keys"
    if all(asked):
        return Answer(text)
    sentence = f"{asked.count(0)} of {len(asked)} servers were asked for no key of a multi-get"
    return Answer(text, Verdict.DOES_NOT, sentence)


def parts_are_complete(trial: Trial) -> Answer:
    """Send multi-gets in parts; what one server lacks must cost nothing that the others have."""
    values = numbered(b"part", _MULTI_GET_KEYS)
    keys, third = list(values), _MULTI_GET_KEYS // 3
    everywhere = range(len(trial.bench.servers))
    lacking = [
        ("all servers have all keys", [], everywhere),
        ("no server has the keys in the middle", keys[third : 2 * third], everywhere),
        ("no server has the first and the last key", [keys[0], keys[-1]], everywhere),
        ("server 1 lacks some", [keys[0], keys[third], keys[-1]], range(1)),
        ("the last server lacks some", [keys[1], keys[third + 1], keys[-2]], everywhere[-1:]),
    ]
    client = trial.client()
    for circumstance, deleted, servers in lacking:
        trial.fill(values)
        for number in servers:
            with trial.server(number) as server:
                for key in deleted:
                    server.send(b"delete %b\r\n" % key)
                    server.expect_line(b"DELETED")
        found = client.get(*keys)
        came = [value.key for value in found]
        if lost := [key for key in keys if key not in came and key not in deleted]:
            sentence = f"lost key {quote(lost[0])} of a multi-get of {len(keys)} keys"
            raise _wrong_parts(f"{sentence}, while {circumstance}", found, values, deleted)
        if twice := [key for key, count in Counter(came).items() if count > 1]:
            sentence = f"gave {quote(twice[0])} twice, while {circumstance}"
            raise _wrong_parts(sentence, found, values, deleted)
        for key, _, data in found:
            if data != values[key]:
                sentence = f"gave {quote(key)} the value {quote(data)} instead of"
                sentence += f" {quote(values[key])}, while {circumstance}"
                raise _wrong_parts(sentence, found, values, deleted)
    if came != [key for key in keys if key in came]:
        return Answer("complete, in another order than memcached")
    return Answer("complete and in order")


def _wrong_parts(
    sentence: str, found: Sequence[Value], values: Mapping[bytes, bytes], deleted: Sequence[bytes]
) -> WrongReply:
    came = {value.key for value in found}
    expected = [Value(key, 0, values[key]) for key in values if key in came or key not in deleted]
    in_order = sorted(found, key=lambda value: list(values).index(value.key))
    return WrongReply(sentence, difference(values_reply(expected), values_reply(in_order)))


def _set_and_look(trial: Trial, values: dict[bytes, bytes]) -> tuple[dict[bytes, int], list[int]]:
    """Set `values`; return the number of copies of each, and how many each server has."""
    client = trial.client()
    for key, data in values.items():
        client.set(key, data)
    copies = dict.fromkeys(values, 0)
    on_server = []
    for number in range(len(trial.bench.servers)):
        held = trial.held(number, list(values))
        on_server.append(len(held))
        for key, _, data in held:
            if data != values[key]:
                sentence = f"stored a wrong value of {quote(key)} at server {number + 1}"
                raise WrongReply(sentence, difference(values[key], data))
            copies[key] += 1
    return copies, on_server


def _asked(trial: Trial, act: Callable[[], object]) -> list[int]:
    everywhere = range(len(trial.bench.servers))
    before = [trial.asked_keys(number) for number in everywhere]
    act()
    return [trial.asked_keys(number) - before[number] for number in everywhere]


def _seconds(act: Callable[[bytes], None], key: bytes) -> float:
    began_s = time.monotonic()
    act(key)
    return time.monotonic() - began_s


def _ms(seconds: float) -> str:
    return f"{1e3 * seconds:.1f}"


QUESTIONS = (
    Question(text="Where sets go", ask=sets_go),
    Question(text="What one client sets, others get", ask=read_by_others),
    Question(text="Gets are spread over the servers", ask=gets_spread),
    Question(text="A request alone is answered without delay", ask=delays),
)
SHARDED_QUESTIONS = (
    Question(text="A multi-get is cut into parts", ask=multi_gets_are_cut),
    Question(text="The parts together are complete", ask=parts_are_complete),
)
