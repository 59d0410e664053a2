"""Questions with one server, about connections that have gone and about its own end."""

from __future__ import annotations

import time
from contextlib import suppress

from remote.conformance.bench import Middleware
from remote.conformance.trial import Answer, Question, Trial, Verdict
from remote.conformance.wire import Client
from remote.waiting import until

CONNECTIONS = 300
REQUESTS = 10_000
VALUE_BYTES = 4096
_MOST_ROUNDS = 8  # of requests; what collects its garbage has done so before
_AT_ONCE = 6
_WARM_UP_CONNECTIONS = 30
_LEFT_MOST = CONNECTIONS // 10  # pools grow and shrink; a leak leaves one for each connection
_MIB = 1 << 20


def leaks(trial: Trial) -> Answer:
    """Let clients come and go, then send many requests; files and threads must be as before.

    Memory may grow, as heaps do until garbage is collected, but not with every value that passes.
    """
    middleware = trial.bench.middleware
    _come_and_go(trial, _WARM_UP_CONNECTIONS)
    _requests(trial, REQUESTS // 20)
    time.sleep(0.2)  # threads of the warm-up end
    files, threads, memory_bytes = _resources(middleware)
    _come_and_go(trial, CONNECTIONS)
    kept = _keep_values(trial)

    def as_before() -> bool:
        now_files, now_threads, _ = _resources(middleware)
        return max(now_files - files, now_threads - threads) <= _LEFT_MOST

    is_as_before = until(as_before, trial.patience_s / 2)
    now_files, now_threads, now_memory_bytes = _resources(middleware)
    grown = f"memory {(now_memory_bytes - memory_bytes) / _MIB:+.1f} MiB"
    if is_as_before and not kept:
        return Answer(f"files {files} to {now_files}, threads {threads} to {now_threads}, {grown}")
    told = [
        f"open files grew from {files} to {now_files}" * (now_files - files > _LEFT_MOST),
        f"threads grew from {threads} to {now_threads}" * (now_threads - threads > _LEFT_MOST),
        kept,
    ]
    sentence = f"after {CONNECTIONS} connections had come and gone and {REQUESTS} requests, "
    return Answer("leaks", Verdict.FAULT, sentence + " and ".join(filter(None, told)))


def ends(trial: Trial) -> Answer:
    """Send SIGTERM while a client is connected."""
    trial.client().get(b"a")
    status, seconds = trial.bench.middleware.end(trial.patience_s)
    if status is None:
        sentence = f"still ran {trial.patience_s:g} s after SIGTERM, with one client connected"
        remedy = "one that another signal ends has a `signal` in its file"
        return Answer("goes on", Verdict.FAULT, f"{sentence}; {remedy}")
    with suppress(OSError):
        trial.bench.dial().close()
        sentence = "its process has ended, but something that it started still accepts clients"
        return Answer("leaves something behind", Verdict.FAULT, sentence)
    return Answer(f"after {seconds:.1f} s with exit status {status}")


def _keep_values(trial: Trial) -> str:
    """Send values until memory grows by less than half of them; say so if it always grows more."""
    middleware = trial.bench.middleware
    first_bytes = last_bytes = middleware.memory_bytes()
    for turn in range(_MOST_ROUNDS):
        _requests(trial, REQUESTS)
        now_bytes = middleware.memory_bytes()
        if turn and now_bytes - last_bytes < REQUESTS * VALUE_BYTES / 2:
            return ""
        last_bytes = now_bytes
    sent = _MOST_ROUNDS * REQUESTS * VALUE_BYTES / _MIB
    grown = (last_bytes - first_bytes) / _MIB
    return f"memory grew by {grown:.0f} MiB, steadily, while {sent:.0f} MiB of values passed"


def _resources(middleware: Middleware) -> tuple[int, int, int]:
    return middleware.open_files(), middleware.num_threads(), middleware.memory_bytes()


def _come_and_go(trial: Trial, connections: int) -> None:
    for _ in range(connections):
        client = trial.client()
        client.get(b"a")
        client.close()


def _requests(trial: Trial, requests: int) -> None:
    def act(number: int, client: Client) -> None:
        for turn in range(requests // _AT_ONCE):
            client.set(b"leak-%d" % number, b"%d" % turn + bytes(VALUE_BYTES))

    clients = [trial.client() for _ in range(_AT_ONCE)]
    trial.at_once(act, clients)
    for client in clients:
        client.close()


QUESTIONS = (
    Question(text="Nothing leaks", ask=leaks, time_s=60.0),
    Question(text="SIGTERM ends it", ask=ends),
)
