"""What a manifest says of the project's own state."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from remote.errors import ConfigError
from remote.experiment.manifest import git_state, read_manifest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with one commit."""
    (tmp_path / "code.py").write_text("a = 1\n")
    (tmp_path / "data").mkdir()
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "Begin"]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    return tmp_path


def test_measured_data_is_no_change_of_the_project(project: Path) -> None:
    (project / "data" / "runs.csv").write_text("1\n")
    (project / "figures").mkdir()
    (project / "figures" / "one.svg").write_text("<svg/>")
    state = git_state(project)
    assert state["dirty"] is False
    assert len(str(state["commit"])) == 40


@pytest.mark.parametrize("name", ["code.py", "new.py", "remote/data/new.py"])
def test_changed_and_new_files_are(project: Path, name: str) -> None:
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).write_text("a = 2\n")
    assert git_state(project)["dirty"] is True


def test_outside_a_repository_nothing_is_known(tmp_path: Path) -> None:
    assert git_state(tmp_path) == {"commit": "unknown", "dirty": True}


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "9" * 5000, "{"])
def test_a_manifest_that_cannot_be_read_is_an_error_that_names_it(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(ConfigError, match=r"manifest\.json: no readable manifest"):
        read_manifest(tmp_path)
