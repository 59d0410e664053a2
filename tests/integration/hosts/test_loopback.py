"""The rootless fleet, as a user who may nothing; needs root only to become that user."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import remote
from remote.providers.fleets import why_not_local

pytestmark = pytest.mark.integration

ROOT = Path(remote.__file__).parents[1]
UID = 54321
# In mounts of its own: an account with a shell, and a way to a Python that lies in root's home.
BECOME = """
set -e
{ cat /etc/passwd; echo "mwlab-tester:x:$UID:$UID::$HOME:/bin/sh"; } > "$HOME/passwd"
mount -n --bind "$HOME/passwd" /etc/passwd
case $BASE in
    /root/*)
        mkdir -p "$HOME/base"
        mount -n --bind "$BASE" "$HOME/base"
        mount -n -t tmpfs -o mode=755 mwlab /root
        mkdir -p "$BASE"
        mount -n --bind "$HOME/base" "$BASE" ;;
esac
exec setpriv --reuid "$UID" --regid "$UID" --clear-groups --inh-caps=-all "$@"
"""
MEASURE = """
from dataclasses import replace
from pathlib import Path
from remote.campaign import Campaign
from remote.experiment.lengths import Durations
from remote.experiment.section_file import read_section

one = replace(  # one run says that all can be
    read_section("2.1", "smoke"),
    factors={"workload": ("set",), "clients_per_thread": (1,)},
    durations=Durations(repetitions=1, stable_s=3, warm_up_s=1, cool_down_s=1),
    precision=None,
)
campaign = Campaign.open("t", profile="smoke", fleet="loopback", data_dir=Path.home() / "data")
replace(campaign, plans={"2.1": one}).measure("2.1", progress=False)
"""


@pytest.fixture
def home():
    """A short-lived home of the user, not below pytest's folder, which only root may enter."""
    with tempfile.TemporaryDirectory(prefix="mwlab-home-", dir="/tmp") as folder:
        os.chown(folder, UID, UID)
        yield Path(folder)


@pytest.fixture
def as_user(home):
    """Run Python as the user and return what it did."""

    def run(*arguments):
        environment = {
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": str(home),
            "UID": str(UID),
            "BASE": sys.base_prefix,
            "PYTHONPATH": str(ROOT),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", BECOME, "sh", sys.executable, *arguments],
            capture_output=True,
            text=True,
            env=environment,
            cwd=home,
            timeout=200,
        )

    return run


LAB = ("-c", "from remote.commands.cli import main; main()")


def processes_of_the_user():
    """The command lines of what the user has running; a zombie's is empty."""
    pids = [p for p in Path("/proc").iterdir() if p.name.isdecimal() and p.stat().st_uid == UID]
    return [text for p in pids if (text := (p / "cmdline").read_text().replace("\0", " "))]


def test_machine_with_namespaces_takes_the_local_lab():
    assert why_not_local() == ""


def test_user_without_rights_gets_the_loopback_fleet_with_a_note(as_user):
    result = as_user(*LAB, "fleet")
    assert result.stdout == "loopback\n"
    assert "needs root" in result.stderr
    assert "not comparable with the studies" in result.stderr


def test_fleet_comes_up_is_complete_and_leaves_nothing(as_user, home):
    assert as_user(*LAB, "up", "--fleet", "loopback").returncode == 0
    try:
        assert as_user(*LAB, "up", "--fleet", "loopback").stdout.startswith(
            "The loopback fleet is up a"
        )
        assert as_user(*LAB, "status", "--fleet", "loopback").stdout.count(" up\n") == 8
        assert "8 hosts are up and have all" in as_user(*LAB, "hosts", "loopback").stdout
        assert processes_of_the_user()
    finally:
        as_user(*LAB, "down", "--fleet", "loopback")
    assert processes_of_the_user() == []
    assert not (home / ".cache/middleware-lab/loopback").exists()
    assert as_user(*LAB, "status", "--fleet", "loopback").returncode == 1


def test_run_is_measured_and_marked(as_user, home):
    assert as_user(*LAB, "up", "--fleet", "loopback").returncode == 0
    try:
        result = as_user("-c", MEASURE)
    finally:
        as_user(*LAB, "down", "--fleet", "loopback")
    manifests = list((home / "data" / "t" / "2.1").glob("workload=*/rep-1/manifest.json"))
    assert manifests, result.stdout + result.stderr
    manifest = json.loads(manifests[0].read_text())
    assert manifest["status"] == "accepted"
    assert manifest["fleet"] == "loopback"
    assert manifest["topology"]["name"] == "loopback-unshaped"
    assert processes_of_the_user() == []
