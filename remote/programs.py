"""Run programs of the system and turn their failure into a `LabError`."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from remote.errors import LabError

T = TypeVar("T")

# A user's PATH often lacks the folders of ip, tc and sshd.
SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])

AT_A_TIME = 16  # programs: most of them wait for the kernel

KERNEL_REMEDY = (
    "The lab needs a Linux kernel with network, PID, mount, UTS and IPC namespaces, veth, bridge "
    "and sch_tbf (try `modprobe -a veth bridge sch_tbf`); a container must be privileged"
)


def find(program: str, *, remedy: str = "Install it and try again") -> str:
    """Return the full path of a program; LabError if it is not installed."""
    path = shutil.which(program, path=SEARCH_PATH)
    if path is None:
        raise LabError(f"`{program}` is not installed", remedy)
    return path


def run(command: Sequence[str], *, remedy: str = KERNEL_REMEDY) -> str:
    """Run a command to its end and return its output; LabError with its stderr if it fails."""
    result = subprocess.run(
        [find(command[0]), *command[1:]],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        reason = result.stderr.strip() or f"exit status {result.returncode}"
        raise LabError(f"`{shlex.join(command)}` failed: {reason}", remedy)
    return result.stdout


def side_by_side(action: Callable[[T], object], items: Iterable[T]) -> None:
    """Call `action`, which runs programs, with all items, some at a time.

    When it returns, or raises the first error, nothing of it still runs.
    """
    pool = ThreadPoolExecutor(AT_A_TIME)
    try:
        for _ in pool.map(action, items):
            pass
    finally:
        pool.shutdown(cancel_futures=True)
