"""What is run in the namespaces of an ordinary user's lab, and how."""

import os
import shlex
import sys
from pathlib import Path

import pytest

from remote.errors import LabError
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.rootless import holder


@pytest.fixture
def files(tmp_path, monkeypatch):
    """An ordinary user's lab, which this process holds."""
    files = LabFiles(tmp_path)
    files.holder.write_text(Path("/proc/self/stat").read_text())
    monkeypatch.setattr(holder, "LabFiles", lambda: files)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    return files


def test_root_enters_nothing(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert holder.inside(["ip", "link"], stays=True) == ["ip", "link"]
    assert holder.connect_command() is None
    assert holder.unshare_command("--net")[1:] == ["--net"]


def test_user_enters_as_the_root_of_the_users_namespace(files):
    command = holder.inside(["ip", "link"])
    assert Path(command[0]).name == "nsenter"
    assert f"--target={os.getpid()}" in command
    assert "--preserve-credentials" in command
    assert command[-3] == "--"
    assert Path(command[-2]).name == "ip"  # a user's PATH may lack its folder
    assert command[-1] == "link"
    assert "--map-root-user" in holder.unshare_command("--net")


def test_only_what_stays_enters_the_namespace_that_ends_with_the_holder(files):
    assert "--pid" in holder.inside(["ip"], stays=True)
    assert "--pid" not in holder.inside(["ip"])  # it could not be ended from outside


def test_socket_is_had_by_a_command_of_ssh(files):
    words = shlex.split(holder.connect_command())
    assert words[-2:] == ["%h", "%p"]
    assert sys.executable in words
    assert Path(words[-3]).is_file()


def test_lab_without_holder_is_not_entered(files):
    files.holder.write_text(files.holder.read_text().replace(str(os.getpid()), "1", 1))
    with pytest.raises(LabError, match=r"not up.*`lab up`"):
        holder.inside(["ip"])
