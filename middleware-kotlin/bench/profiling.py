"""Where the time of a proxy's net thread goes: system calls, kernel and own code, by function.

The relay and the middleware, pipelined, each under 64 connections and values of 4096 B. Needs root
and Debian's linux-perf; about 3 minutes.

    python middleware-kotlin/bench/profiling.py
    python middleware-kotlin/bench/profiling.py --publish   # into results/profile.md
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from document import markdown_table
from generator import GENERATOR, Load, fill, generate
from middleware import cpu_model
from processes import JAR, end_on_signals, free_port, memcached, require_programs, running
from systems import OURS, PIPELINED, RELAY, Java, compile_relay

CALLS = ("read", "write", "writev", "epoll_wait", "epoll_ctl", "futex")
WARM_UP_S, COUNT_S, SAMPLE_S = 20, 4, 10
SAMPLES_PER_S = 1999
NUM_FUNCTIONS = 30
KERNEL, OWN, LIBRARIES = "in the kernel", "own code", "libraries and clock"


@dataclass(frozen=True, kw_only=True)
class Profile:
    """One net thread under one load; all that is counted is counted for each request."""

    throughput_ops_per_s: float
    cpu_ns: float
    calls: dict[str, float]
    functions: dict[tuple[str, str], float]

    def nanos_in(self, place: str) -> float:
        """CPU time of the functions of one place."""
        return sum(nanos for (where, _), nanos in self.functions.items() if where == place)


def main() -> None:
    """Profile both under each workload, and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--workloads", nargs="+", default=["get", "set"], choices=["get", "set"])
    parser.add_argument(
        "--generator", type=Path, default=GENERATOR, help="a memtier_benchmark; default: ours"
    )
    parser.add_argument("--publish", action="store_true", help="write results/profile.md")
    arguments = parser.parse_args()
    require_programs("memcached", "java", "jcmd", "gcc", "perf")
    end_on_signals()
    command = " ".join(["profiling.py", *sys.argv[1:]])
    when = f"{datetime.now(UTC):%Y-%m-%d}"
    lines = ["# What the net thread does", "", f"`{command}`, {when}; {cpu_model()}.", ""]
    for workload in arguments.workloads:
        load = Load(workload=workload, connections=64, value_bytes=4096)
        with tempfile.TemporaryDirectory(prefix="bench-") as directory:
            profiles = dict(_profiles(load, arguments.generator, Path(directory)))
        lines += [f"## {load.name}", "", *_summary(profiles), "", *_functions(profiles), ""]
    text = "\n".join(lines)
    print(text)
    if arguments.publish:
        (Path(__file__).parent / "results" / "profile.md").write_text(text, encoding="utf-8")


def _profiles(load: Load, generator: Path, directory: Path) -> Iterator[tuple[str, Profile]]:
    with memcached() as (server, _):
        fill(server, load.value_bytes, generator)
        port = free_port()
        relay = [str(compile_relay(directory)), str(port), str(server)]
        with running(relay, port) as pid:
            yield RELAY, _profile(pid, pid, port, load, generator, directory)
        port = free_port()
        options = f"-p {port} {OURS[PIPELINED]} --stats-dir {directory} -m 127.0.0.1:{server}"
        with running(Java(jars={"": JAR}).middleware(JAR, options), port) as pid:
            generate(port, load, WARM_UP_S, generator)
            yield PIPELINED, _profile(pid, _net_thread(pid), port, load, generator, directory)


def _net_thread(pid: int) -> int:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return next(int(it.name) for it in threads if (it / "comm").read_text().strip() == "net-0")


def _profile(
    pid: int, thread: int, port: int, load: Load, generator: Path, directory: Path
) -> Profile:
    counts, samples = directory / "counts", directory / "samples"
    events = [f"syscalls:sys_enter_{call}" for call in CALLS]
    with ThreadPoolExecutor(1) as pool:
        used_ns = _cpu_ns(pid, thread)
        run = pool.submit(generate, port, load, COUNT_S + SAMPLE_S + 4, generator)
        time.sleep(2)
        _run("perf", "stat", "-x,", "-e", ",".join(events), "-t", str(thread), "-o", str(counts),
             "--", "sleep", str(COUNT_S))  # fmt: skip
        _run("perf", "record", "-q", "-e", "cpu-clock", "-F", str(SAMPLES_PER_S), "-t", str(thread),
             "-o", str(samples), "--", "sleep", str(SAMPLE_S))  # fmt: skip
        report = run.result()
    cpu_ns = (_cpu_ns(pid, thread) - used_ns) / report.requests
    if thread != pid:
        _run("jcmd", str(pid), "Compiler.perfmap")  # the names of what was compiled
    requests = report.throughput_ops_per_s * COUNT_S
    return Profile(
        throughput_ops_per_s=report.throughput_ops_per_s,
        cpu_ns=cpu_ns,
        calls={call: count / requests for call, count in parse_counts(counts.read_text()).items()},
        functions={key: share * cpu_ns for key, share in parse_shares(_reported(samples)).items()},
    )


def _cpu_ns(pid: int, thread: int) -> int:
    return int(Path(f"/proc/{pid}/task/{thread}/schedstat").read_text().split()[0])


def _run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout


def parse_counts(text: str) -> dict[str, int]:
    """Read what `perf stat -x,` writes: `41736,,syscalls:sys_enter_write,...`."""
    counted = {}
    for line in text.splitlines():
        fields = line.split(",")
        if len(fields) > 2 and fields[0].isdigit():
            counted[fields[2].removeprefix("syscalls:sys_enter_")] = int(fields[0])
    return counted


def _reported(samples: Path) -> str:
    options = ["--no-children", "--sort", "dso,sym", "--stdio", "-t", ";"]
    return _run("perf", "report", "-i", str(samples), *options)


def parse_shares(text: str) -> dict[tuple[str, str], float]:
    """Share of samples by place and function, from lines as `9.55;[kernel.kallsyms];[k] name`."""
    shares: defaultdict[tuple[str, str], float] = defaultdict(float)
    for line in text.splitlines():
        fields = [field.strip() for field in line.split(";", 2)]
        if len(fields) < 3 or line.startswith("#"):
            continue
        share, origin, symbol = fields
        is_own = origin.startswith(("[JIT]", "perf-")) or origin == "relay"
        place = KERNEL if symbol.startswith("[k]") else OWN if is_own else LIBRARIES
        shares[place, symbol.split(" ", 1)[1].strip()] += float(share.rstrip("%")) / 100
    return dict(shares)


def _summary(profiles: dict[str, Profile]) -> list[str]:
    of = profiles.values()
    rows: list[Sequence[str]] = [
        ["throughput (op/s)", *(f"{it.throughput_ops_per_s:.0f}" for it in of)],
        ["CPU time (ns)", *(f"{it.cpu_ns:.0f}" for it in of)],
    ]
    for place in (KERNEL, OWN, LIBRARIES):
        rows.append([f"... {place}", *(f"{it.nanos_in(place):.0f}" for it in of)])
    for call in CALLS:
        rows.append([f"`{call}`", *(f"{it.calls.get(call, 0):.3f}" for it in of)])
    return markdown_table(["net thread, per request", *profiles], rows)


def _functions(profiles: dict[str, Profile]) -> list[str]:
    """List the functions that take longest in any of them."""
    longest: Counter[tuple[str, str]] = Counter()
    for profile in profiles.values():
        for key, nanos in profile.functions.items():
            longest[key] = max(longest[key], round(nanos))
    rows: list[Sequence[str]] = []
    for key, _ in longest.most_common(NUM_FUNCTIONS):
        place, name = key
        nanos_by_proxy = [f"{it.functions.get(key, 0):.0f}" for it in profiles.values()]
        rows.append([f"`{_short(name) if place == OWN else name}`", place, *nanos_by_proxy])
    return markdown_table(["function (ns)", "", *profiles], rows)


def _short(name: str) -> str:
    """`void mwlab.net.Loop.run(int)` as `Loop.run`."""
    call = name.partition("(")[0].split(" ")[-1]
    return ".".join(call.split(".")[-2:]) or name


if __name__ == "__main__":
    main()
