"""Processes of the lab: recognised without doubt, ended by handle, never by a bare number."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from remote.errors import LabError
from remote.waiting import until

_END_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Process:
    """One process for all time: its number may be given again, but not with this start time."""

    pid: int
    start_ticks: int

    @property
    def is_listed(self) -> bool:
        """Whether `ps` shows it, be it as a zombie."""
        stat = _read_stat(self.pid)
        return stat is not None and parse_stat(stat) == self

    @property
    def is_running(self) -> bool:
        """Whether it still is there and is more than a zombie."""
        stat = _read_stat(self.pid)
        return stat is not None and parse_stat(stat) == self and _fields(stat)[0] not in "ZX"


def parse_stat(stat: str) -> Process:
    """Read a process from its line in /proc/PID/stat, proc_pid_stat(5).

    The second field may hold anything, also blanks and parentheses::

        4711 (sh) S 4700 4700 4700 0 -1 4194560 92 0 0 0 0 0 0 0 20 0 1 0 812345 2658304 ...
    """
    return Process(pid=int(stat.split(maxsplit=1)[0]), start_ticks=int(_fields(stat)[19]))


def read_noted(path: Path) -> Process | None:
    """Read what a process has noted of itself; None if it does not run (any more)."""
    try:
        process = parse_stat(path.read_text())
    except (FileNotFoundError, IndexError, ValueError):
        return None
    return process if process.is_running else None


def from_pid_file(path: Path, argument: str) -> Process | None:
    """Return the process whose number is in a file; None unless `argument` is in its command."""
    try:
        pid = int(path.read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (OSError, ValueError):
        return None
    return parse_stat(stat) if argument.encode() in command else None


def in_network_namespaces(paths: Iterable[Path]) -> list[Process]:
    """List the processes whose network namespace is one of those bound to `paths`."""
    wanted = {_identity(path) for path in paths} - {None}
    return [
        process
        for process in _all_processes()
        if wanted and _identity(Path(f"/proc/{process.pid}/ns/net")) in wanted
    ]


def with_descendants(process: Process) -> list[Process]:
    """Return a running process and all that stem from it; nothing if it has ended."""
    if not process.is_running:
        return []
    children: dict[int, list[Process]] = {}
    for stat in _all_stats():
        child = parse_stat(stat)
        if child.pid != process.pid:  # is nobody's child here: else numbers given again make a ring
            children.setdefault(int(_fields(stat)[1]), []).append(child)
    found = [process]
    for member in found:
        found += children.get(member.pid, [])
    return found


def with_environment(beginning: str) -> list[Process]:
    """List the running processes with an entry in their environment that starts with this."""
    wanted = f"\0{beginning}".encode()
    found = []
    for process in _all_processes():
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            environment = Path(f"/proc/{process.pid}/environ").read_bytes()
            if wanted in b"\0" + environment and process.is_running:
                found.append(process)
    return found


def end(processes: Iterable[Process]) -> None:
    """Kill processes and wait until they have ended; those that have ended already are skipped."""
    deadline = time.monotonic() + _END_TIMEOUT_S
    with contextlib.ExitStack() as stack:
        poller = select.poll()
        waiting: dict[int, Process] = {}
        for process in processes:
            handle = _open(process)
            if handle is not None:
                stack.callback(os.close, handle)
                with contextlib.suppress(ProcessLookupError):  # it has ended just now
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
                poller.register(handle, select.POLLIN)
                waiting[handle] = process
        while waiting:
            ended = poller.poll(max(0.0, deadline - time.monotonic()) * 1000)
            if not ended:
                pids = ", ".join(str(process.pid) for process in waiting.values())
                raise LabError(
                    f"processes {pids} were killed but have not ended after {_END_TIMEOUT_S:g} s",
                    "They hang in the kernel; try `lab down` again later",
                )
            for handle, _ in ended:
                poller.unregister(handle)
                del waiting[handle]


def wait_until_reaped(processes: Iterable[Process], timeout_s: float = 3.0) -> None:
    """Wait until ended processes are no longer listed, which is up to this machine's first process.

    Some containers' first process never reaps: what is left then is only an entry in the list.
    """
    listed = list(processes)
    until(lambda: not any(process.is_listed for process in listed), timeout_s)


def _open(process: Process) -> int | None:
    """Open a handle on the process; None if it has ended, whoever has its number now."""
    try:
        handle = os.pidfd_open(process.pid)
    except ProcessLookupError:
        return None
    if not process.is_running:  # the handle cannot move to another process, so this is final
        os.close(handle)
        return None
    return handle


def _all_processes() -> Iterator[Process]:
    return map(parse_stat, _all_stats())


def _all_stats() -> Iterator[str]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            stat = _read_stat(int(entry.name))
            if stat is not None:
                yield stat


def _read_stat(pid: int) -> str | None:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except (FileNotFoundError, ProcessLookupError):
        return None


def _fields(stat: str) -> list[str]:
    """Fields from the third, the state, onwards."""
    return stat.rpartition(")")[2].split()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
