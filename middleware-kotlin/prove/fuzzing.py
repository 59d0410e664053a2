"""Fuzz the parsers and a whole middleware with Jazzer, guided by what is covered.

    python middleware-kotlin/prove/fuzzing.py --runs 10000000

One run in a hundred, but no more than 200 000, is a client's and a server's bytes through a whole
middleware, which takes a hundred times as long as only to read them; the parsers share the others.
Two targets run at a time.

Each target begins with the streams in src/test/resources/fuzz and with what earlier runs have found
worth keeping, in target/fuzz. A stream that fails is written into src/test/resources/fuzz, where
the tests read it again from then on.
"""

from __future__ import annotations

import argparse
import math
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from stand import MAVEN_PROJECT, java_with_tests, print_result

MIDDLEWARE = [f"mwlab.middleware.{part}.**" for part in ("client", "job", "server", "reply")]


@dataclass(frozen=True, kw_only=True)
class Target:
    """A class to fuzz, and the other classes whose coverage guides it."""

    class_name: str
    covered: Sequence[str] = ()


# The longest first.
TARGETS = {
    "connections": Target(class_name="ConnectionTarget", covered=MIDDLEWARE),
    "requests": Target(class_name="RequestTarget"),
    "replies": Target(class_name="ReplyTarget"),
}
CONNECTIONS_SHARE = 0.01
MOST_CONNECTIONS = 200_000
AT_A_TIME = 2
DEFAULT_RUNS = 10_000_000
MAX_STREAM_BYTES = 400
SLOW_UNIT_S = 600
EXECUTED = re.compile(r"stat::number_of_executed_units: (\d+)")
FOLDER = MAVEN_PROJECT / "target" / "fuzz"


def main() -> None:
    """Fuzz all targets; exit status 1 if one failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=DEFAULT_RUNS, help="of all targets together")
    arguments = parser.parse_args()
    java = java_with_tests()
    begin = time.monotonic()
    runs = runs_by_target(arguments.runs)
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        results = list(pool.map(lambda name: fuzz(java, name, runs[name]), runs))
    count = sum(executed for executed, _ in results)
    failures = sum(status != 0 for _, status in results)
    part = "fuzzing" if arguments.runs <= DEFAULT_RUNS else "fuzzing, long"
    shares = [f"{name} {executed:,}" for name, (executed, _) in zip(runs, results, strict=True)]
    notes = f"executions guided by coverage: {', '.join(shares)}"
    print_result(part, count, failures, time.monotonic() - begin, notes)
    sys.exit(bool(failures))


def runs_by_target(runs: int) -> dict[str, int]:
    """Share out the runs of all targets together."""
    connections = min(math.ceil(runs * CONNECTIONS_SHARE), MOST_CONNECTIONS)
    parsers = math.ceil((runs - connections) / 2)
    return {"connections": connections, "requests": parsers, "replies": parsers}


def fuzz(java: list[str], name: str, runs: int) -> tuple[int, int]:
    """Run one target; returns how often it was executed, and its exit status."""
    target = TARGETS[name]
    found = FOLDER / name
    found.mkdir(parents=True, exist_ok=True)
    seeds = MAVEN_PROJECT / "src" / "test" / "resources" / "fuzz" / name
    command = [
        java[0],
        "-Xmx512m",
        "-XX:+UseSerialGC",
        *java[1:],
        "com.code_intelligence.jazzer.Jazzer",
        f"--target_class=mwlab.prove.fuzz.{target.class_name}",
        f"--instrumentation_includes={':'.join(['mwlab.memcached.**', *target.covered])}",
        # Comparisons byte by byte cost more than they find.
        "--trace=cov",
        # The sanitizers look for what is not done here, such as deserializing objects.
        "--custom_hook_excludes=**",
        f"--reproducer_path={found}",
        f"-artifact_prefix={seeds}/",
        f"-runs={runs}",
        f"-max_len={MAX_STREAM_BYTES}",
        "-rss_limit_mb=0",
        # A busy machine makes every unit slow now and then: that is no finding.
        f"-report_slow_units={SLOW_UNIT_S}",
        "-print_final_stats=1",
        str(found),
        str(seeds),
    ]
    log = Path(f"{found}.log")
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            status = process.wait()
        finally:
            process.terminate()
    said = log.read_text(encoding="utf-8", errors="replace")
    executed = EXECUTED.search(said)
    print(f"{name}: exit status {status}, {executed.group(1) if executed else 'no'} executions")
    if status != 0:
        print("\n".join(said.splitlines()[-40:]))
    count = int(executed.group(1)) if executed else 0
    return count, status if count else max(status, 1)


if __name__ == "__main__":
    main()
