"""The load generator: what to ask of it, and what it reports."""

from __future__ import annotations

import json
import math
import resource
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processes import Address

GENERATOR = Path(__file__).parents[1] / "bin" / "memtier_benchmark"
KEY_COUNT = 10_000


class GeneratorError(RuntimeError):
    """The generator measured nothing; the message has its command and what it said."""


@dataclass(frozen=True, kw_only=True, order=True)
class Load:
    """What the clients ask for.

    `keys` is the number of keys of a request, `depth` the number of requests that each connection
    has in flight.
    """

    workload: str
    connections: int
    value_bytes: int
    keys: int = 1
    depth: int = 1

    @property
    def num_servers(self) -> int:
        """A request of many keys is for three servers, any other for one."""
        return 3 if self.keys > 1 else 1

    @property
    def name(self) -> str:
        """Name in tables, and in `--only`; the depth is named if it is not 1."""
        name = f"{self.workload}/{self.connections}/{self.value_bytes}"
        return f"{name}/{self.depth}" if self.depth > 1 else name


@dataclass(frozen=True, kw_only=True)
class Report:
    """One run, as its generator saw it."""

    requests: int
    throughput_ops_per_s: float
    response_time_p50_ms: float
    response_time_p99_ms: float
    failures: int
    generator_cpu_s: float
    generator_utilization: float


def fill(address: Address, value_bytes: int, program: Path = GENERATOR) -> None:
    """Store all keys with values of this size."""
    once = ["-t1", "-c4", "-nallkeys", "--key-pattern=P:P", "--ratio=1:0"]
    run(address, value_bytes, *once, program=program)


def generate(address: Address, load: Load, seconds: int, program: Path = GENERATOR) -> Report:
    """Run the generator, on two threads where there is more than one connection.

    Parameters
    ----------
    program
        Ours, or a real memtier_benchmark, which tells less of what went wrong.
    """
    threads = min(2, load.connections)
    clients = [f"-t{threads}", f"-c{load.connections // threads}", f"--pipeline={load.depth}"]
    options = [*clients, f"--test-time={seconds}"]
    ratio = "--ratio=1:0" if load.workload == "set" else "--ratio=0:1"
    many = [f"--multi-key-get={load.keys}"] if load.keys > 1 else []
    used_before_s = _children_cpu_s()
    report = run(address, load.value_bytes, ratio, *options, *many, program=program)
    return parse_report(report, load.keys, cpu_s=_children_cpu_s() - used_before_s)


def command_line(
    address: Address, value_bytes: int, *options: str, program: Path = GENERATOR
) -> list[str]:
    """Ask for values of this size under keys of their own, with further options."""
    keys = f"--key-minimum=1 --key-maximum={KEY_COUNT} --key-prefix=v{value_bytes:04}-".split()
    target = ["-S", str(address)]
    if isinstance(address, int):
        target = f"-s 127.0.0.1 -p {address}".split()
    common = f"-P memcache_text --hide-histogram -d {value_bytes}".split()
    return [str(program), *target, *common, *keys, *options]


def _children_cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def run(
    address: Address, value_bytes: int, *options: str, program: Path = GENERATOR
) -> dict[str, Any]:
    """Run the generator to its end and return its JSON."""
    return execute(command_line(address, value_bytes, *options, program=program))


def execute(command: Sequence[str]) -> dict[str, Any]:
    """Run a generator's command to its end and return its JSON.

    Raises
    ------
    GeneratorError
        It failed.
    """
    with tempfile.NamedTemporaryFile(suffix=".json") as output:
        command = [*command, f"--json-out-file={output.name}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            said = f"{done.stdout[-500:]}{done.stderr[-500:]}"
            raise GeneratorError(f"{' '.join(command)}\nfailed with {done.returncode}:\n{said}")
        report: dict[str, Any] = json.loads(Path(output.name).read_text(encoding="utf-8"))
    return report


def parse_report(report: dict[str, Any], keys: int, cpu_s: float = math.nan) -> Report:
    """Read the generator's JSON, which counts keys, not requests.

    Parameters
    ----------
    cpu_s
        CPU time of memtier's process; ours tells that of the run itself.
    """
    totals = report["ALL STATS"]["Totals"]
    runs = report.get("middleware-lab", {}).get("Runs")
    seconds = report["ALL STATS"]["Runtime"]["Total duration"] / 1000
    run = runs[0] if runs else _run_of_memtier(report, seconds, cpu_s)
    errors = sum(count for count in run["Error replies"].values() if isinstance(count, int))
    lost = run["Unanswered requests"] + run["Lost requests"] + run["Failed clients"]
    misses = round(totals["Misses/sec"] * seconds)
    return Report(
        requests=totals["Count"] // keys,
        throughput_ops_per_s=totals["Ops/sec"] / keys,
        response_time_p50_ms=totals["Percentile Latencies"]["p50.00"],
        response_time_p99_ms=totals["Percentile Latencies"]["p99.00"],
        failures=errors + lost + totals["Connection Errors"] + misses,
        generator_cpu_s=run["CPU seconds"],
        generator_utilization=run["Loop utilization"],
    )


def _run_of_memtier(report: dict[str, Any], seconds: float, cpu_s: float) -> dict[str, Any]:
    """Say as much as memtier itself tells: it takes errors for misses."""
    threads = report["run information"]["Threads"]
    return {
        "Error replies": {"Sets": 0, "Gets": 0},
        "Unanswered requests": 0,
        "Lost requests": 0,
        "Failed clients": 0,
        "CPU seconds": cpu_s,
        "Loop utilization": cpu_s / seconds / threads,
    }
