"""Run memcached's own test scripts against memcached alone, and against it behind the middleware.

The scripts are not part of this project: name a checkout of memcached, best of the version that is
installed (`memcached -V`), by `--source` or MEMCACHED_SOURCE. Nothing is built or written there:
the scripts run in a temporary folder whose `memcached-debug` is the installed program, alone or
behind the middleware (`memcached_behind.py`), over TCP. What passes alone has to pass behind it,
but for the assertions that `ELSEWHERE` names: they are about what is not the middleware's.

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
from fnmatch import fnmatch
from pathlib import Path

from stand import print_result  # first: it makes `processes` importable

# isort: split
from processes import require_programs

FOLDER = Path(__file__).parent
ALONE, BEHIND = "alone", "behind"

# Not run unless they are named: other protocols, and options of the server's process.
OUTSIDE = [
    "00-startup.t",
    "ascii-auth*",
    "binary*",
    "daemonize.t",
    "*extstore*",
    "proxy*",
    "restart.t",
    "ssl_*",
    "udp.t",
    "unixsocket.t",
    "whitespace.t",
]

# The assertions that may fail behind the middleware, by their number, and why; the script may break
# off at them.
ELSEWHERE: dict[str, tuple[set[int], str]] = {
    "conn-limits.t": ({3, 4}, "requests sent ahead pile up no replies: only so many are under way"),
    "idle-timeout.t": ({10}, "memcached's idle clients are the middleware's connections"),
    "issue_50.t": (set(), "the binary protocol"),
    "issue_67.t": (set(), "which addresses and ports memcached listens on"),
    "lru-crawler.t": (
        set(range(99, 258)),
        "a dump may stand behind other commands; from then on the script reads the wrong replies",
    ),
    "stats-conns.t": ({2, 3, 4}, "memcached's own ports"),
    "stats.t": (
        {1, 11, 113},
        "its own statistics; it asks `version` first and refuses values that are too large",
    ),
    "watcher.t": ({1}, "watch is not passed on"),
    "watcher_connid.t": ({1}, "watch is not passed on"),
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
    """Run the scripts; exit status 1 if one that passes alone does not pass behind."""
    arguments = _parse_arguments()
    require_programs("java", "memcached")
    source = arguments.source
    memcached = arguments.memcached or shutil.which("memcached") or "memcached"
    names = arguments.scripts or _inside(source)
    begin = time.monotonic()
    print(f"{'script':26} {'alone':26} {'behind the middleware':26} result", flush=True)
    counts = {"same": 0, "elsewhere": 0, "not alone": 0, "WORSE": 0}
    with tempfile.TemporaryDirectory() as folder:
        builds = {
            place: _build(Path(folder), place, source, memcached) for place in (ALONE, BEHIND)
        }
        for name in names:
            alone, behind = (
                _run(builds[place], name, arguments.timeout_s) for place in (ALONE, BEHIND)
            )
            result = judge(name, alone, behind)
            counts[result] += 1
            reason = ELSEWHERE[name][1] if result == "elsewhere" else ""
            print(f"{name:26} {alone!s:26} {behind!s:26} {result} {reason}".rstrip(), flush=True)
            if result == "WORSE" or arguments.verbose:
                print("".join(f"    {line}\n" for line in behind.failed[:10]), end="", flush=True)
    notes = ", ".join(f"{count} {result}" for result, count in counts.items())
    print_result("scripts", len(names), counts["WORSE"], time.monotonic() - begin, notes)
    sys.exit(1 if counts["WORSE"] else 0)


def _inside(source: Path) -> list[str]:
    scripts = sorted(path.name for path in (source / "t").glob("*.t"))
    return [name for name in scripts if not any(fnmatch(name, outside) for outside in OUTSIDE)]


def judge(name: str, alone: Outcome, behind: Outcome) -> str:
    """Return `same`, `elsewhere` (see ELSEWHERE), `not alone` (it has not passed), or `WORSE`."""
    if not alone.is_good or alone.skipped:
        return "not alone"
    if behind.is_good and behind.passed == alone.passed:
        return "same"
    numbers = {int(line.split()[2]) for line in behind.failed}
    return "elsewhere" if name in ELSEWHERE and numbers <= ELSEWHERE[name][0] else "WORSE"


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
    _write_program(build / "memcached-debug", f'REAL_MEMCACHED={memcached} exec {stand_in} "$@"\n')
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
        output = _end_group(process)
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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "scripts", nargs="*", help="their names in t/, such as cas.t (default: all)"
    )
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
