"""Compare the middleware before PostgreSQL with pgbench, which calls the same functions, in turns.

Both have N connections to the same database, each with one request under way: pgbench its own, and
the middleware those of its N workers, which N clients of the load generator ask. Every run begins
with a new queue; ratios and differences are taken within a round, so that what else the machine
does falls on both alike. Middleware and generator run on the same processors as the database, and
pgbench needs little of them: what the middleware costs is all of that.

    python middleware-kotlin/bench/message_queues.py --rounds 5
    python middleware-kotlin/bench/message_queues.py --only both --connections 8 --locks row-locks
    python middleware-kotlin/bench/message_queues.py --against before=/tmp/before.jar
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from generator import GENERATOR, execute, parse_report
from postgres import Postgres
from processes import (
    JAR,
    cpu_s,
    end_on_signals,
    free_port,
    machine_cpu_s,
    require_programs,
    running,
)
from systems import Java

ROOT = Path(__file__).parents[2]
DATABASE, USER = "queues", "lab"
PREFIX, QUEUE = "q", "q1"
PGBENCH = "pgbench"
WARM_UP_S = 8  # the JVM goes on compiling for that long
TAKE = {"skip-locked": "take", "row-locks": "take_row_locks"}
CALLS = {
    "send": "message_queue.send('{queue}', '', '', 0, {body})",
    "pop": "message_queue.{take}('{queue}', '', NULL)",
}
"""What the middleware calls for each operation of the generator."""
LOADS = {"send": ("send",), "pop": ("pop",), "both": ("send", "pop")}
STOCK_PER_S = {"send": 0, "pop": 20_000, "both": 1000}
"""Messages that are there when a run begins, for each of its seconds, so that none is missed."""
LEAST_RATIO, MOST_ADDED_MS = 0.75, 0.3
CPU = ("proxy_cpu_s_per_million", "generator_cpu_s_per_million")
MACHINE = "machine_cpu_s_per_million"  # all that runs, starts of programs too


@dataclass(frozen=True, kw_only=True)
class Load:
    """What is asked for: a name of `LOADS`, over so many connections."""

    name: str
    connections: int


def main() -> None:
    """Measure in turns, write the runs, print the table; exit status 1 if requests failed."""
    arguments = _parse_arguments()
    require_programs("java")
    end_on_signals()
    jars = {"middleware": JAR, **dict(_named(text) for text in arguments.against)}
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # PostgreSQL runs in another account than root's
        with (
            _cluster(folder, arguments) as database,
            _middlewares(database, jars, folder, arguments) as middlewares,
        ):
            runs = pd.DataFrame(_measure_all(database, middlewares, arguments))
    path = ROOT / "build" / "bench" / "message_queues.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    runs.to_csv(path, index=False)
    print(table(compare(runs)))
    if failures := int(runs["failures"].sum()):
        sys.exit(f"{failures} requests failed: {path}")


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="length of each run")
    parser.add_argument("--seed", type=int, default=1, help="of the order within the rounds")
    parser.add_argument("--only", nargs="+", default=list(LOADS), choices=LOADS, metavar="LOAD")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 8, 32], metavar="N")
    parser.add_argument("--bytes", type=int, default=200, help="of a message")
    parser.add_argument("--locks", choices=TAKE, default="skip-locked")
    parser.add_argument("--synchronous-commit", choices=["on", "off"], default="on")
    parser.add_argument(
        "--against", nargs="*", default=[], metavar="NAME=JAR", help="other builds of ours"
    )
    return parser.parse_args()


def _named(text: str) -> tuple[str, Path]:
    name, _, jar = text.partition("=")
    return name, Path(jar)


class Database:
    """The database that all ask, and what pgbench makes of it."""

    def __init__(self, cluster: Postgres, folder: Path, arguments: argparse.Namespace) -> None:
        self._cluster = cluster
        self._folder = folder
        self._arguments = arguments
        self.url = cluster.create_database(DATABASE)

    def call(self, operation: str, body: str) -> str:
        """Return the call of a function in SQL."""
        take = TAKE[self._arguments.locks]
        return CALLS[operation].format(queue=QUEUE, body=body, take=take)

    def refill(self, messages: int) -> None:
        """Make the queue anew, with so many messages in it."""
        send = self.call("send", f"repeat('x', {self._arguments.bytes})::bytea")
        for statement in (
            "TRUNCATE message_queue.message",
            f"SELECT count({send}) FROM generate_series(1, {messages})",
            "VACUUM ANALYZE message_queue.message",
            "CHECKPOINT",
        ):
            self._cluster.query(DATABASE, statement)

    def require_stock(self) -> None:
        """Fail unless there are messages left, so that none was missed: not by pgbench either."""
        self._cluster.query(DATABASE, "SELECT 1 / count(*) FROM message_queue.message")

    def ask(self, load: Load) -> dict[str, Any]:
        """Let pgbench ask; its log tells how long each call took."""
        arguments = self._arguments
        with tempfile.TemporaryDirectory(dir=self._folder) as name:
            scripts = []
            for operation in LOADS[load.name]:
                script = Path(name, f"{operation}.sql")
                script.write_text(f"SELECT * FROM {self.call(operation, ':body::bytea')};\n")
                scripts += ["-f", str(script)]
            program = str(self._cluster.programs / "pgbench")
            words = f"-h 127.0.0.1 -p {self._cluster.port} -U {USER} -n -M prepared -l"
            words += f" -c {load.connections} -j {min(2, load.connections)} -T {arguments.seconds}"
            body = f"--define=body={'x' * arguments.bytes}"
            before_s = machine_cpu_s()
            subprocess.run(
                [program, *words.split(), body, f"--log-prefix={name}/log", *scripts, DATABASE],
                check=True,
                capture_output=True,
                env={
                    **os.environ,
                    "PGOPTIONS": f"-c synchronous_commit={arguments.synchronous_commit}",
                },
            )
            used_s = machine_cpu_s() - before_s
            times_ms = [time for log in Path(name).glob("log.*") for time in call_times_ms(log)]
        return {
            "throughput_ops_per_s": len(times_ms) / arguments.seconds,
            "response_time_p50_ms": statistics.median(times_ms),
            "failures": 0,  # it would have failed itself
            MACHINE: used_s / len(times_ms) * 1e6,
        }


@dataclass(frozen=True, kw_only=True)
class Middleware:
    """A middleware that runs: its port, its process."""

    port: int
    process: int

    def ask(self, load: Load, seconds: int, value_bytes: int) -> dict[str, Any]:
        """Let the load generator ask it."""
        threads = min(2, load.connections)
        mix = ",".join(f"{operation}:1" for operation in LOADS[load.name])
        target = f"{GENERATOR} -s 127.0.0.1 -p {self.port} -P memcache_text --hide-histogram"
        clients = f"-t{threads} -c{load.connections // threads} --test-time={seconds}"
        messages = f"--queue-mix={mix} --key-prefix={PREFIX} -d {value_bytes}"
        before_s, all_before_s = cpu_s([self.process]), machine_cpu_s()
        report = parse_report(execute(f"{target} {clients} {messages}".split()), keys=1)
        used_s, all_used_s = cpu_s([self.process]) - before_s, machine_cpu_s() - all_before_s
        return {
            "throughput_ops_per_s": report.throughput_ops_per_s,
            "response_time_p50_ms": report.response_time_p50_ms,
            "failures": report.failures,
            "proxy_cpu_s_per_million": used_s / report.requests * 1e6,
            "generator_cpu_s_per_million": report.generator_cpu_s / report.requests * 1e6,
            MACHINE: all_used_s / report.requests * 1e6,
        }


Middlewares = Mapping[tuple[str, int], Middleware]
"""By system and number of workers."""


@contextmanager
def _cluster(folder: Path, arguments: argparse.Namespace) -> Iterator[Database]:
    builds = 1 + len(arguments.against)
    most = builds * sum(arguments.connections) + max(arguments.connections) + 10
    cluster = Postgres(folder / "postgres", f"max_connections={most}")
    try:
        cluster.start()
        yield Database(cluster, folder, arguments)
    finally:
        cluster.end()


@contextmanager
def _middlewares(
    database: Database, jars: Mapping[str, Path], folder: Path, arguments: argparse.Namespace
) -> Iterator[Middlewares]:
    with ExitStack() as stack:
        started = {}
        for name, jar in jars.items():
            for workers in arguments.connections:
                port = free_port()
                options = f"-p {port} -t {workers} --backend postgresql --database {database.url}"
                options += f" --prepare-database --stats-dir {folder}/results-{name}-{workers}"
                options += f" --locks {arguments.locks}"
                options += f" --synchronous-commit {arguments.synchronous_commit}"
                command = Java(jars={}).middleware(jar, options)
                log = folder / f"{name}-{workers}.log"
                pid = stack.enter_context(running(command, port, log))
                started[name, workers] = Middleware(port=port, process=pid)
        yield started


def _measure_all(
    database: Database, middlewares: Middlewares, arguments: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    rng = random.Random(arguments.seed)
    seconds, value_bytes = arguments.seconds, arguments.bytes
    for (_, workers), middleware in middlewares.items():
        database.refill(0)
        middleware.ask(Load(name="both", connections=workers), WARM_UP_S, value_bytes)
    loads = [
        Load(name=name, connections=connections)
        for name in arguments.only
        for connections in arguments.connections
    ]
    systems = [PGBENCH, *dict.fromkeys(name for name, _ in middlewares)]
    for number in range(1, arguments.rounds + 1):
        for load in rng.sample(loads, len(loads)):
            for system in rng.sample(systems, len(systems)):
                database.refill(STOCK_PER_S[load.name] * seconds)
                if system == PGBENCH:
                    run = database.ask(load)
                else:
                    middleware = middlewares[system, load.connections]
                    run = middleware.ask(load, seconds, value_bytes)
                database.require_stock()
                cell = {"load": load.name, "connections": load.connections, "system": system}
                yield {"round": number, **cell, **run}


def call_times_ms(log: Path) -> Iterator[float]:
    """Yield what each line of a log of pgbench's says that it took.

    A line is `client number time_us script epoch_s epoch_us`: ``0 199 2241 0 1795231822 995``.
    """
    with log.open(encoding="utf-8") as lines:
        for line in lines:
            yield int(line.split()[2]) / 1000


def compare(runs: pd.DataFrame) -> pd.DataFrame:
    """Take ratios of throughput to pgbench's, and differences of median response times, by round.

    Returns
    -------
    pandas.DataFrame
        One row per load, number of connections and system but pgbench: medians over the rounds of
        `throughput_ops_per_s`, `response_time_p50_ms` and `machine_cpu_s_per_million`, likewise
        with `pgbench_` before them; `ratio` and `added_ms`, each also with `_min` and `_max` behind
        it; `is_met`; processor time per request (the same as seconds per million) of middleware and
        generator, as the runs have it.
    """
    cell = ["load", "connections"]
    measures = ["throughput_ops_per_s", "response_time_p50_ms", MACHINE]
    of_pgbench = runs[runs["system"] == PGBENCH].set_index([*cell, "round"])[measures]
    ours = runs[runs["system"] != PGBENCH].join(of_pgbench.add_prefix("pgbench_"), [*cell, "round"])
    ours["ratio"] = ours["throughput_ops_per_s"] / ours["pgbench_throughput_ops_per_s"]
    ours["added_ms"] = ours["response_time_p50_ms"] - ours["pgbench_response_time_p50_ms"]
    names = [*measures, *(f"pgbench_{name}" for name in measures), "ratio", "added_ms", *CPU]
    rounds = ours.groupby([*cell, "system"])[names]
    compared = rounds.median()
    for name in ("ratio", "added_ms"):
        compared[f"{name}_min"] = rounds.min()[name]
        compared[f"{name}_max"] = rounds.max()[name]
    is_fast, is_prompt = compared["ratio"] >= LEAST_RATIO, compared["added_ms"] <= MOST_ADDED_MS
    return compared.assign(is_met=is_fast & is_prompt).reset_index()


def table(compared: pd.DataFrame) -> str:
    """Text of what `compare` gives, in Markdown."""
    lines = [
        "| load | connections | system | pgbench (op/s) | op/s | ratio | p50 of pgbench (ms) "
        "| p50 (ms) | added (ms) | CPU (us) | of generator (us) | machine (us) "
        "| machine, pgbench (us) | |",
        f"|{'---|' * 14}",
    ]
    for row in compared.itertuples():
        lines.append(
            f"| {row.load} | {row.connections} | {row.system} "
            f"| {row.pgbench_throughput_ops_per_s:.0f} | {row.throughput_ops_per_s:.0f} "
            f"| {row.ratio:.2f} ({row.ratio_min:.2f} to {row.ratio_max:.2f}) "
            f"| {row.pgbench_response_time_p50_ms:.3f} | {row.response_time_p50_ms:.3f} "
            f"| {row.added_ms:.3f} ({row.added_ms_min:.3f} to {row.added_ms_max:.3f}) "
            f"| {row.proxy_cpu_s_per_million:.0f} | {row.generator_cpu_s_per_million:.0f} "
            f"| {row.machine_cpu_s_per_million:.0f} | {row.pgbench_machine_cpu_s_per_million:.0f} "
            f"| {'met' if row.is_met else '**missed**'} |"
        )
    bounds = f"ratio at least {LEAST_RATIO}, added at most {MOST_ADDED_MS} ms"
    told = f"Medians over the rounds, with their range; {bounds}. CPU is time per request."
    return "\n".join([*lines, "", told])


if __name__ == "__main__":
    main()
