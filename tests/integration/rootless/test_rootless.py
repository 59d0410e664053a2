"""The local lab of a user who is not root: all of it is the user's, and all of it ends."""

import contextlib
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from remote.providers.local_lab.links import delay_line
from tests.helpers.ordinary_user import NAME, ROOT, UID


def networks():
    """Each network namespace but ours to the users who have processes in it."""
    found = {}
    for folder in Path("/proc").iterdir():
        with contextlib.suppress(OSError):  # it has ended
            if folder.name.isdecimal():
                users = found.setdefault((folder / "ns/net").readlink(), set())
                users.add(folder.stat().st_uid)
    found.pop(Path("/proc/self/ns/net").readlink())
    return found


def traces():
    """Everything that a lab could leave on this machine."""
    return {
        "namespaces": subprocess.check_output(["ip", "netns", "list"], text=True),
        "devices": subprocess.check_output(["ip", "-brief", "link"], text=True),
        "mounts": [x for x in Path("/proc/mounts").read_text().splitlines() if "mwlab" in x],
        "congestion": Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control").read_text(),
    }


@pytest.fixture
def tester(user, no_lab):
    """The user, without a lab before and after; what it cannot write to is there."""
    delay_line.build_line()
    before = traces()
    yield user
    user.lab("down")
    assert user.processes() == []
    assert traces() == before
    assert not (user.home / ".cache/middleware-lab/local").exists()


@pytest.fixture
def up(tester):
    """The user, with a lab."""
    result = tester.lab("up")
    assert result.returncode == 0, result.stderr
    assert "Without root a lab neither counts" in result.stdout
    return tester


def test_lab_comes_up_is_complete_and_all_of_it_is_the_users(up):
    own = [users for users in networks().values() if UID in users]
    assert own == [{UID}] * len(own)
    assert len(own) > 8  # hosts and the holder
    assert up.lab("fleet").stdout == "local\n"
    assert up.lab("status").stdout.count(" up\n") == 8
    assert "8 hosts are up and have all that they need.\n" in up.lab("hosts", "local").stdout
    assert up.lab("up").stdout.startswith("The lab is up already.")
    assert up.lab("shell", "s2", "hostname; id -un").stdout == f"s2\n{NAME}\n"
    assert up.lab("shell", "s9").returncode == 1


def test_hosts_see_the_project_in_the_users_home_and_cannot_write_to_it(tester):
    tester.project = tester.home / "my project"
    for package in ("records", "remote", "analysis", "report", "lab"):
        shutil.copytree(ROOT / package, tester.project / package)
    for path in [tester.project, *tester.project.rglob("*")]:
        os.chown(path, UID, UID)
    result = tester.lab("up")
    assert result.returncode == 0, result.stderr
    look = f"ls -A '{tester.home}'; cd '{tester.project}'; ls records/paths.py; touch new"
    shown = tester.lab("shell", "c1", look)
    assert shown.stdout == "my project\nanalysis/paths.py\n"
    assert "Read-only file system" in shown.stderr


def test_links_have_delays_and_limits_that_can_be_changed(up):
    ping = ("shell", "c1", "ping -c 5 -i 0.2 -q s1 | tail -n 1 | cut -d / -f 5")
    assert 0.5 < float(up.lab(*ping).stdout) < 2
    assert up.lab("up", "--time-dilation", "8").returncode == 0
    assert 6.5 < float(up.lab(*ping).stdout) < 10
    limit = json.loads(up.lab("shell", "s1", "tc -json qdisc show dev eth0").stdout)[0]
    assert limit["kind"] == "tbf"
    assert limit["options"]["rate"] == 100e6 / 8 / 8


def test_packets_are_captured(up):
    capture = "tcpdump -i any -n -c 1 icmp 2>/tmp/said & sleep 1; ping -c 1 s1 >/dev/null; wait $!"
    result = up.lab("shell", "c1", capture)
    assert "ICMP echo request" in result.stdout, result.stdout + result.stderr


def test_run_through_a_middleware_is_measured(up):
    factors = {"workload": ("set",), "clients_per_thread": (4,), "workers": (8,)}
    result = up.measure("3.1", "local", **factors)
    manifests = list((up.home / "data" / "t" / "3.1").glob("workload=*/rep-1/manifest.json"))
    assert manifests, result.stdout + result.stderr
    manifest = json.loads(manifests[0].read_text())
    assert manifest["status"] == "accepted"
    assert (manifest["fleet"], manifest["topology"]["name"]) == ("local-lab", "azure")
    (told,) = (c for c in manifest["checks"] if c["name"] == "generator_not_cpu_bound")
    assert "c1" not in told["detail"]  # CPU time is counted of the machine only
    assert {path.stat().st_uid for path in (up.home / "data").rglob("*")} == {UID}


def test_lab_whose_holder_has_ended_has_ended_and_is_built_anew(up):
    holder = up.home / ".cache/middleware-lab/local/holder.init"
    os.kill(int(holder.read_text().split()[0]), 9)
    assert up.lab("status").returncode == 1
    assert "is not up" in up.lab("calibrate").stderr
    assert up.lab("up").returncode == 0
    assert up.lab("status").stdout.count(" up\n") == 8


def test_what_only_root_may_is_refused_with_the_command(tester):
    refused = tester.lab("up", "--topology", "queue")
    assert refused.returncode == 1
    assert "limits the CPU time of d1, d2, which only root may. Run this as root" in refused.stderr


def test_user_without_namespaces_is_told_how_to_have_a_lab(tester):
    refused = tester.lab("up", may_have_namespaces=False)
    assert refused.returncode == 1
    assert "needs root, or a kernel that lets users make namespaces" in refused.stderr
    assert "sudo .venv/bin/lab" in refused.stderr
