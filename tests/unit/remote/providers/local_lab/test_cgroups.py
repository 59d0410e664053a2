"""Which control groups count and limit CPU time, in both versions and in mixtures of them."""

import subprocess
from pathlib import Path

import pytest

from remote.errors import LabError
from remote.providers.local_lab.cgroups import Groups, Hierarchy, enter_command, parse_mounts

SEPARATE = """\
tmpfs /sys/fs/cgroup tmpfs rw,relatime,mode=755 0 0
cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0
cgroup /sys/fs/cgroup/cpuacct cgroup rw,relatime,cpuacct 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
"""
JOINT = "cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,nosuid,cpu,cpuacct 0 0\n"
SECOND = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nsdelegate 0 0\n"


@pytest.mark.parametrize(
    ("mounts", "account", "quota", "version", "options"),
    [
        (SEPARATE, "/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu", 1, "cpuacct"),
        (JOINT, "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct", 1, "cpu,cpuacct"),
        (SECOND, "/sys/fs/cgroup", "/sys/fs/cgroup", 2, "rw"),
    ],
)
def test_hierarchy_is_found(mounts, account, quota, version, options):
    assert parse_mounts(mounts) == Hierarchy(
        account=Path(account), quota=Path(quota), version=version, options=options
    )


def test_machine_without_control_groups_counts_nothing():
    groups = Groups(parse_mounts("proc /proc proc rw 0 0\n"))
    assert groups.make("c1") == []
    assert groups.mount_words("c1") == []
    assert groups.cpu_seconds("c1") is None
    groups.remove()
    with pytest.raises(LabError, match=r"cannot limit the CPU time of c1 .* cpu_quota"):
        groups.limit("c1", 1)


@pytest.mark.parametrize(("version", "file"), [(1, "cpuacct.usage"), (2, "cpu.stat")])
def test_group_of_a_host_is_made_counted_and_removed(tmp_path, version, file):
    kind = "cgroup" if version == 1 else "cgroup2"
    groups = Groups(Hierarchy(account=tmp_path, quota=None, version=version, options="cpuacct"))
    (procs,) = groups.make("c1")
    assert (procs.parent.name, procs.name) == ("c1", "cgroup.procs")
    assert groups.cpu_seconds("c1") is None
    account = groups.account_file("c1")
    account.write_text("1500000000" if version == 1 else "usage_usec 1500000")
    assert groups.cpu_seconds("c1") == 1.5
    relative = str(procs.parent.relative_to(tmp_path) / file)
    assert groups.mount_words("c1") == [kind, "cpuacct", relative]
    account.unlink()  # in a real hierarchy the files go with the folder
    groups.remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("version", "num_cpus", "written"),
    [
        (1, 0.5, {"cpu.cfs_period_us": "10000", "cpu.cfs_quota_us": "5000"}),
        (1, 0.05, {"cpu.cfs_period_us": "20000", "cpu.cfs_quota_us": "1000"}),
        (1, 0.0001, {"cpu.cfs_period_us": "1000000", "cpu.cfs_quota_us": "1000"}),
        (2, 1.25, {"cpu.max": "12500 10000"}),
    ],
)
def test_quota_is_written_as_the_kernel_wants_it(tmp_path, version, num_cpus, written):
    groups = Groups(Hierarchy(account=tmp_path, quota=tmp_path, version=version))
    (procs,) = groups.limit("c1", num_cpus)
    assert {path.name: path.read_text() for path in procs.parent.iterdir()} == written


def test_entering_writes_to_every_group_and_becomes_the_command(tmp_path):
    groups = [tmp_path / "one", tmp_path / "two"]
    command = enter_command(groups, ["echo", "a b", "$HOME"])
    assert subprocess.check_output(command, text=True) == "a b $HOME\n"
    assert [path.read_text() for path in groups] == ["0\n", "0\n"]


def test_nothing_runs_if_a_group_cannot_be_entered(tmp_path):
    command = enter_command([tmp_path / "none" / "cgroup.procs"], ["echo", "ran"])
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode != 0, result.stdout) == (True, "")
