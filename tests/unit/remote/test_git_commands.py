"""Root may work in another user's clone of the project, and git trusts nothing else for it."""

import os
import subprocess

import pytest

from remote import git_commands
from remote.experiment.manifest import git_state
from remote.git_commands import git_command

SOMEBODY = 54321


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A repository of another user, in a path with a blank."""
    if os.geteuid() != 0:
        pytest.skip("only root can make a file another user's")
    monkeypatch.delenv("SUDO_UID", raising=False)
    folder = tmp_path / "middleware lab"
    folder.mkdir()
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], [*who, "commit", "--allow-empty", "-qm", "Begin"]):
        subprocess.run(["git", "-C", folder, *command], check=True)
    for path in [folder, *folder.rglob("*")]:
        os.chown(path, SOMEBODY, SOMEBODY)
    return folder


def test_clone_of_this_project_is_trusted(clone, monkeypatch):
    monkeypatch.setattr(git_commands, "PROJECT", clone)
    state = git_state(clone)
    assert len(state.commit) == 40
    assert state.dirty is False


def test_other_repositories_are_not(clone):
    done = subprocess.run(
        git_command(clone, "rev-parse", "HEAD"), capture_output=True, text=True, check=False
    )
    assert "dubious ownership" in done.stderr
