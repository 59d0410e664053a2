"""What jobs have started on this machine, in the lab or not."""

import shlex
import time
from collections.abc import Iterator
from pathlib import Path

from remote.hosts.group import Fleet
from remote.hosts.jobs import JOB_MARK


def jobs_running() -> list[str]:
    """Command lines of the processes that jobs have started."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if f"\0{JOB_MARK}=".encode() in b"\0" + (process / "environ").read_bytes():
                found.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except (OSError, ValueError):
            continue
    return found


def left_on(fleet: Fleet) -> dict[str, list[str]]:
    """By host what a controller has there while it measures: its lease, its jobs' folders."""
    look = "cd {} 2>/dev/null && ls -d lease jobs 2>/dev/null || true"
    found = fleet.try_each(
        lambda c: c.run(look.format(shlex.quote(c.host.work_dir))).stdout.split()
    )
    return {name: files for name, files in found.items() if files}


def wait_for_generators() -> None:
    """Return when generators are sending: they tell so once a second."""
    deadline = time.monotonic() + 600  # a campaign has its clocks and jar to see to before
    while not any(b" secs]" in progress for progress in told_by_generators()):
        assert time.monotonic() < deadline, "no generator was started"
        time.sleep(0.1)


def told_by_generators() -> Iterator[bytes]:
    """What the generators that run have written to their standard error so far."""
    for process in Path("/proc").iterdir():
        try:
            if b"mwlab.loadgen" in (process / "cmdline").read_bytes():
                yield (process / "fd" / "2").read_bytes()
        except OSError:
            continue
