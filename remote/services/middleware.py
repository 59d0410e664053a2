"""The middleware under test: where it listens, and how it is started and ended."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Mapping
from pathlib import Path

from records.middleware import Middleware
from remote.errors import ConfigError, MissingTool
from remote.hosts import upload
from remote.hosts.connection import Connection
from remote.hosts.host import Host
from remote.hosts.jobs import Job, RunningJobs, Task, claim, job_folder, require_free_ports
from remote.hosts.upload import Upload
from remote.services.middleware_file import Launch

PORT = 11212
ADMIN_PORT = 11213
"""Where ours tells its counters while it runs (HTTP: /stats, /metrics, /health)."""
JOB = "middleware"
READY_TIMEOUT_S = 120.0  # a JVM needs tens of seconds on a slow host, or where many start at once


def files_folder(host: Host, middleware: Middleware) -> str:
    """Return the folder on `host` where the files of a middleware stand."""
    return f"{host.work_dir}/middlewares/{middleware.name}"


def bring(connection: Connection, launch: Launch, folder: Path) -> None:
    """Copy the files of a middleware, which stand in `folder`, to a host that has them not."""
    host, middleware = connection.host, launch.middleware
    if middleware.files:
        _copy(connection, middleware, folder)
    program = shlex.split(launch.command)[0]
    there = f"PATH=$PATH:/usr/sbin:/sbin command -v {shlex.quote(program)} > /dev/null"
    if connection.run(there, check=False).exit_status:
        packages = " ".join(middleware.packages)
        remedy = (
            f"`apt-get install -y {packages}` there has it."
            if packages
            else (f"Name it in `files` of {middleware.name}.toml, or install it there.")
        )
        raise MissingTool(host.name, program, remedy)


def _copy(connection: Connection, middleware: Middleware, folder: Path) -> None:
    files = {}
    for name, digest in middleware.files.items():
        content = (folder / name).read_bytes()
        if hashlib.sha256(content).hexdigest() != digest:
            raise ConfigError(
                folder / name, "has changed while the section was measured: run it again"
            )
        files[name] = Upload(content=content, mode=0o755)
    upload.bring(connection, files_folder(connection.host, middleware), files)


def start_middlewares(
    launches: Mapping[Host, Launch], *, jobs: RunningJobs, limit_s: float
) -> list[Job]:
    """Start a middleware on each host; return when all accept clients."""

    def start(connection: Connection) -> Job:
        host = connection.host
        launch = launches[host]
        middleware = launch.middleware
        ports = (PORT, ADMIN_PORT) if middleware.has_admin_port else (PORT,)
        require_free_ports(connection, *ports)
        folder = job_folder(host, jobs.name)
        if launch.configuration:
            connection.run(claim(folder))
        for name, text in launch.configuration.items():
            connection.put_text(text, f"{folder}/{name}")
        task = Task(JOB, launch.command, user=host.program_user)
        job = jobs.start(host, task, limit_s=limit_s)
        if middleware.ready:
            job.wait_for_line(middleware.ready, timeout_s=READY_TIMEOUT_S)
        else:
            job.wait_for_port(PORT, timeout_s=READY_TIMEOUT_S)
        return job

    return list(jobs.fleet.for_each(launches, start).values())
