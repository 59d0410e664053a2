"""Median response time over one connection, the systems in turns of a few requests each.

The generator's histogram has steps of 8 us, as memtier's has, and from one run to the next the
kernel may place the processes on other processors, which moves the median by more than any proxy
adds. Here all systems have an open connection and take turns every 200 requests.
"""

from __future__ import annotations

import random
import socket
import statistics
import time
from collections.abc import Sequence
from contextlib import ExitStack

from generator import Load
from processes import connect
from systems import System

TURNS = 40
REQUESTS_PER_TURN = 200


def median_response_times_ms(
    systems: Sequence[System], load: Load, rng: random.Random
) -> dict[str, float]:
    """Measure every system over a connection of its own; the median over the turns' medians."""
    key = f"v{load.value_bytes:04}-1"
    is_get = load.workload == "get"
    value = b"x" * load.value_bytes
    request = f"get {key}\r\n" if is_get else f"set {key} 0 0 {load.value_bytes}\r\n"
    message = request.encode() + (b"" if is_get else value + b"\r\n")
    end = b"END\r\n" if is_get else b"STORED\r\n"
    medians: dict[str, list[float]] = {system.name: [] for system in systems}
    with ExitStack() as stack:
        sockets = {}
        for system in systems:
            opened = stack.enter_context(connect(system.address))
            opened.settimeout(5)
            sockets[system.name] = opened
        for _ in range(TURNS):
            for name in rng.sample(sorted(sockets), len(sockets)):
                medians[name].append(_turn(sockets[name], message, end))
    return {name: statistics.median(turns) for name, turns in medians.items()}


def _turn(connection: socket.socket, message: bytes, end: bytes) -> float:
    times_ns = []
    for _ in range(REQUESTS_PER_TURN):
        began = time.perf_counter_ns()
        connection.sendall(message)
        reply = connection.recv(65536)
        while not reply.endswith(end):
            received = connection.recv(65536)
            if not received:
                raise SystemExit(f"connection closed after {reply!r}")
            reply += received
        times_ns.append(time.perf_counter_ns() - began)
        if reply == b"END\r\n":
            raise SystemExit("a key that was stored is missing")
    return statistics.median(times_ns) / 1e6
