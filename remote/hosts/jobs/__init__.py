"""Programs that run on a host beyond one command: started, watched, ended, never forgotten."""

from remote.hosts.jobs.job import Job, JobKilled
from remote.hosts.jobs.ports import require_free_ports
from remote.hosts.jobs.running import RunningJobs, clear_jobs, job_folder, remove_job_folder
from remote.hosts.jobs.script import FOLDER_MARK, JOB_MARK, PROBE_BYTES, Task, claim, start_script
from remote.hosts.jobs.start_leads import StartLeads

__all__ = [
    "FOLDER_MARK",
    "JOB_MARK",
    "PROBE_BYTES",
    "Job",
    "JobKilled",
    "RunningJobs",
    "StartLeads",
    "Task",
    "claim",
    "clear_jobs",
    "job_folder",
    "remove_job_folder",
    "require_free_ports",
    "start_script",
]
