"""What is left of jobs is ended and removed, by this machine's shell: no SSH is needed for that."""

import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from remote.hosts.jobs.running import clear_jobs, remove_job_folder
from remote.hosts.jobs.script import Task, claim, start_script
from remote.waiting import until


class LocalConnection:
    """Runs the commands for a host on this machine."""

    def __init__(self, work_dir: Path) -> None:
        self.host = SimpleNamespace(work_dir=str(work_dir))

    def run(self, command: str):
        return subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ["work", "it's my [own] work"])
def test_what_still_runs_is_ended_and_named(tmp_path, name):
    connection = LocalConnection(tmp_path / name)
    folder = f"{connection.host.work_dir}/jobs/old run"
    for job, command in (("sleeper", "sleep 600"), ("done", "true")):
        connection.run(start_script(folder, Task(job, command), 60)).check_returncode()
    deadline = time.monotonic() + 60
    while not Path(folder, "done.exit").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    leader = Path(folder, "sleeper.sid").read_text().strip()
    assert clear_jobs(connection) == [f"{folder}/sleeper"]
    left = f"ps -o stat= -g {leader} | grep -v ^Z"
    assert until(lambda: connection.run(left).stdout == "", 60)  # killed, it still has to go
    assert not Path(folder).exists()
    assert clear_jobs(connection) == []


def test_process_that_only_has_the_number_of_an_old_job_is_left_alone(tmp_path):
    connection = LocalConnection(tmp_path)
    (tmp_path / "jobs").mkdir()
    with subprocess.Popen(["sleep", "60"], start_new_session=True) as other:
        (tmp_path / "jobs/old.sid").write_text(f"{other.pid}\n")
        assert clear_jobs(connection) == []
        assert other.poll() is None
        other.kill()


def test_no_folder_of_others_is_removed(tmp_path):
    connection = LocalConnection(tmp_path)
    thesis = tmp_path / "jobs/application/thesis.tex"
    thesis.parent.mkdir(parents=True)
    thesis.write_text("years of work")
    connection.run(claim(f"{tmp_path}/jobs/run")).check_returncode()
    assert clear_jobs(connection) == []
    remove_job_folder(connection, "application")
    assert thesis.read_text() == "years of work"
    assert not (tmp_path / "jobs/run").exists()


def test_nothing_is_started_among_the_files_of_others(tmp_path):
    connection = LocalConnection(tmp_path)
    folder = tmp_path / "jobs/it's here"
    folder.mkdir(parents=True)
    connection.run(claim(str(folder))).check_returncode()  # it was empty
    connection.run(claim(str(folder))).check_returncode()
    (folder / ".middleware-lab").rename(folder / "own")
    refused = connection.run(start_script(str(folder), Task("job", "true"), 60))
    assert refused.returncode == 1
    assert "holds files that are not middleware-lab's: move them" in refused.stderr
    assert [path.name for path in folder.iterdir()] == ["own"]
