"""Jobs on this machine, by its shell: what they do not do in time, and what they leave behind."""

import subprocess
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from remote.errors import CommandFailed, CommandTimeout, ConnectionLost
from remote.hosts.connection import Result
from remote.hosts.jobs import job as waiting
from remote.hosts.jobs.job import Job
from remote.hosts.jobs.script import JOB_MARK, Task
from remote.hosts.ssh.link import bounded
from remote.hosts.ssh.patience import Patience
from remote.waiting import until
from tests.helpers.clock import FakeClock


class LocalConnection:
    """Runs the commands for a host on this machine, as they are run there."""

    host = SimpleNamespace(name="m1", data_address="127.0.0.1")
    patiently = Patience(limit_s=60, sleep=lambda _: None)

    def run(self, command, *, timeout_s=30.0, check=False, shown=""):
        script = ["sh", "-c", bounded(command, timeout_s)]
        done = subprocess.run(script, capture_output=True, text=True, check=check)
        return Result(
            host="m1",
            command=command,
            exit_status=done.returncode,
            stdout=done.stdout,
            stderr=done.stderr,
        )


@pytest.fixture
def start(tmp_path):
    """Start a command as a job, which ends with the test."""
    jobs = []

    def launch(command):
        jobs.append(Job(LocalConnection(), str(tmp_path), Task("job 1", command)))
        jobs[-1].launch(limit_s=60)
        return jobs[-1]

    yield launch
    for job in jobs:
        job.kill()


def marked(job):
    """The processes that carry the mark of a job."""
    mark = f"{JOB_MARK}={job.folder}/{job.task.name}".encode()
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            found += [path.parent.name] * (mark in path.read_bytes().split(b"\0"))
        except OSError:
            continue
    return found


def test_a_program_that_goes_into_the_background_is_refused_and_ended(start):
    job = start("setsid -f sleep 60")
    with pytest.raises(CommandFailed, match="must be told to stay in the foreground"):
        job.wait_for_line("listening", timeout_s=60)
    assert len(marked(job)) == 1
    job.kill()
    assert until(lambda: marked(job) == [], 60)


def test_a_program_that_is_ready_and_has_ended_is_refused(start):
    job = start("sh -c 'echo listening; setsid -f sleep 60'")
    assert until(job.has_ended, 60)
    with pytest.raises(CommandFailed, match="ended with status 0: no message on stderr"):
        job.wait_for_line("listening", timeout_s=60)


def test_a_program_that_has_ended_is_told_at_once_whenever_it_is_asked(start):
    job = start("sh -c 'echo why it failed >&2; exit 9'")
    assert until(job.has_ended, 60)
    for _ in range(20):  # a race of milliseconds, lost one time in five, would cost ten minutes
        asked_at_s = time.monotonic()
        with pytest.raises(CommandFailed, match="ended with status 9: why it failed"):
            job.wait_for_line("ready", timeout_s=600)
        assert time.monotonic() - asked_at_s < 60


def test_the_output_of_a_program_is_followed_until_it_is_ready(start, tmp_path):
    may_be_ready = tmp_path / "may be ready"
    wait = f'until [ -e "{may_be_ready}" ]; do sleep 0.05; done'
    job = start(f"sh -c '{wait}; echo listening; exec sleep 60'")

    def is_followed():
        return subprocess.run(["pgrep", "-f", f"tail .*{job.folder}"], check=False).returncode == 0

    waiting = threading.Thread(
        target=job.wait_for_line, args=["listening"], kwargs={"timeout_s": 60}
    )
    waiting.start()
    assert until(is_followed, 60)
    may_be_ready.touch()
    waiting.join()
    assert until(lambda: not is_followed(), 60)


@pytest.mark.parametrize(
    ("wait", "message"),
    [
        (
            lambda job: job.wait_for_line("listening", timeout_s=0.2),
            "did not print a line that begins with `listening` on its standard output within",
        ),
        (lambda job: job.wait_for_port(1, timeout_s=0.2), "did not listen on port 1 within"),
    ],
)
def test_what_a_program_did_not_do_in_time_is_told(start, wait, message):
    job = start("sh -c 'echo is listening; exec sleep 60'")
    with pytest.raises(CommandTimeout, match=message):
        wait(job)
    assert not job.has_ended()


@pytest.fixture
def clock(monkeypatch):
    """The clock by which jobs are waited for: it moves in silences only."""
    fake = FakeClock()
    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=fake, time=time.time))
    return fake


class SilentConnection(LocalConnection):
    """Is silent a while at each of the first times that it is asked."""

    def __init__(self, clock, *silences_s):
        self.clock = clock
        self.silences_s = list(silences_s)

    def run(self, command, **options):
        if self.silences_s:
            self.clock.sleep(self.silences_s.pop(0))
            raise ConnectionLost("m1", "it broke off", "Check the link.")
        return super().run(command, **options)


def test_waiting_for_a_job_goes_on_after_a_silence(start, clock):
    job = start("sh -c 'sleep 0.5; exit 7'")
    job.connection = SilentConnection(clock, 20, 20)
    assert job.wait(timeout_s=60).exit_status == 7


def test_job_that_runs_on_after_a_silence_is_late(start, clock):
    job = start("sleep 600")
    job.connection = SilentConnection(clock, 60)
    with pytest.raises(CommandTimeout, match=r"did not end within 50 s"):
        job.wait(timeout_s=50)


def test_job_that_is_told_to_end_has_its_time_after_a_silence(start, clock):
    trap = "trap 'sleep 0.3; exit 3' TERM; echo ready; while :; do sleep 0.05; done"
    job = start(f'sh -c "{trap}"')
    job.wait_for_line("ready", timeout_s=60)
    job.connection = SilentConnection(clock, 100)
    assert job.stop(grace_s=60).exit_status == 3


def test_what_a_program_leaves_behind_ends_when_it_is_stopped(start):
    job = start("sh -c 'sleep 60 & echo listening; exec sleep 60'")
    job.wait_for_line("listening", timeout_s=60)
    job.stop()
    assert until(lambda: marked(job) == [], 60)
