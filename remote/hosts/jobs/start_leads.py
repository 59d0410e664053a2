"""How long before jobs are to start together each host is told when: learnt, and kept on disk."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from records.documents import read_json
from records.files.atomic import write_json
from records.manifest_entries import ClockReading
from remote.hosts.connection import Connection
from remote.hosts.group import in_parallel
from remote.hosts.jobs.job import Job

T = TypeVar("T")

START_LEADS = ".start-leads.json"
"""File of a campaign in which they are kept, so that no call of `lab` learns them anew."""

LEAST_S = 0.1
LONGEST_S = 10.0
"""What takes longer tells of a connection, not of a host."""
PER_BOUND = 10  # a command takes some round trips and processes, a clock one of each
_MOST_SPARE_S = 1.5
_LARGEST_BYTES = 1 << 20  # of the file, which may be someone else's


class StartLeads:
    """How long hosts took to run a short command lately: the time that they are given to start.

    Safe to use from several threads. An unreadable file of the campaign counts as none.
    """

    def __init__(self, campaign_dir: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._path = campaign_dir / START_LEADS
        self._lock = threading.Lock()
        self._took_s = _read(self._path)
        self._lost: set[str] = set()

    def keep(self) -> None:
        """Write to disk what is known by now."""
        with self._lock:
            write_json(self._path, {name: round(s, 3) for name, s in self._took_s.items()})

    def first(self, connection: Connection, command: Callable[[], T]) -> T:
        """Run a command that does more than to tell a time: as long is given while none was."""
        result, seconds = self._timed(connection, command)
        if seconds is not None and seconds <= LONGEST_S:
            with self._lock:
                self._took_s.setdefault(connection.host.name, _taken(seconds))
        return result

    def tell(self, jobs: Sequence[Job], line: str) -> None:
        """Write a line to the standard input of all `jobs` at once, and learn how long it takes."""

        def tell(job: Job) -> None:
            name = job.connection.host.name
            _, seconds = self._timed(job.connection, lambda: job.tell(line))
            if seconds is None:
                self._lost.add(name)
            else:
                self._note(name, seconds)

        in_parallel({str(number): partial(tell, job) for number, job in enumerate(jobs)})

    def was_late(self, name: str, needed_s: float) -> None:
        """Learn that a host, told so long before, would have kept the time; not if it was lost."""
        if name not in self._lost:
            self._note(name, _taken(needed_s))

    def lead_s(self, clocks: Mapping[str, ClockReading]) -> tuple[float, str]:
        """Return how long before the start the hosts are informed, and which host needs that long.

        Parameters
        ----------
        clocks : by host; the bound of a reading is half of the time of an answer.
        """

        def of_host(name: str) -> float:
            clock = clocks[name]
            answer_s = PER_BOUND * clock.bound_s
            given_s = _given(self._took_s.get(name, 0.0))
            ahead_s = max(0.0, clock.offset_s)  # it is later there
            return LEAST_S + max(answer_s, given_s) + ahead_s

        slowest = max(clocks, key=of_host)
        return of_host(slowest), slowest

    def _timed(self, connection: Connection, command: Callable[[], T]) -> tuple[T, float | None]:
        """Run a command; return its seconds, too, but None if the connection broke meanwhile."""
        way = connection.open()
        began_s = self._clock()
        result = command()
        seconds = self._clock() - began_s
        return result, seconds if connection.open() is way else None

    def _note(self, name: str, seconds: float) -> None:
        """Learn what a host took: it rises at once to that, and falls by half of the way."""
        if seconds > LONGEST_S:
            return
        with self._lock:
            known = self._took_s.get(name, seconds)
            self._took_s[name] = max(seconds, (known + seconds) / 2)


def _given(took_s: float) -> float:
    """Return the time that is given for what took so long: twice that, within reason."""
    return took_s + min(took_s, _MOST_SPARE_S)


def _taken(given_s: float) -> float:
    return max(given_s / 2, given_s - _MOST_SPARE_S)


def _read(path: Path) -> dict[str, float]:
    try:
        known = read_json(path, _LARGEST_BYTES)
        return {str(name): float(s) for name, s in known.items() if 0 <= float(s) <= LONGEST_S}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
