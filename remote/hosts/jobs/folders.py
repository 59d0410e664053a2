"""The folders of jobs below a host's working directory, and what was left in them."""

from __future__ import annotations

import shlex

from remote.hosts.connection import Connection
from remote.hosts.inventory import Host
from remote.hosts.jobs.script import FOLDER_MARK, JOB_MARK

# Kills the session of each file NAME.sid without a NAME.exit, if it is still that job's.
_END_LEFT = f"""\
for sid; do
    job=${{sid%.sid}}
    [ -f "$job.exit" ] && continue
    read -r leader < "$sid"
    grep -qszxF "{JOB_MARK}=$job" "/proc/$leader/environ" || continue
    kill -KILL "-$leader" && echo "$job"
done"""


def job_folder(host: Host, name: str) -> str:
    """Return the path of the job folder `name` on `host`."""
    return f"{host.work_dir}/jobs/{name}"


def remove_job_folder(connection: Connection, name: str) -> None:
    """Remove the job folder `name` from the host, if it is one."""
    connection.run(_remove(shlex.quote(job_folder(connection.host, name))))


def clear_jobs(connection: Connection) -> list[str]:
    """End jobs that an earlier control process left running, remove all job folders.

    Only processes that carry this project's mark in their environment are ended, and only folders
    that have its mark are removed.

    Returns
    -------
    The names of the jobs that were still running.
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
