"""The jobs of one run, and their folders: none outlives it, and what others left is removed."""

from __future__ import annotations

import contextlib
import shlex
import threading
from collections.abc import Iterator, Sequence
from functools import partial

from records.manifest_entries import JobOutcome
from remote.errors import CommandTimeout, RemoteError
from remote.hosts.connection import Connection
from remote.hosts.group import Fleet, in_parallel
from remote.hosts.inventory import Host
from remote.hosts.jobs.job import Job, JobKilled
from remote.hosts.jobs.script import FOLDER_MARK, JOB_MARK, Task

# Kills the session of each file NAME.sid without a NAME.exit, if it is still that job's.
_END_LEFT = f"""\
for sid; do
    job=${{sid%.sid}}
    [ -f "$job.exit" ] && continue
    read -r leader < "$sid"
    grep -qszxF "{JOB_MARK}=$job" "/proc/$leader/environ" || continue
    kill -KILL "-$leader" && echo "$job"
done"""


class RunningJobs:
    """The jobs of one run, in folder `name` on every host; whatever happens, none outlives it.

    `outcomes` has how each ended job ended.
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
        """Start one job on `host`; JobKilled if `kill_all` was called before.

        A job is noted before it is started, so that `kill_all` misses none that another thread
        starts.
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

    @contextlib.contextmanager
    def blamed(self) -> Iterator[None]:
        """Raise how a job ended instead of the error that its end has caused inside the block."""
        try:
            yield
        except RemoteError as exc:
            for job in self.running:
                if job.has_ended():
                    raise job.failure() from exc
            raise

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


def job_folder(host: Host, name: str) -> str:
    """Return the path of the job folder `name` on `host`."""
    return f"{host.work_dir}/jobs/{name}"


def remove_job_folder(connection: Connection, name: str) -> None:
    """Remove the job folder `name` from the host, if it is one."""
    connection.run(_remove(shlex.quote(job_folder(connection.host, name))))


def clear_jobs(connection: Connection) -> list[str]:
    """End jobs that an earlier controller left, remove all job folders; return the ended jobs.

    Only processes and folders that carry this project's mark are touched.
    """
    folder = shlex.quote(f"{connection.host.work_dir}/jobs")
    script = (
        f"find {folder} -name '*.sid' -exec sh -c {shlex.quote(_END_LEFT)} sh {{}} + 2>/dev/null"
    )
    each = '"$job"'
    remove = f"for job in {folder}/*; do {_remove(each)}; done; rmdir {folder} 2>/dev/null"
    return connection.run(f"{script}; {remove} || true").stdout.splitlines()


def _remove(folder: str) -> str:
    """Return the command that removes a folder, given in quotes, if it is marked as ours."""
    return f"[ ! -e {folder}/{FOLDER_MARK} ] || rm -rf {folder}"
