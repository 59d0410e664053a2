"""All jobs of one run together: none outlives it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from functools import partial

from remote.errors import CommandTimeout, RemoteError
from remote.hosts.group import Fleet, in_parallel
from remote.hosts.inventory import Host
from remote.hosts.jobs.folders import job_folder
from remote.hosts.jobs.job import Job, JobKilled, JobOutcome
from remote.hosts.jobs.script import Task


class RunningJobs:
    """The jobs of one run, in folder `name` on every host; whatever happens, none outlives it.

    Attributes
    ----------
    outcomes : how each ended job ended.
    """

    def __init__(self, fleet: Fleet, name: str) -> None:
        self.fleet = fleet
        self.name = name
        self.outcomes: list[JobOutcome] = []
        self._running: list[Job] = []
        self._ended = False
        self._lock = threading.Lock()

    def __enter__(self) -> RunningJobs:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill_all()

    def start(self, host: Host, task: Task, *, limit_s: float) -> Job:
        """Start one job on `host`; see `Job.launch`.

        A job is known before it is started, so that `kill_all` misses none that another thread is
        starting.

        Raises
        ------
        JobKilled
            `kill_all` was called: nothing may be started any more.
        """
        job = Job(self.fleet[host], job_folder(host, self.name), task)
        with self._lock:
            if self._ended:
                raise JobKilled(f"{host.name}: {task.name} is not started: its run was ended")
            self._running.append(job)
        job.launch(limit_s=limit_s)
        return job

    @property
    def running(self) -> list[Job]:
        """The jobs that were started and whose end nobody has awaited yet."""
        with self._lock:
            return list(self._running)

    def wait(self, jobs: Sequence[Job], *, timeout_s: float) -> list[Job]:
        """Wait for the end of all `jobs` at the same time; return those that still run."""

        def wait(job: Job) -> Job | None:
            try:
                self._record(job, job.wait(timeout_s=timeout_s))
            except CommandTimeout:
                return job
            return None

        late = in_parallel({str(i): partial(wait, job) for i, job in enumerate(jobs)})
        return [job for job in late.values() if job is not None]

    def stop(self, jobs: Sequence[Job], signal: str = "TERM") -> None:
        """Stop all `jobs` at the same time."""

        def stop(job: Job) -> None:
            self._record(job, job.stop(signal))

        in_parallel({str(i): partial(stop, job) for i, job in enumerate(jobs)})

    def kill_all(self) -> None:
        """Kill what still runs; hosts that cannot be reached keep to the jobs' time limits."""
        with self._lock:
            self._ended = True
            running = list(self._running)
        with contextlib.suppress(RemoteError):
            in_parallel({str(i): job.kill for i, job in enumerate(running)})
        with self._lock:
            self._running = [job for job in self._running if job not in running]

    def _record(self, job: Job, outcome: JobOutcome) -> None:
        with self._lock:
            self.outcomes.append(outcome)
            self._running.remove(job)
