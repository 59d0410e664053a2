"""Programs that run on a host beyond one command: started, watched, ended, never forgotten."""

from remote.jobs.folders import clear_jobs, job_folder, remove_job_folder
from remote.jobs.job import Job, JobKilled, JobOutcome
from remote.jobs.ports import require_free_port
from remote.jobs.running import RunningJobs
from remote.jobs.script import JOB_MARK, PROBE_BYTES, start_script

__all__ = [
    "JOB_MARK",
    "PROBE_BYTES",
    "Job",
    "JobKilled",
    "JobOutcome",
    "RunningJobs",
    "clear_jobs",
    "job_folder",
    "remove_job_folder",
    "require_free_port",
    "start_script",
]
