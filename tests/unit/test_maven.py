"""Maven takes nothing but what the list of checksums names."""

import re
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

KOTLIN = Path(__file__).resolve().parents[2] / "middleware-kotlin"
CHECKSUMS = Path(".mvn/checksums/checksums.sha256")
POMS = [KOTLIN / "pom.xml", KOTLIN / ".mvn/wrapper/pom.xml", KOTLIN / "prove/clients/java/pom.xml"]


def lines() -> list[str]:
    return (KOTLIN / CHECKSUMS).read_text("utf-8").splitlines(keepends=True)


def asked_for(pom: Path) -> set[str]:
    """Paths in Maven's repository of what a POM names with a version."""
    project = ElementTree.parse(pom).getroot()
    text = {e.tag.split("}")[1]: e.text or "" for e in project.findall("{*}properties/*")}
    paths = set()
    for element in [*project.findall(".//{*}plugin"), *project.findall(".//{*}dependency")]:
        group, artifact, version = (
            re.sub(r"\$\{(.+)\}", lambda name: text[name[1]], element.findtext(f"{{*}}{tag}", ""))
            for tag in ("groupId", "artifactId", "version")
        )
        if version:
            end = element.findtext("{*}type", "jar")
            folder = f"{group.replace('.', '/')}/{artifact}/{version}"
            paths |= {f"{folder}/{artifact}-{version}.{end}", f"{folder}/{artifact}-{version}.pom"}
    return paths


@pytest.mark.parametrize("pom", POMS, ids=lambda pom: str(pom.relative_to(KOTLIN)))
def test_all_that_is_asked_for_has_its_checksum(pom):
    listed = {line.split()[1] for line in lines()}
    wanted = asked_for(pom)
    assert wanted
    assert wanted - listed == set(), "make lock-maven"


def test_the_list_has_one_checksum_for_each_file_and_names_no_host():
    assert all(re.fullmatch(r"[0-9a-f]{64}  [\w./+-]+\n", line) for line in lines())
    paths = [line.split()[1] for line in lines()]
    assert len(set(paths)) == len(paths) > 200
    assert paths == sorted(paths)
    assert not [path for path in paths if path.startswith("mwlab/")], "ours change with any edit"


def test_every_plugin_has_a_version():
    """Else the newest is taken, which nobody has looked at."""
    for pom in POMS:
        for plugin in ElementTree.parse(pom).findall(".//{*}plugin"):
            assert plugin.findtext("{*}version"), plugin.findtext("{*}artifactId")


def wrapper(tmp_path: Path) -> Path:
    """Copy what runs Maven, and no more."""
    folder = tmp_path / "middleware-kotlin"
    shutil.copytree(KOTLIN / ".mvn", folder / ".mvn")
    shutil.copy(KOTLIN / "mvnw", folder)
    return folder


@pytest.fixture
def machine(tmp_path):
    """A project with a wrapper alone, on a machine whose Maven `fetches` what the test says."""
    folder = wrapper(tmp_path)
    programs = tmp_path / "bin"
    programs.mkdir()

    def run(script: str) -> subprocess.CompletedProcess:
        mvn = programs / "mvn"
        mvn.write_text(
            "#!/bin/sh\n"
            'for word; do case "$word" in -Dmaven.repo.local=*) cd "${word#*=}";; esac; done\n'
            f'echo "$@" >>{tmp_path}/asked\n{script}\n',
            encoding="utf-8",
        )
        mvn.chmod(0o755)
        path = {"PATH": f"{programs}:/usr/bin:/bin"}
        command = [folder / "mvnw", "--version"]
        return subprocess.run(command, env=path, capture_output=True, text=True, check=False)

    run.asked = lambda: (tmp_path / "asked").read_text("utf-8").splitlines()
    run.left = lambda: sorted((tmp_path / "build" / "maven").rglob("*"))
    return run


@pytest.mark.parametrize(
    "script", ["mkdir -p org/x; echo tampered > org/x/x-1.jar", "true"], ids=["tampered", "nothing"]
)
def test_what_fetches_maven_runs_only_if_it_is_as_listed(machine, script):
    done = machine(script)
    assert done.returncode == 1
    assert "make lock-maven" in done.stderr
    assert len(machine.asked()) == 1, "its second call would have run it"
    assert machine.left() == []


def test_a_fetch_that_fails_leaves_nothing(machine):
    done = machine("echo no network >&2; exit 4")
    assert (done.returncode, done.stderr) == (4, "no network\n")
    assert machine.left() == []
