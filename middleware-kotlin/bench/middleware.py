"""Compare the middleware with no proxy, twemproxy and other proxies, in turns, on loopback.

Every round measures every load against every system, in random order; ratios are taken within a
round, so that what else the machine does falls on all alike. A run that lost a request fails the
bench. The relay (relay.c) is the least that a pipelining proxy can do: the yardstick for
throughput and CPU time. memcached's own proxy takes part once `make peers` has built it.
About 100 minutes; `--quick` about 5.

    python middleware-kotlin/bench/middleware.py --rounds 5
    python middleware-kotlin/bench/middleware.py --quick --against /tmp/before.jar
    python middleware-kotlin/bench/middleware.py --only '*/8/128*'   # by requests in flight
    python middleware-kotlin/bench/middleware.py --publish    # the committed result, its figure
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pandas as pd
import summary
from document import machine
from generator import GENERATOR, GeneratorError, Load, fill, generate
from one_connection import median_response_times_ms
from processes import JAR, cpu_s, end_on_signals, machine_cpu_s, require_programs, rss_mib
from systems import (
    DIRECT,
    DIRECT_UNIX,
    FOLLOWING,
    MEMCACHED_PROXY,
    MEMCACHED_WITH_PROXY,
    OURS,
    PIPELINED_KTOR,
    RELAY,
    RELAY_EACH,
    SEQUENTIAL_64,
    SEQUENTIAL_64_KTOR,
    TWEMPROXY,
    UNINSTRUMENTED,
    UNIX,
    Java,
    System,
    start_all,
)

from remote.git_commands import git_command

ROOT = Path(__file__).parents[2]
VALUES_BYTES = (4096, 128)
CELLS = ((1, 4096), (64, 128), (64, 4096), (1000, 4096), (10_000, 4096))
LOADS = [
    *(
        Load(workload=workload, connections=connections, value_bytes=value_bytes)
        for workload in ("get", "set")
        for connections, value_bytes in CELLS
    ),
    Load(workload="multi-get", connections=64, value_bytes=4096, keys=9),
    *(
        Load(workload=workload, connections=8, value_bytes=128, depth=depth)
        for workload in ("get", "set")
        for depth in (1, 4, 16, 64)
    ),
]
QUICK = {"get/1/4096", "set/1/4096", "get/64/4096", "set/64/4096"}
# What is measured under which load; no proxy, twemproxy and ours, pipelined, under all.
AT_64_ONLY = (
    RELAY_EACH,
    UNINSTRUMENTED,
    FOLLOWING,
    PIPELINED_KTOR,
    SEQUENTIAL_64_KTOR,
    UNIX,
    DIRECT_UNIX,
)
UP_TO_64 = (RELAY, SEQUENTIAL_64, MEMCACHED_PROXY)
NOT_OURS = (DIRECT, DIRECT_UNIX, RELAY, RELAY_EACH, TWEMPROXY, MEMCACHED_PROXY)
TCP_CONGESTION_CONTROL = Path("/proc/sys/net/ipv4/tcp_congestion_control")
WARM_UP_S = 8  # the JVM goes on compiling for that long


def main() -> None:
    """Measure, write the results, print the tables; exit status 1 if requests failed."""
    arguments = _parse_arguments()
    require_programs("memcached", "nutcracker", "java", "gcc")
    _raise_file_limit()
    end_on_signals()
    if not MEMCACHED_WITH_PROXY.exists():
        print(
            f"{MEMCACHED_PROXY} is not built and is left out; `make peers` builds it",
            file=sys.stderr,
        )
    loads = [
        load for load in LOADS if any(fnmatch(load.name, it) for it in arguments.only or ["*"])
    ]
    java = Java(jars=_jars(arguments.against), options=arguments.java_options.split())
    results: list[dict[str, Any]] = []
    failed: list[str] = []
    started = datetime.now(UTC)
    with tempfile.TemporaryDirectory(prefix="bench-") as directory:
        try:
            with start_all(java, Path(directory)) as systems:
                _prepare(systems, loads, arguments.generator)
                for result in _measure_all(loads, systems, arguments, failed):
                    results.append(result)
        except KeyboardInterrupt:
            print("\ninterrupted: what follows is of the runs so far", file=sys.stderr)
    if not results:
        sys.exit("nothing was measured")
    runs = pd.DataFrame(results)
    facts = _facts(arguments, java, started)
    _write(runs, facts, arguments.results)
    print(
        f"{machine(facts)}\n\n{summary.table(runs)}\n\n{summary.verdicts(runs)}\n\n{summary.limits(runs)}"
    )
    if arguments.publish:
        from figure import publish

        publish(arguments.results)
    failures = int(runs["failures"].sum())
    if failures or failed:
        where = arguments.results / "middleware.csv"
        print(*failed, sep="\n", file=sys.stderr)
        sys.exit(f"{failures} requests failed ({where}), and {len(failed)} runs measured nothing")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, help="default: 10, with --quick 3")
    parser.add_argument("--seconds", type=int, default=5, help="length of each run")
    parser.add_argument("--seed", type=int, default=1, help="of the order within the rounds")
    parser.add_argument("--quick", action="store_true", help="1 and 64 connections, 4096 B only")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="LOAD", help="loads, as get/64/4096 or '*/8/128*'"
    )
    parser.add_argument(
        "--against", type=Path, nargs="*", default=[], metavar="JAR", help="other builds of ours"
    )
    parser.add_argument(
        "--generator", type=Path, default=GENERATOR, help="a memtier_benchmark; default: ours"
    )
    parser.add_argument("--java-options", default="", help="further JVM options of ours")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "bench")
    parser.add_argument(
        "--publish", action="store_true", help="write the committed result and its figure"
    )
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.only = arguments.only or sorted(QUICK)
    if arguments.publish:
        arguments.results = Path(__file__).parent / "results"
    arguments.rounds = arguments.rounds or (3 if arguments.quick else 10)
    unknown = [it for it in arguments.only if not any(fnmatch(load.name, it) for load in LOADS)]
    if unknown:
        names = ", ".join(load.name for load in LOADS)
        parser.error(f"no such load: {', '.join(unknown)}; there are {names}")
    return arguments


def _jars(others: Iterable[Path]) -> dict[str, Path]:
    return {"": JAR, **{f"({jar.stem})": jar for jar in others}}


def _raise_file_limit() -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _prepare(systems: Sequence[System], loads: Sequence[Load], generator: Path) -> None:
    """Fill the servers, and let the JVM compile ours before anything is measured."""
    ours = [
        system
        for system in systems
        if system.name not in NOT_OURS and any(_is_measured(system, load) for load in loads)
    ]
    print(f"preparing, about {len(ours) * 2 * (WARM_UP_S + 1)} s", file=sys.stderr)
    for system in systems:
        if system.num_servers == 3 or system.name in (DIRECT, DIRECT_UNIX):
            for value_bytes in VALUES_BYTES:
                fill(system.address, value_bytes, generator)
    for system in ours:
        for load in _warm_up_loads(system):
            generate(system.address, load, WARM_UP_S, generator)


def _warm_up_loads(system: System) -> list[Load]:
    if system.num_servers == 3:
        return [load for load in LOADS if load.keys > 1]
    return [load for load in LOADS if load.connections == 64 and load.value_bytes == 4096][:2]


def _is_measured(system: System, load: Load) -> bool:
    if system.name in AT_64_ONLY and (load.connections, load.value_bytes) != (64, 4096):
        return False
    if system.name in UP_TO_64 and load.connections > 64:
        return False
    if system.name == RELAY and load.depth > 1:
        return False  # the relay reads one request of a client at a time
    return system.num_servers == load.num_servers


def _measure_all(
    loads: Sequence[Load],
    systems: Sequence[System],
    arguments: argparse.Namespace,
    failed: list[str],
) -> Iterator[dict[str, Any]]:
    rng = random.Random(arguments.seed)
    began = time.monotonic()
    done = 0
    total = sum(_is_measured(system, load) for load in loads for system in systems)
    total *= arguments.rounds
    for number in range(1, arguments.rounds + 1):
        for load in rng.sample(loads, len(loads)):
            measured = [system for system in systems if _is_measured(system, load)]
            added = {}
            if load.connections == 1:
                added = median_response_times_ms(measured, load, rng)
            for system in rng.sample(measured, len(measured)):
                left_min = (time.monotonic() - began) / done * (total - done) / 60 if done else 0
                _show(f"round {number}, {done}/{total} runs, {left_min:.1f} min left: {load.name}")
                done += 1
                try:
                    run = _measure(system, load, arguments)
                except GeneratorError as nothing:
                    failed.append(f"{system.name}, {load.name}, round {number}: {nothing}")
                    continue
                alternating = {"alternating_p50_ms": added.get(system.name)}
                yield {"round": number, **asdict(load), **run, **alternating}
    _show("")


def _show(progress: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{progress:<78}", end="", file=sys.stderr, flush=True)


def _measure(system: System, load: Load, arguments: argparse.Namespace) -> dict[str, Any]:
    before = cpu_s(system.proxies), cpu_s(system.servers), machine_cpu_s()
    own_before = _children_cpu_s()
    began = time.monotonic()
    report = generate(system.address, load, arguments.seconds, arguments.generator)
    duration_s = time.monotonic() - began
    proxy_s = cpu_s(system.proxies) - before[0]
    servers_s = cpu_s(system.servers) - before[1]
    others_s = machine_cpu_s() - before[2] - proxy_s - servers_s - (_children_cpu_s() - own_before)
    millions = report.requests / 1e6
    return {
        "system": system.name,
        "requests": report.requests,
        "throughput_ops_per_s": round(report.throughput_ops_per_s, 1),
        "response_time_p50_ms": report.response_time_p50_ms,
        "response_time_p99_ms": report.response_time_p99_ms,
        "failures": report.failures,
        "proxy_cpu_s_per_million": round(proxy_s / millions, 3),
        "servers_cpu_s_per_million": round(servers_s / millions, 3),
        "generator_cpu_s_per_million": round(report.generator_cpu_s / millions, 3),
        "generator_utilization": report.generator_utilization,
        "proxy_rss_mib": round(rss_mib(system.proxies), 1),
        "other_cpu_share": round(max(others_s, 0) / duration_s / (os.cpu_count() or 1), 3),
    }


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _facts(arguments: argparse.Namespace, java: Java, started: datetime) -> dict[str, Any]:
    return {
        "command": " ".join(["middleware.py", *sys.argv[1:]]),
        "started": started.isoformat(timespec="seconds"),
        "minutes": round((datetime.now(UTC) - started).total_seconds() / 60, 1),
        "git_commit": _output(*git_command(ROOT, "rev-parse", "HEAD")),
        "git_dirty": bool(_output(*git_command(ROOT, "status", "--short", "--", "*.kt"))),
        "cpu": cpu_model(),
        "cpus": os.cpu_count(),
        "kernel": os.uname().release,
        "tcp_congestion_control": TCP_CONGESTION_CONTROL.read_text(encoding="utf-8").strip(),
        "java": _output("java", "-version").splitlines()[0],
        "java_options": list(java.options),
        "memcached": _output("memcached", "-V").removeprefix("memcached "),
        "memcached_with_proxy": (
            _output(str(MEMCACHED_WITH_PROXY), "-V").removeprefix("memcached ")
            if MEMCACHED_WITH_PROXY.exists()
            else None
        ),
        "twemproxy": _output("nutcracker", "-V").splitlines()[0].removeprefix("This is "),
        "rounds": arguments.rounds,
        "seconds": arguments.seconds,
        "generator": _output(str(arguments.generator), "--version").splitlines()[0],
        "seed": arguments.seed,
        "options": {**OURS, "all": "--stats-dir; multi-get: --routing consistent-hash"},
    }


def _output(*command: str) -> str:
    return subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    ).stdout.strip()


def cpu_model() -> str:
    """Name of the machine's processor."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next((line.split(":")[1].strip() for line in lines if "model name" in line), "unknown")


def _write(runs: pd.DataFrame, facts: dict[str, Any], directory: Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    runs.to_csv(directory / "middleware.csv", index=False)
    targets = summary.judge(runs).round(3).to_dict(orient="records")
    text = json.dumps({**facts, "targets": targets}, indent=2)
    (directory / "middleware.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
