"""Builds by Maven, begun for real: they take what the list of checksums names and nothing else."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from records.paths import PROJECT

KOTLIN = PROJECT / "middleware-kotlin"
CHECKSUMS = Path(".mvn/checksums/checksums.sha256")
ENFORCER = re.compile(r".*/maven-enforcer-plugin/.*\.jar\n")


def lines() -> list[str]:
    return (KOTLIN / CHECKSUMS).read_text("utf-8").splitlines(keepends=True)


@pytest.fixture
def project(tmp_path):
    """A copy of the project, of which a build is only begun, with no network and the same Maven."""
    folder = tmp_path / "middleware-kotlin"
    shutil.copytree(KOTLIN / ".mvn", folder / ".mvn")
    shutil.copy(KOTLIN / "mvnw", folder)
    shutil.copy(KOTLIN / "pom.xml", folder)
    (tmp_path / "build").symlink_to(KOTLIN.parent / "build")

    def build() -> subprocess.CompletedProcess:
        command = [folder / "mvnw", "--batch-mode", "--offline", "validate"]
        command.append(f"--file={folder / 'pom.xml'}")
        return subprocess.run(command, capture_output=True, text=True, check=False)

    build.checksums = folder / CHECKSUMS
    return build


def test_a_build_takes_what_is_as_listed(project):
    done = project()
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda line: f"{'0' * 64}{line[64:]}", "trusted checksum mismatch"),
        (lambda _: "", "Missing from summaryFile trusted checksum"),
    ],
    ids=["another", "none"],
)
def test_a_build_fails_if_a_file_has_another_checksum_or_none(project, change, told):
    changed = [change(line) if ENFORCER.fullmatch(line) else line for line in lines()]
    assert changed != lines()
    project.checksums.write_text("".join(changed), encoding="utf-8")
    done = project()
    assert done.returncode != 0
    assert "maven-enforcer-plugin" in done.stdout
    assert told in done.stdout
