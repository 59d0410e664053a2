"""Questions with one server, about what clients notice of each other."""

from __future__ import annotations

import time

from remote.conformance.bench import WORKERS
from remote.conformance.trial import Answer, Question, Trial, meanwhile
from remote.conformance.wire import Client, WrongReply

CLIENTS = 50
ROUNDS = 10
_LARGE_BYTES = 1 << 18
_BUFFERS_FILL_S = 0.5
_LARGE_VALUES = 64  # together more than the buffers on their way hold


def many_clients(trial: Trial) -> Answer:
    """Each sets values that are its own, and must find them."""

    def act(number: int, client: Client) -> None:
        for turn in range(ROUNDS):
            key = b"client-%d-%d" % (number, turn % 3)
            data = b"of client %d in round %d " % (number, turn) + b"." * number
            client.set(key, data)
            client.expect(key, data)

    trial.at_once(act, [trial.client() for _ in range(CLIENTS)])
    return Answer(f"{CLIENTS} clients, {2 * ROUNDS} requests of each")


def slow_reader(trial: Trial) -> Answer:
    """One client asks for much and reads nothing; another must be served."""
    trial.fill({b"large": bytes(_LARGE_BYTES)})
    slow, other = trial.client(), trial.client()
    other.set(b"small", b"1")
    slow.send(b"get" + b" large" * _LARGE_VALUES + b"\r\n")
    with meanwhile("while another client did not read its reply"):
        be_served(trial, other, over_s=_BUFFERS_FILL_S)
    return Answer("others are served")


def hang_ups(trial: Trial) -> Answer:
    """Clients go in the middle of a set, or before their reply; another must be served."""
    trial.fill({b"large": bytes(_LARGE_BYTES)})
    other = trial.client()
    half = b"set half 0 0 4096\r\n" + b"h" * 100
    for request in [half, b"get large\r\n"] * WORKERS:
        client = trial.client()
        client.send(request)
        client.close()
    with meanwhile("after others hung up in the middle of a set, or before their reply"):
        be_served(trial, other)
        if trial.held(0, [b"half"]):
            raise WrongReply("stored a value of which only a part had come")
    return Answer("others are served, and nothing is stored")


def be_served(trial: Trial, client: Client, *, over_s: float = 0.0) -> None:
    """Let a client, and as many new ones as there are workers, set and get for a time."""
    for turn in range(WORKERS):
        for one in (client, trial.client()):
            key, data = b"served-%d" % (turn % 3), b"in turn %d" % turn
            one.set(key, data)
            one.expect(key, data)
        time.sleep(over_s / WORKERS)


QUESTIONS = (
    Question(text="Many clients at once get their own replies", ask=many_clients),
    Question(text="A client that does not read delays no other", ask=slow_reader),
    Question(text="A client that hangs up disturbs no other", ask=hang_ups),
)
