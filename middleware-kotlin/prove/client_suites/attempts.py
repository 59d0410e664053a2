"""Running a suite: within its time, and once more if it has not passed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from client_suites.suite import Suite

SUITE_TIMEOUT_S = 120


def run_again(suite: Suite, log: Path, wanted: Sequence[str]) -> tuple[dict[str, bool], list[str]]:
    """Run a suite, and once more if a wanted test fails (default: any).

    Returns
    -------
    dict[str, bool], list[str]
        The tests by name, and whether they passed; those that passed only at the second attempt.
    """
    found = _run(suite, log)
    failed = [name for name in wanted or found if not found.get(name)]
    if not failed:
        return found, []
    second = _run(suite, log.with_stem(f"{log.stem}-repeated"))
    late = [name for name in failed if second.get(name)]
    return {**found, **dict.fromkeys(late, True)}, late


def _run(suite: Suite, log: Path) -> dict[str, bool]:
    """Run a suite within its time; the tests of which it says nothing have not passed."""
    with log.open("wb") as output, log.with_suffix(".err").open("wb") as errors:
        process = subprocess.Popen(
            suite.command,
            cwd=suite.directory,
            env={**os.environ, **suite.environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            start_new_session=True,
        )
        try:
            process.wait(SUITE_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            too_long = (
                f"{suite.client} took longer than {SUITE_TIMEOUT_S} s and was ended; see {log}"
            )
            print(too_long, file=sys.stderr, flush=True)
        finally:
            _end(process)
    return suite.parse(log.read_text(encoding="utf-8", errors="replace"))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a suite with all that it has started."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
