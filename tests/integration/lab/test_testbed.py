"""The local lab for real: its hosts, their links and what they keep apart."""

import json
import shlex
import subprocess
from pathlib import Path

import pytest

from remote.errors import LabError
from remote.hosts.jobs import RunningJobs, Task, clear_jobs
from remote.providers.local_lab import LocalLab, Topology, shell_command
from remote.providers.local_lab.files import WORK_DIR, LabFiles
from remote.providers.local_lab.project_paths import PROJECT
from tests.helpers.network import goodput_mbit_per_s


@pytest.fixture
def lab(fleet):
    """The lab whose hosts `fleet` is connected to."""
    return LocalLab()


def printed(fleet, host, command):
    return fleet[host].run(command).stdout


def test_every_host_is_up_and_says_its_name(fleet, lab):
    states = lab.status()
    assert [state.name for state in states] == ["c1", "c2", "c3", "m1", "m2", "s1", "s2", "s3"]
    for state in states:
        assert state.is_up
        assert printed(fleet, state.name, "hostname") == f"{state.name}\n"


def test_hosts_use_cubic(fleet, lab):
    for state in lab.status():
        control = printed(fleet, state.name, "cat /proc/sys/net/ipv4/tcp_congestion_control")
        assert control == "cubic\n"


@pytest.mark.selected
def test_hosts_have_the_limits_of_the_topology(fleet, lab):
    for host in lab.topology.hosts:
        (qdisc,) = json.loads(printed(fleet, host.name, "tc -json qdisc show dev eth0"))
        assert qdisc["kind"] == "tbf"
        assert qdisc["options"]["rate"] == host.egress.rate_mbit_per_s * 1e6 / 8


@pytest.mark.selected
def test_hosts_share_neither_files_nor_processes(fleet):
    for directory in (WORK_DIR, "/tmp", "/var/log"):
        printed(fleet, "c1", f"echo mine > {directory}/only-c1")
        assert "only-c1" not in printed(fleet, "c2", f"ls {directory}")
        assert not Path(directory, "only-c1").exists()
    printed(fleet, "c1", "setsid sleep 4711 >/dev/null 2>&1 &")
    assert "sleep 4711" in printed(fleet, "c1", "ps -eo args")
    assert "sleep 4711" not in printed(fleet, "c2", "ps -eo args")


@pytest.mark.selected
def test_programs_of_runs_are_nobody_and_cannot_write_what_is_the_controllers(fleet):
    host = fleet["m1"].host
    if host.user != "root":
        pytest.skip("the lab of an ordinary user has no other to become")
    places = [WORK_DIR, "/etc", "/usr/bin", "/root", "/var/log", "/run", PROJECT]
    test = "id -un; for place; do [ -w $place ] && echo $place; done; exit 0"
    command = shlex.join(["sh", "-c", test, "sh", *map(str, places)])
    with RunningJobs(fleet, "whose") as jobs:
        job = jobs.start(host, Task("whose", command, user=host.program_user), limit_s=60)
        job.wait(timeout_s=60)
    assert fleet["m1"].run(f"cat {WORK_DIR}/jobs/whose/whose.out").stdout == "nobody\n"
    clear_jobs(fleet["m1"])


def test_links_carry_what_the_studies_links_carried(fleet, lab):
    lab.dilate(8)  # a busy machine may be slower than the fastest link
    try:
        goodputs = {sender: goodput_mbit_per_s(fleet, sender) for sender in ("s1", "c1", "m2")}
    finally:
        lab.dilate(1)
    studies = {"s1": 100, "c1": 200, "m2": 800}  # what iperf measured on Azure
    for sender, limit in studies.items():
        assert goodputs[sender] == pytest.approx(limit / 8, rel=0.03)


def test_another_key_is_refused(lab, tmp_path):
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    command = [part.replace(str(LabFiles().identity), str(key)) for part in shell_command("c1")]
    refused = subprocess.run([*command, "true"], capture_output=True, text=True, check=False)
    assert refused.returncode == 255
    assert "Permission denied (publickey)" in refused.stderr


def test_shell_command_runs_on_the_host(lab):
    assert subprocess.check_output(shell_command("s2", "hostname"), text=True) == "s2\n"
    with pytest.raises(LabError, match="no host `s9`"):
        shell_command("s9")


def test_up_twice_changes_nothing(lab):
    def lasting():
        processes = [(state.name, state.pid, state.is_up) for state in lab.status()]
        return processes, lab.switch().line_pid

    before = lasting()
    lab.up()
    assert lasting() == before


def test_another_topology_is_refused(lab):
    with pytest.raises(LabError, match=r"`azure` is up.*`unshaped`.*lab down"):
        LocalLab(Topology.named("unshaped")).up()
    assert all(state.is_up for state in lab.status())
