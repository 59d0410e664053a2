"""The scripts in middleware-kotlin/bin as they lie beside the jar on a host, with a fake java."""

import shutil
import subprocess

import pytest

from remote.hosts.provision import OWN_FILES
from remote.hosts.provision.prepare import LAUNCHERS

JAVA = """#!/bin/sh
for word in "$@"; do
    case $word in
    -XX:ArchiveClassesAtExit=*) echo classes > "${word#*=}"; echo "$@" >> "$TOLD"; exit ;;
    esac
done
echo "pid $$" "$@"
"""


@pytest.fixture
def folder(tmp_path):
    """A folder as `provision` fills it, and a runtime."""
    bin_dir = tmp_path / "bin"
    bin_dir.mkdir()
    for path, mode in OWN_FILES.items():
        copy = bin_dir / path.name
        copy.write_bytes(path.read_bytes() if path.suffix != ".jar" else b"jar")
        copy.chmod(mode)
    (tmp_path / "java" / "bin").mkdir(parents=True)
    java = tmp_path / "java" / "bin" / "java"
    java.write_text(JAVA)
    java.chmod(0o755)
    return bin_dir


def start(folder, program, *arguments, **environment):
    home = folder.parent
    environment = {"JAVA_HOME": f"{home}/java", "TOLD": f"{home}/told"} | environment
    process = subprocess.Popen(
        [folder / program, *arguments],
        env={"PATH": "/usr/bin:/bin"} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    output, errors = process.communicate(timeout=60)
    return process, output.split(), errors


def test_all_files_of_the_folder_go_to_hosts():
    assert {path.name for path in LAUNCHERS.iterdir()} <= {path.name for path in OWN_FILES}


@pytest.mark.parametrize(
    ("program", "main", "own"),
    [
        ("middleware", "mwlab.middleware.MainKt", "-Xmx1g"),
        ("memtier_benchmark", "mwlab.loadgen.MainKt", "-XX:TieredStopAtLevel=1"),
    ],
)
def test_program_becomes_java_with_its_options(folder, program, main, own):
    process, words, errors = start(folder, program, "-p", "a b", JAVA_OPTS="-Xmx2g -ea")
    assert errors == ""
    assert words[:2] == ["pid", str(process.pid)]  # signals reach it
    options, arguments = words[2 : words.index(main)], words[words.index(main) + 1 :]
    assert {"-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto", own} < set(options)
    assert options[-4:] == ["-Xmx2g", "-ea", "-cp", f"{folder}/middleware.jar"]
    assert arguments == ["-p", "a", "b"]


def test_archive_of_classes_is_made_once_for_each_program(folder):
    for program in ("middleware", "memtier_benchmark") * 2:
        _, words, _ = start(folder, program)
        assert f"-XX:SharedArchiveFile={folder}/middleware-{program}.jsa" in words
    told = (folder.parent / "told").read_text().splitlines()
    assert len(told) == 2
    assert all("-Dmwlab.rehearsal=true" in line for line in told)  # for they are to end
    assert len(list(folder.glob("*.jsa*"))) == 2  # nothing is left under another name


def test_archive_is_made_again_for_a_newer_jar(folder):
    start(folder, "middleware")
    archive, jar = folder / "middleware-middleware.jsa", folder / "middleware.jar"
    archive.write_text("old")
    shutil.copystat(jar, archive)
    start(folder, "middleware")
    assert archive.read_text() == "classes\n"


def test_middleware_starts_without_an_archive(folder):
    (folder.parent / "java" / "bin" / "java").write_text('#!/bin/sh\necho "$@"\n')
    process, words, errors = start(folder, "middleware")
    assert (process.returncode, errors) == (0, "")
    assert not any("SharedArchiveFile" in word for word in words)


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"MIDDLEWARE_JAR": "/nowhere.jar"}, "middleware: no jar at /nowhere.jar; build it, or"),
        ({"JAVA_HOME": "/nowhere"}, "middleware: no java found; install a Java 17 runtime"),
    ],
)
def test_what_is_missing_is_named(folder, environment, message):
    process, _, errors = start(folder, "middleware", **environment)
    assert process.returncode == 1
    assert errors.startswith(message)
