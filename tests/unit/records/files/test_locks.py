import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from records.files.locks import is_locked, locked

HOLD = """
import sys, time
from pathlib import Path
from records.files.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(params=["file", "folder"])
def path(request, tmp_path):
    path = tmp_path / "held"
    path.touch() if request.param == "file" else path.mkdir()
    return path


@pytest.fixture
def holder(path):
    """Another process that holds the path."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_other_processes_are_kept_out_until_the_holder_is_killed(path, holder):
    assert is_locked(path)
    with pytest.raises(TimeoutError, match="another process holds"), locked(path, timeout_s=0.1):
        pass
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    assert not is_locked(path)
    with locked(path, timeout_s=60):
        pass


def test_the_holder_may_open_the_file_and_look(path):
    with locked(path):
        if path.is_file():
            path.write_text("mine")
        assert is_locked(path)
        assert is_locked(path)
    assert not is_locked(path)


def test_files_have_the_locks_that_a_server_of_nfs_is_asked_for(tmp_path):
    path = tmp_path / "held"
    path.touch()
    with locked(path):
        kinds = own_locks(path)
    assert kinds == ["OFDLCK"]


def own_locks(path):
    """Kinds of the locks that open files of this process have on a file."""
    kinds = []
    for file in Path("/proc/self/fdinfo").iterdir():
        with contextlib.suppress(FileNotFoundError):  # as the one by which they are listed
            lines = file.read_text().splitlines()
            locks = [line.split() for line in lines if line.startswith("lock:")]
            kinds += [kind for _, _, kind, *rest in locks if f":{path.stat().st_ino}" in rest[3]]
    return kinds
