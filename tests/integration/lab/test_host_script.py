"""What a host sees of this machine: of /tmp, /var/log and its home only what it is given."""

import subprocess
import tempfile
from pathlib import Path

import pytest

from remote.providers.local_lab import sshd
from remote.providers.local_lab.links import congestion
from remote.providers.local_lab.project_paths import paths_to

SCRIPT = Path(sshd.__file__).with_name("host.sh")


@pytest.fixture(params=["/tmp", "/root", "/var/log"])
def place(request):
    """A folder that lies where hosts have one of their own, with a blank in its name."""
    with tempfile.TemporaryDirectory(prefix="mwlab test ", dir=request.param) as folder:
        yield Path(folder)


@pytest.fixture
def on_host(tmp_path):
    """Run a command in the place of a host's sshd, with what its host sees; its output."""
    files = tmp_path / "files"
    files.mkdir()
    for name in ("host_key", "authorized_keys", "sshd_config", "etc_hosts"):
        (files / name).touch()
    program = tmp_path / "sshd"

    def run(command: str, paths: list[Path]) -> str:
        program.write_text(f"#!/bin/sh\nset -eu\n{command}\n")
        program.chmod(0o755)
        kept = [*map(str, paths), str(program)]  # it lies below /tmp as well
        isolated = ["unshare", "--net", "--pid", "--mount", "--uts", "--ipc", "--fork"]
        arguments = ["c1", str(files), "4", str(program), "root", "", "", "", *kept]
        done = subprocess.run(
            [*isolated, "sh", str(SCRIPT), *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    congestion.allow(tmp_path / "allowed")
    yield run
    congestion.restore(tmp_path / "allowed")


def test_only_what_is_named_is_seen_and_it_cannot_be_written_to(on_host, place):
    (place / "project").mkdir()
    (place / "project" / "file").write_text("text")
    (place / "private").touch()
    look = f"cd '{place}'; ls; cat project/file; echo; touch project/new 2>&1 || ls project"
    shown = on_host(look, paths_to([place / "project"]))
    assert shown.startswith("project\ntext\n")
    assert "Read-only file system" in shown
    assert shown.endswith("\nfile\n")
    assert str(place) not in Path("/proc/self/mounts").read_text().replace("\\040", " ")


def test_links_on_the_way_are_there(on_host, place, tmp_path):
    (place / "versions" / "3").mkdir(parents=True)
    (place / "versions" / "3" / "python").touch()
    (place / "current").symlink_to("versions/3")
    (place / "python").symlink_to(place / "current" / "python")
    (tmp_path / "environment").symlink_to(place)
    paths = paths_to([tmp_path / "environment" / "current", place / "python"])
    shown = on_host(f"readlink -f '{tmp_path}/environment/python'", paths)
    assert shown == f"{place}/versions/3/python\n"


def test_home_that_is_asked_for_itself_stays_hidden(on_host):
    assert on_host("ls -A /root", [Path("/root")]) == ""
