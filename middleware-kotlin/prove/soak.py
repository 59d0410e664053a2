"""Load the middleware for long, and see whether anything of it grows.

Half of the time with each dispatch: open-loop load at 80 % of what a short closed loop has
reached, while other clients come and go, some in the midst of requests. Resident memory, heap
after a full collection and p99 must not rise over the second half of each, and afterwards neither
descriptors nor threads may be left over. Every answer is one that is due.

    python middleware-kotlin/prove/soak.py --minutes 20
"""

from __future__ import annotations

import argparse
import json
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import stand
from generator import KEY_COUNT, Report, command_line, fill, parse_report
from processes import (
    JAR,
    end_on_signals,
    free_port,
    memcached,
    require_programs,
    rss_mib,
    running,
)
from trend import FLAT, GROWS, Trend, second_half, span_means, trend
from verified_load.relay import reset_on_close

from analysis.results.histograms import decode_histogram, histogram_percentiles, merge_histograms

NUM_SERVERS = 3
VALUE_BYTES = 1024
SHARE_OF_CAPACITY = 0.8
CALIBRATION_S = 10
SAMPLE_INTERVAL_S = 5
SAMPLES_PER_COLLECTION = 6
RSS_SPAN_S = 30
COLLECTIONS = 3
COLLECTION_PAUSE_S = 0.3
P99_INTERVAL_S = 15
SHORTEST_MINUTES = 8
CHURN_PAUSE_S = 0.02
LEFT_OVER_TIMEOUT_S = 30
SHOWN_CHARACTERS = 2000
# The whole heap is resident from the beginning, so that RSS grows only by what lies outside of it;
# what is left of it after a collection is in the log; no compiler thread comes and goes.
JAVA_OPTIONS = (
    "-XX:+UseSerialGC -Xms256m -Xmx256m -XX:+AlwaysPreTouch -XX:-UseDynamicNumberOfCompilerThreads"
)
LOAD = ("-t2", "-c25", "--ratio=1:9")
RSS_BOUND_MIB = 0.5
HEAP_BOUND_MIB = 0.1
P99_BOUND_SHARE = 0.05
DISPATCHES = ("sequential", "pipelined")


@dataclass
class Samples:
    """What was seen, and when on the monotonic clock."""

    times_s: list[float] = field(default_factory=list)
    rss_mib: list[float] = field(default_factory=list)
    heap_times_s: list[float] = field(default_factory=list)
    heap_mib: list[float] = field(default_factory=list)


@dataclass(kw_only=True)
class Soak:
    """One dispatch's share of the time, and what it has shown."""

    dispatch: str
    rate: float
    report: Report
    connections: int
    trends: dict[str, Trend]
    left_over: dict[str, tuple[int, int]]

    def failures(self) -> list[str]:
        """Return what must not be, in words."""
        failures = [
            f"{self.dispatch}: {name} grows: {trend} a minute"
            for name, trend in self.trends.items()
            if trend.verdict == GROWS
        ]
        failures += [
            f"{self.dispatch}: {after} {name}, {before} before the load"
            for name, (before, after) in self.left_over.items()
            if after > before
        ]
        if self.report.failures:
            failures.append(f"{self.dispatch}: {self.report.failures} requests failed")
        return failures


def main() -> None:
    """Load each dispatch for half of the time; exit status 1 if something grew or failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=20, help="of load; 8 or more")
    parser.add_argument("--seed", type=int, default=1, help="of the clients that come and go")
    arguments = parser.parse_args()
    if arguments.minutes < SHORTEST_MINUTES:
        parser.error(f"--minutes: no trend shows in less than {SHORTEST_MINUTES} minutes")
    require_programs("memcached", "java")
    end_on_signals()
    began_s = time.monotonic()
    soaks = [_soak(dispatch, 60 * arguments.minutes / 2, arguments.seed) for dispatch in DISPATCHES]
    print("\n".join(line for soak in soaks for line in _describe(soak)))
    failures = [failure for soak in soaks for failure in soak.failures()]
    print(*failures, sep="\n", file=sys.stderr)
    unknown = sum(trend.verdict not in (FLAT, GROWS) for s in soaks for trend in s.trends.values())
    notes = (
        f"{arguments.minutes:g} min at {SHARE_OF_CAPACITY:.0%} of capacity "
        f"({', '.join(f'{s.dispatch} {s.rate:,.0f} op/s' for s in soaks)}), "
        f"{sum(s.connections for s in soaks):,} connections came and went"
        + (f"; {unknown} trends cannot be told" if unknown else "")
    )
    requests = sum(soak.report.requests for soak in soaks)
    stand.print_result("soak", requests, len(failures), time.monotonic() - began_s, notes)
    if failures:
        sys.exit(1)


def _soak(dispatch: str, seconds: float, seed: int) -> Soak:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soak-")))
        servers = [stack.enter_context(memcached())[0] for _ in range(NUM_SERVERS)]
        port = free_port()
        command = ["java", *JAVA_OPTIONS.split(), f"-Xlog:gc+heap:file={folder / 'gc.log'}"]
        command += ["-jar", str(JAR), "-p", str(port), "--dispatch", dispatch]
        command += ["--stats-dir", str(folder / "results"), "-m"]
        command += [f"127.0.0.1:{server}" for server in servers]
        pid = stack.enter_context(running(command, port, folder / "log"))
        fill(port, VALUE_BYTES)
        capacity = _generate(port, CALIBRATION_S)[0].throughput_ops_per_s
        rate = SHARE_OF_CAPACITY * capacity
        _collect_garbage(pid, folder)
        before = _counts(pid)
        began_s = time.time()
        with _Churn(port, seed) as churn:
            report, samples = _generate(
                port,
                seconds,
                f"--arrivals=poisson --rate={rate:.0f}",
                _Watch(pid, folder, dispatch),
            )
        after = _counts_at_rest(pid, before)
        p99_times_s, p99_ms = _p99_ms(folder / "results" / "histograms.hlog", began_s, seconds)
    return Soak(
        dispatch=dispatch,
        rate=rate,
        report=report,
        connections=churn.connections,
        trends=_trends(samples, p99_times_s, p99_ms),
        left_over={name: (before[name], after[name]) for name in before},
    )


def _trends(
    samples: Samples, p99_times_s: Sequence[float], p99_ms: Sequence[float]
) -> dict[str, Trend]:
    """Return what may not rise over the second half, of each dispatch: judged together."""
    series = {
        "RSS (MiB)": (*span_means(samples.times_s, samples.rss_mib, RSS_SPAN_S), RSS_BOUND_MIB),
        "heap after collection (MiB)": (samples.heap_times_s, samples.heap_mib, HEAP_BOUND_MIB),
        "p99 (ms)": (p99_times_s, p99_ms, P99_BOUND_SHARE * sum(p99_ms) / len(p99_ms)),
    }
    return {
        name: trend(*second_half(times_s, values), bound, together=len(DISPATCHES) * len(series))
        for name, (times_s, values, bound) in series.items()
    }


def _describe(soak: Soak) -> list[str]:
    return [
        f"{soak.dispatch}: {soak.report.requests:,} requests at {soak.rate:,.0f} op/s, "
        f"{soak.report.failures} failed; {soak.connections:,} connections came and went",
        *(
            f"  {name:<28} {trend!s:<36} a minute, at most {trend.bound:.3g}: {trend.verdict}"
            for name, trend in soak.trends.items()
        ),
        *(f"  {name:<28} {first} -> {last}" for name, (first, last) in soak.left_over.items()),
    ]


class _Watch:
    """Looks at a process while something else goes on."""

    def __init__(self, pid: int, folder: Path, name: str):
        self._pid = pid
        self._folder = folder
        self._name = name
        self.samples = Samples()

    def look(self, left_s: float) -> None:
        """Take a sample, now and then of the heap, too."""
        samples = self.samples
        samples.times_s.append(time.monotonic())
        samples.rss_mib.append(rss_mib([self._pid]))
        if len(samples.times_s) % SAMPLES_PER_COLLECTION == 0:
            samples.heap_mib.append(_collect_garbage(self._pid, self._folder))
            samples.heap_times_s.append(time.monotonic())
        if len(samples.times_s) % (60 // SAMPLE_INTERVAL_S) == 0:
            print(
                f"{self._name}: {left_s / 60:.1f} min left, {samples.rss_mib[-1]:.1f} MiB",
                file=sys.stderr,
                flush=True,
            )


def _generate(
    port: int, seconds: float, options: str = "", watch: _Watch | None = None
) -> tuple[Report, Samples]:
    """Run the generator to its end, and watch meanwhile."""
    with (
        tempfile.NamedTemporaryFile(suffix=".json") as output,
        # A file, since nobody reads meanwhile: its progress would fill a pipe, and stop it.
        tempfile.TemporaryFile("w+", encoding="utf-8") as said,
    ):
        command = command_line(port, VALUE_BYTES, *LOAD, *options.split())
        command += [f"--test-time={seconds:.0f}", f"--json-out-file={output.name}"]
        deadline_s = time.monotonic() + seconds
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said) as process:
            try:
                while process.poll() is None:
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(SAMPLE_INTERVAL_S)
                    if watch is not None and process.poll() is None:
                        watch.look(deadline_s - time.monotonic())
            except BaseException:
                process.terminate()
                raise
        if process.returncode != 0:
            said.seek(0)
            raise SystemExit(f"{' '.join(command)}\nfailed:\n{said.read()[-SHOWN_CHARACTERS:]}")
        report = parse_report(json.loads(Path(output.name).read_text(encoding="utf-8")), keys=1)
    return report, watch.samples if watch else Samples()


class _Churn:
    """Clients that come, ask a little, and go, some in the midst of a request; on a thread."""

    def __init__(self, port: int, seed: int):
        self._port = port
        self._rng = random.Random(seed)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.connections = 0

    def __enter__(self) -> _Churn:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._rng.expovariate(1 / CHURN_PAUSE_S)):
            # What becomes of it is of no interest here: those that stay are the ones that count.
            with suppress(OSError):
                self._come_and_go()
            self.connections += 1

    def _come_and_go(self) -> None:
        with socket.create_connection(("127.0.0.1", self._port), timeout=10) as client:
            for _ in range(self._rng.randrange(4)):
                client.sendall(self._whole())
                client.recv(64 * 1024)
            whole = self._whole()
            client.sendall(whole[: self._rng.randint(0, len(whole))])
            if self._rng.random() < 0.5:
                reset_on_close(client)

    def _whole(self) -> bytes:
        key = f"v{VALUE_BYTES:04}-{self._rng.randint(1, KEY_COUNT)}"
        if self._rng.random() < 0.5:
            return f"get {key}\r\n".encode()
        return f"set {key} 0 0 {VALUE_BYTES}\r\n".encode() + bytes(VALUE_BYTES) + b"\r\n"


def _collect_garbage(pid: int, folder: Path) -> float:
    """Let the virtual machine collect all garbage; return the MiB that are left.

    The least of several collections: what is under way at the moment is not what stays.
    """
    for _ in range(COLLECTIONS):
        subprocess.run(["jcmd", str(pid), "GC.run"], check=True, stdout=subprocess.DEVNULL)
        time.sleep(COLLECTION_PAUSE_S)
    log = (folder / "gc.log").read_text(encoding="utf-8")
    left_kib = re.findall(r"Tenured: \d+K(?:\(\d+K\))?->(\d+)K", log)
    return min(map(int, left_kib[-COLLECTIONS:])) / 1024


def _counts(pid: int) -> dict[str, int]:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    threads = next(line for line in status.splitlines() if line.startswith("Threads:"))
    return {
        "descriptors": len(list(Path(f"/proc/{pid}/fd").iterdir())),
        "threads": int(threads.split()[1]),
    }


def _counts_at_rest(pid: int, before: dict[str, int]) -> dict[str, int]:
    """Return the counts once they are as before, or when it has taken too long."""
    deadline_s = time.monotonic() + LEFT_OVER_TIMEOUT_S
    while True:
        counts = _counts(pid)
        if time.monotonic() > deadline_s or all(counts[n] <= before[n] for n in counts):
            return counts
        time.sleep(0.2)


def _p99_ms(log: Path, began_s: float, seconds: float) -> tuple[list[float], list[float]]:
    """Return the 99th percentile of the gets' response times of each interval of whole length."""
    found: dict[int, list[pd.DataFrame]] = {}
    for line in log.read_text(encoding="utf-8").splitlines():
        if line.startswith("Tag=response_time/get,"):
            _, start, _, _, encoded = line.split(",")
            interval = int((float(start) - began_s) // P99_INTERVAL_S)
            if 0 <= interval < seconds // P99_INTERVAL_S:
                found.setdefault(interval, []).append(decode_histogram(encoded))
    p99_ms = [
        float(histogram_percentiles(merge_histograms(histograms), [99])[0])
        for histograms in found.values()
    ]
    return [float(interval * P99_INTERVAL_S) for interval in found], p99_ms


if __name__ == "__main__":
    main()
