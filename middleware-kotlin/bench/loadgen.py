"""Throughput and CPU of the load generator beside memcaslap, against a plain memcached on loopback.

Both ask for 4096 B values over 64 connections from one thread, nine gets to one set, in turns, so
that whatever else the machine does falls on both. memcaslap (Debian: libmemcached-tools) neither
builds keys as memtier does nor records response times: it is a bound, not a rival.
What open loops cost beside closed ones is told after it (`open_loop.py`).

    python middleware-kotlin/bench/loadgen.py --rounds 5
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import open_loop
from generator import command_line, fill
from processes import memcached, require_programs

CONNECTIONS = 64
VALUE_BYTES = 4096
TARGET_RATIO = 0.6


@dataclass(frozen=True, kw_only=True)
class Run:
    """One run of one generator."""

    throughput_ops_per_s: float
    cpu_s_per_million: float


def measure(command: Sequence[str], throughput: re.Pattern[str], seconds: int) -> Run:
    """Run a generator to its end and read its throughput from what it prints."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdout is not None
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    found = throughput.search(output)
    if process.returncode != 0 or found is None:
        raise SystemExit(f"{command[0]} failed with status {process.returncode}:\n{output}")
    ops_per_s = float(found[1])
    millions = ops_per_s * seconds / 1e6
    return Run(
        throughput_ops_per_s=ops_per_s,
        cpu_s_per_million=(usage.ru_utime + usage.ru_stime) / millions,
    )


def main() -> None:
    """Measure in turns and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="length of each run")
    arguments = parser.parse_args()
    require_programs("memcached", "memcaslap", "java")
    with memcached() as (port, _):
        fill(port, VALUE_BYTES)
        rounds = [_round(port, arguments.seconds) for _ in range(arguments.rounds)]
        capacity_per_s = statistics.median(ours.throughput_ops_per_s for ours, _ in rounds)
        comparisons = [
            open_loop.compare(port, round(capacity_per_s / 10), arguments.seconds)
            for _ in range(arguments.rounds)
        ]
    _report(rounds)
    open_loop.report(comparisons)


def _round(port: int, seconds: int) -> tuple[Run, Run]:
    options = f"-t 1 -c {CONNECTIONS} --ratio=1:9 --test-time={seconds}".split()
    ours = measure(
        command_line(port, VALUE_BYTES, *options), re.compile(r"^Totals +([0-9.]+)", re.M), seconds
    )
    load = f"-T 1 -c {CONNECTIONS} -X {VALUE_BYTES} -t {seconds}s".split()
    command = ["memcaslap", "-s", f"127.0.0.1:{port}", *load]
    return ours, measure(command, re.compile(r"TPS: ([0-9]+)"), seconds)


def _report(rounds: Sequence[tuple[Run, Run]]) -> None:
    print(f"{'round':>5} {'ours op/s':>10} {'memcaslap op/s':>15} {'ratio':>6} ", end="")
    print(f"{'ours CPU s per 10^6':>20} {'memcaslap':>10}")
    ratios = [ours.throughput_ops_per_s / other.throughput_ops_per_s for ours, other in rounds]
    for index, ((ours, other), ratio) in enumerate(zip(rounds, ratios, strict=True), start=1):
        print(
            f"{index:>5} {ours.throughput_ops_per_s:>10.0f} {other.throughput_ops_per_s:>15.0f} "
            f"{ratio:>6.2f} {ours.cpu_s_per_million:>20.1f} {other.cpu_s_per_million:>10.1f}"
        )
    print(
        f"ratio: median {statistics.median(ratios):.2f}, from {min(ratios):.2f} to "
        f"{max(ratios):.2f}; target at least {TARGET_RATIO}"
    )


if __name__ == "__main__":
    main()
