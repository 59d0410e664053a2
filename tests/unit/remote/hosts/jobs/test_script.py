"""The start script of jobs, run for real by this machine's shell: no SSH is needed for that."""

import os
import shlex
import signal
import subprocess
import time
from pathlib import Path

import pytest

from remote.hosts.jobs.script import JOB_MARK, Task, start_script


def start(folder: Path, command: str, limit_s: float = 600, **options: str | bool) -> None:
    script = start_script(str(folder), Task("job 1", command, **options), limit_s)
    subprocess.run(["sh", "-c", script], check=True, timeout=60)


def wait_for(path: Path, *, timeout_s: float = 60) -> str:
    deadline = time.monotonic() + timeout_s
    while not (path.exists() and path.read_text().strip()):
        assert time.monotonic() < deadline, f"{path} did not appear"
        time.sleep(0.02)
    return path.read_text().strip()


def test_job_holds_its_lock_until_its_exit_status_is_there(tmp_path):
    command = "sh -c 'sleep 600 & read -r go; exit 7'"  # what it leaves behind holds none
    start(tmp_path, command, reads_input=True)
    lock = ["flock", "-s", "-E", "4", "-w"]
    held = subprocess.run([*lock, "0", tmp_path / "job 1.lock", "true"], check=False)
    assert held.returncode == 4
    (tmp_path / "job 1.in").write_text("go\n")
    subprocess.run([*lock, "60", tmp_path / "job 1.lock", "true"], check=True)
    assert (tmp_path / "job 1.exit").read_text().strip() == "7"
    os.killpg(int((tmp_path / "job 1.sid").read_text()), signal.SIGKILL)


def test_job_is_ended_at_its_time_limit(tmp_path):
    start(tmp_path, "sleep 60", limit_s=1)
    assert wait_for(tmp_path / "job 1.exit") == "124"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_job_receives_a_signal_once_and_its_own_status_is_kept(tmp_path, number):
    name = number.name.removeprefix("SIG")
    program = f"trap 'echo got >> got; exit 3' {name}; echo ready; while :; do sleep 0.05; done"
    folder = tmp_path / "run"
    (tmp_path / "program.sh").write_text(program)
    start(folder, "sh ../program.sh")
    wait_for(folder / "job 1.out")
    os.kill(int(wait_for(folder / "job 1.pid")), number)
    assert wait_for(folder / "job 1.exit") == "3"
    assert (folder / "got").read_text() == "got\n"


def test_job_group_holds_every_process_and_carries_the_mark(tmp_path):
    start(tmp_path, "sh -c 'sleep 60 & sleep 60'")
    group = int(wait_for(tmp_path / "job 1.sid"))
    environment = Path(f"/proc/{group}/environ").read_bytes().split(b"\0")
    assert f"{JOB_MARK}={tmp_path}/job 1".encode() in environment
    wait_for(tmp_path / "job 1.pid")
    os.killpg(group, signal.SIGKILL)
    deadline = time.monotonic() + 60
    while _living(group):
        assert time.monotonic() < deadline, "processes of the job live on"
        time.sleep(0.02)


def _living(group: int) -> list[str]:
    listing = subprocess.run(
        ["ps", "-o", "stat=", "-g", str(group)], capture_output=True, text=True, check=False
    )
    return [state for state in listing.stdout.split() if not state.startswith("Z")]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_job_of_another_user_writes_files_of_its_own_and_replaces_none_of_ours(tmp_path):
    program = (
        "id -un; id -G; grep NoNewPrivs /proc/self/status; echo mine > mine; "
        "for ours in pid sid exit.part lock out; do "
        '(echo 1 > "job 1.$ours") 2> /dev/null && echo "wrote $ours"; '
        '(mv -f mine "job 1.$ours" || rm -f "job 1.$ours") 2> /dev/null && echo "took $ours"; '
        "done; exit 7"
    )
    start(tmp_path / "run", f"sh -c {shlex.quote(program)}", user="nobody")
    assert wait_for(tmp_path / "run" / "job 1.exit") == "7"
    group = subprocess.run(["id", "-g", "nobody"], capture_output=True, text=True, check=True)
    printed = (tmp_path / "run" / "job 1.out").read_text().splitlines()
    assert printed == ["nobody", group.stdout.strip(), "NoNewPrivs:\t1"]
    assert (tmp_path / "run" / "mine").owner() == "nobody"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_job_of_a_user_who_is_not_there_says_so(tmp_path):
    start(tmp_path / "run", "true", user="nobody-of-that-name")
    assert wait_for(tmp_path / "run" / "job 1.exit") != "0"
    assert "nobody-of-that-name" in (tmp_path / "run" / "job 1.err").read_text()
