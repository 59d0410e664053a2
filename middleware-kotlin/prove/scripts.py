"""Run memcached's own test scripts against memcached alone, and against it behind the middleware.

The scripts are not part of this project: name a checkout of memcached, best of the version that is
installed (`memcached -V`), by `--source` or MEMCACHED_SOURCE. Nothing is built or written there: the
scripts run in a temporary folder whose `memcached-debug` is the installed program, alone or behind
the middleware (`memcached_behind.py`), over TCP. What passes alone has to pass behind it, but for
what `ELSEWHERE` names: there, a script is about something that is not the middleware's.

    MEMCACHED_SOURCE=~/memcached python middleware-kotlin/prove/scripts.py
    python middleware-kotlin/prove/scripts.py --source ~/memcached cas.t incrdecr.t
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from stand import print_result  # first: it makes `processes` importable

# isort: split
from processes import require_programs

FOLDER = Path(__file__).parent
ALONE, BEHIND = "alone", "behind"

ELSEWHERE = {
    "conn-limits.t": "requests sent ahead do not pile up replies in memcached: one is under way",
    "issue_50.t": "the binary protocol",
    "issue_67.t": "options on which addresses and ports memcached listens",
    "lru-crawler.t": "a dump may stand behind other commands: each is answered before the next",
}


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a script said: assertions by their number, and whether it came to its end."""

    passed: int
    failed: tuple[str, ...]
    skipped: bool
    complete: bool

    @property
    def is_good(self) -> bool:
        """Whether all assertions hold and none is missing."""
        return self.complete and not self.failed

    def __str__(self) -> str:
        if self.skipped:
            return "skipped"
        if self.is_good:
            return f"{self.passed} ok"
        ended = "" if self.complete else ", broke off"
        return f"{len(self.failed)} of {self.passed + len(self.failed)} failed{ended}"


def main() -> None:
    """Run the scripts; exit status 1 if one that passes alone does not pass behind the middleware."""
    arguments = _parse_arguments()
    require_programs("java", "memcached")
    source, memcached = arguments.source, arguments.memcached or shutil.which("memcached")
    names = arguments.scripts or sorted(path.name for path in (source / "t").glob("*.t"))
    begin = time.monotonic()
    print(f"{'script':26} {'alone':26} {'behind the middleware':26} result", flush=True)
    counts = {"same": 0, "elsewhere": 0, "not alone": 0, "WORSE": 0}
    with tempfile.TemporaryDirectory() as folder:
        builds = {place: _build(Path(folder), place, source, memcached) for place in (ALONE, BEHIND)}
        for name in names:
            alone, behind = (
                _run(builds[place], name, arguments.timeout_s) for place in (ALONE, BEHIND)
            )
            result = judge(name, alone, behind)
            counts[result] += 1
            reason = ELSEWHERE[name] if result == "elsewhere" else ""
            print(f"{name:26} {alone!s:26} {behind!s:26} {result} {reason}".rstrip(), flush=True)
            if result == "WORSE" or arguments.verbose:
                print("".join(f"    {line}\n" for line in behind.failed[:10]), end="", flush=True)
    notes = ", ".join(f"{count} {result}" for result, count in counts.items())
    print_result("scripts", len(names), counts["WORSE"], time.monotonic() - begin, notes)
    sys.exit(1 if counts["WORSE"] else 0)


def judge(name: str, alone: Outcome, behind: Outcome) -> str:
    """Return `same`, `elsewhere` (see ELSEWHERE), `not alone` (it fails or skips there), or `WORSE`."""
    if not alone.is_good or alone.skipped:
        return "not alone"
    if behind.is_good and behind.passed == alone.passed:
        return "same"
    return "elsewhere" if name in ELSEWHERE else "WORSE"


def parse_tap(output: str, status: int) -> Outcome:
    """Count what a script printed by Perl's Test::More.

    ::

        1..3
        ok 1 - stored
        not ok 2 - fetched
        ok 3 # skip no extstore
    """
    lines = output.splitlines()
    plan = next((line for line in lines if re.match(r"1\.\.\d+", line)), "")
    skipped = plan.startswith("1..0")
    passed = sum(line.startswith("ok ") for line in lines)
    failed = tuple(line for line in lines if line.startswith("not ok") and "# TODO" not in line)
    planned = int(plan[3:].split()[0]) if plan else -1
    complete = skipped or (planned == passed + len(failed) and (status == 0 or bool(failed)))
    return Outcome(passed=passed, failed=failed, skipped=skipped, complete=complete)


def _build(folder: Path, place: str, source: Path, memcached: str) -> Path:
    """Make what the scripts take for the folder in which memcached was built."""
    build = folder / place
    build.mkdir()
    for path in source.iterdir():
        (build / path.name).symlink_to(path.resolve())
    stand_in = f"{sys.executable} {FOLDER / 'memcached_behind.py'} {'--alone' * (place == ALONE)}"
    _write_program(
        build / "memcached-debug", f'REAL_MEMCACHED={memcached} exec {stand_in} "$@"\n'
    )
    _write_program(build / "timedrun", 'shift\nexec "$@"\n')
    return build


def _write_program(path: Path, body: str) -> None:
    path.unlink(missing_ok=True)
    path.write_text(f"#!/bin/sh\n{body}", encoding="utf-8")
    path.chmod(0o755)


def _run(build: Path, name: str, timeout_s: float) -> Outcome:
    process = subprocess.Popen(
        ["perl", f"t/{name}"],
        cwd=build,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = _end_group(process), ""
    else:
        _end_group(process)
    return parse_tap(output or "", process.returncode)


def _end_group(process: subprocess.Popen[str]) -> str:
    """End what the script has started and left, and return what it still said."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                break
            time.sleep(0.05)
    return process.communicate()[0] if process.stdout and not process.stdout.closed else ""


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("scripts", nargs="*", help="their names in t/, such as cas.t (default: all)")
    parser.add_argument("--source", type=Path, help="a checkout of memcached (or MEMCACHED_SOURCE)")
    parser.add_argument("--memcached", help="the program (default: the installed one)")
    parser.add_argument("--timeout-s", type=float, default=90, help="of one script (default 90)")
    parser.add_argument("--verbose", action="store_true", help="name all failed assertions")
    arguments = parser.parse_args()
    arguments.source = arguments.source or os.environ.get("MEMCACHED_SOURCE")
    if arguments.source is None:
        sys.exit("scripts.py: name a checkout of memcached by --source or MEMCACHED_SOURCE")
    arguments.source = Path(arguments.source)
    if not (arguments.source / "t" / "lib" / "MemcachedTest.pm").is_file():
        sys.exit(f"scripts.py: {arguments.source} is no checkout of memcached: it has no t/lib")
    return arguments


if __name__ == "__main__":
    main()
