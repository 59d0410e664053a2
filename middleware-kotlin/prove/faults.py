"""Let twelve faults befall the middleware under load whose every reply is checked.

Every episode has a system of its own: three memcached, the middleware, 24 clients that write and
read values which tell their key, version and checksum. Nothing may be read that was not written,
nothing may be lost that was acknowledged, every request gets an answer or a closed connection in
time, everything works again afterwards, and the results agree with what the clients have counted.
All chance in an episode is of its seed, fault and number. About 10 minutes for 20 times.

    python middleware-kotlin/prove/faults.py
    python middleware-kotlin/prove/faults.py --seed 1 --replay server-killed/7
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, fields
from typing import Any

import stand
from processes import end_on_signals, require_programs
from verified_load.episode import Episode, Outcome
from verified_load.kinds import KINDS

EPISODE_TIMEOUT_S = 120
STOP_TIMEOUT_S = 30
PROGRESS_INTERVAL_S = 10


def main() -> None:
    """Run all episodes, print the table and what failed; exit status 1 if something did."""
    arguments = _parse_arguments()
    require_programs("memcached", "java")
    end_on_signals()
    if arguments.replay:
        sys.exit(_replay(arguments.replay, arguments.seed))
    began_s = time.monotonic()
    outcomes = list(_run_all(arguments))
    failed = [outcome for outcome in outcomes if not outcome.is_good]
    print("\n".join(table(outcomes)))
    for outcome in failed:
        print("\n" + "\n".join(_describe(outcome, arguments.seed)), file=sys.stderr)
    notes = (
        f"{len({outcome.fault for outcome in outcomes})} faults x {arguments.times}, "
        f"seed {arguments.seed}; errors that are due: {sum(o.errors for o in outcomes):,}; "
        f"longest answer {max(o.longest_s for o in outcomes):.1f} s"
    )
    requests = sum(outcome.requests for outcome in outcomes)
    stand.print_result("faults", requests, len(failed), time.monotonic() - began_s, notes)
    if failed:
        sys.exit(1)


def table(outcomes: Sequence[Outcome]) -> list[str]:
    """Lines of a table, one row for each fault."""
    lines = [
        f"{'fault':<22} {'episodes':>8} {'requests':>9} {'errors':>7} {'wrong':>6} {'missing':>7} "
        f"{'else':>5} {'longest (s)':>11}"
    ]
    for fault in dict.fromkeys(KINDS):
        own = [outcome for outcome in outcomes if outcome.fault == fault]
        if own:
            lines.append(
                f"{fault:<22} {len(own):>8} {sum(o.requests for o in own):>9,} "
                f"{sum(o.errors for o in own):>7,} {sum(len(o.wrong) for o in own):>6} "
                f"{sum(len(o.missing) for o in own):>7} {sum(len(o.failures) for o in own):>5} "
                f"{max(o.longest_s for o in own):>11.2f}"
            )
    return lines


def _replay(name: str, seed: int) -> int:
    """Run one episode; its last line is its outcome."""
    fault, _, number = name.partition("/")
    outcome = asyncio.run(Episode(fault, KINDS[fault], int(number), seed).run())
    print(json.dumps(asdict(outcome)))
    return 0 if outcome.is_good else 1


def _run_all(arguments: argparse.Namespace) -> Iterator[Outcome]:
    names = [f"{fault}/{number}" for number in range(arguments.times) for fault in arguments.only]
    random.Random(arguments.seed).shuffle(names)
    began_s = told_s = time.monotonic()
    runner = _Runner(arguments.seed)
    pool = ThreadPoolExecutor(arguments.at_once)
    try:
        pending = [pool.submit(runner.run, name) for name in names]
        for done, future in enumerate(as_completed(pending), 1):
            outcome = future.result()
            yield outcome
            now_s = time.monotonic()
            if now_s - told_s > PROGRESS_INTERVAL_S or not outcome.is_good:
                told_s = now_s
                left_s = (now_s - began_s) / done * (len(names) - done)
                verdict = "" if outcome.is_good else f"; {outcome.fault}/{outcome.number} FAILED"
                print(
                    f"{done}/{len(names)} episodes, {left_s / 60:.1f} min left{verdict}",
                    file=sys.stderr,
                    flush=True,
                )
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        runner.end()


class _Runner:
    """Runs episodes in processes of their own, as somebody does who replays one; thread-safe."""

    def __init__(self, seed: int):
        self._seed = seed
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[str]] = set()
        self._has_ended = False

    def run(self, name: str) -> Outcome:
        """Run the episode of this name to its end."""
        with self._lock:
            if self._has_ended:
                raise KeyboardInterrupt
            process = subprocess.Popen(
                _command(name, self._seed),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
            self._running.add(process)
        try:
            said, complaint = process.communicate(timeout=EPISODE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            _stop(process)
            said, complaint = "", f"it took more than {EPISODE_TIMEOUT_S} s"
        finally:
            with self._lock:
                self._running.discard(process)
        try:
            return Outcome(**_known(json.loads(said.splitlines()[-1])))
        except (IndexError, ValueError):
            fault, _, number = name.partition("/")
            return Outcome(fault, int(number), {}, failures=[f"no outcome: {complaint[-2000:]}"])

    def end(self) -> None:
        """Let all that still run end what they have started; no more are begun."""
        with self._lock:
            self._has_ended = True
            running = list(self._running)
        for process in running:
            process.terminate()
        for process in running:
            _stop(process)


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()


def _known(outcome: dict[str, Any]) -> dict[str, Any]:
    return {field.name: outcome[field.name] for field in fields(Outcome)}


def _command(name: str, seed: int) -> list[str]:
    return [sys.executable, __file__, "--seed", str(seed), "--replay", name]


def _describe(outcome: Outcome, seed: int) -> list[str]:
    name = f"{outcome.fault}/{outcome.number}"
    return [
        f"{name}, {outcome.setup}",
        *(f"  wrong: {complaint}" for complaint in outcome.wrong),
        *(f"  missing: {complaint}" for complaint in outcome.missing),
        *(f"  {complaint}" for complaint in outcome.failures),
        f"  again: {' '.join(_command(name, seed))}",
    ]


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--times", type=int, default=20, help="episodes of each fault")
    parser.add_argument("--seed", type=int, default=1, help="of all that is left to chance")
    parser.add_argument("--at-once", type=int, default=3, help="episodes at the same time")
    parser.add_argument(
        "--only", nargs="+", choices=KINDS, default=list(KINDS), metavar="FAULT", help="not all"
    )
    parser.add_argument("--replay", metavar="FAULT/NUMBER", help="one episode, as it was")
    arguments = parser.parse_args()
    if arguments.replay and arguments.replay.partition("/")[0] not in KINDS:
        parser.error(f"no such fault: {arguments.replay}; there are {', '.join(KINDS)}")
    return arguments


if __name__ == "__main__":
    main()
