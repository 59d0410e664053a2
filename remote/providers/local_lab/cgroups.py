"""Control groups: CPU time counted for each host of the lab, and limited where asked for.

Pure in what it decides; `Groups` makes and removes directories below /sys/fs/cgroup.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from remote.errors import LabError
from remote.providers.local_lab.rootless.holder import is_rootless
from remote.waiting import until

PROCS = "cgroup.procs"
_MOUNTS = Path("/proc/mounts")
# Short, so that a quota is rather a slower processor than one that stops and goes; a small quota,
# of which the kernel takes no less than this, has a longer one.
_PERIOD_US, _LONGEST_PERIOD_US = 10_000, 1_000_000
_LEAST_QUOTA_US = 1000
_REMOVE_TIMEOUT_S = 3.0
_NS_PER_S = 1e9
_US_PER_S = 1e6


@dataclass(frozen=True, kw_only=True)
class Hierarchy:
    """Where this machine counts and limits CPU time.

    Parameters
    ----------
    account, quota : mount points of the hierarchies that count and limit it, None if there is none.
    version : 1 or 2, of `account`.
    options : by which `account` can be mounted again.
    """

    account: Path | None
    quota: Path | None
    version: int
    options: str = "rw"


def parse_mounts(text: str) -> Hierarchy:
    """Find the control groups' hierarchies in the text of /proc/mounts.

    Version 1 is used where it counts CPU time, and version 2, of which many machines have a part
    beside it, otherwise::

        cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0
        cgroup /sys/fs/cgroup/cpuacct cgroup rw,relatime,cpuacct 0 0
        cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
    """
    version_1: dict[str, tuple[Path, str]] = {}
    version_2: Path | None = None
    for line in text.splitlines():
        _, target, kind, options, *_ = line.split()
        if kind == "cgroup":
            controllers = [word for word in options.split(",") if word in ("cpu", "cpuacct")]
            version_1 |= dict.fromkeys(controllers, (Path(target), ",".join(controllers)))
        elif kind == "cgroup2":
            version_2 = Path(target)
    if "cpuacct" in version_1:
        (account, words), (quota, _) = version_1["cpuacct"], version_1.get("cpu", (None, ""))
        return Hierarchy(account=account, quota=quota, version=1, options=words)
    return Hierarchy(account=version_2, quota=version_2, version=2)


def parse_cpu_seconds(text: str) -> float:
    """Read CPU seconds, user and kernel time together, from a control group's file.

    Version 1 has nanoseconds in `cpuacct.usage`, ``5832047182``; version 2 has microseconds in
    `cpu.stat`::

        usage_usec 5832047
        user_usec 1902731
    """
    words = text.split()
    if len(words) == 1:
        return int(words[0]) / _NS_PER_S
    fields = dict(zip(words[::2], words[1::2], strict=False))
    if "usage_usec" not in fields:
        raise ValueError(f"neither cpuacct.usage nor cpu.stat of a control group: {text[:60]!r}")
    return int(fields["usage_usec"]) / _US_PER_S


def enter_command(groups: Sequence[Path], command: Sequence[str]) -> list[str]:
    """Give a command that enters control groups, by `cgroup.procs`, and becomes `command`."""
    script = 'for procs in $1; do echo 0 >"$procs"; done; shift; exec "$@"'
    return ["sh", "-ec", script, "sh", " ".join(str(path) for path in groups), *command]


class Groups:
    """The lab's control groups, one a host and one for the switch.

    They lie in a group whose name holds the number of this network namespace: there is one lab in
    it, and labs in others do not clash.
    """

    def __init__(self, hierarchy: Hierarchy | None = None) -> None:
        # What root has made of them is not an ordinary user's, whatever its name.
        mounts = "" if is_rootless() else _MOUNTS.read_text()
        self.hierarchy = hierarchy or parse_mounts(mounts)
        number = Path("/proc/self/ns/net").stat().st_ino
        account, quota = self.hierarchy.account, self.hierarchy.quota
        self._account = account and account / f"mwlab-{number}"
        self._quota = quota and quota / f"mwlab-{number}"

    def account_file(self, name: str) -> Path | None:
        """Path of the kernel's file with the CPU time of a host, None if it is not counted."""
        if self._account is None:
            return None
        file = "cpuacct.usage" if self.hierarchy.version == 1 else "cpu.stat"
        return self._account / name / file

    def mount_words(self, name: str) -> list[str]:
        """Type and options to mount the hierarchy that counts, and a host's count in it."""
        file = self.account_file(name)
        if file is None or self.hierarchy.account is None:
            return []
        kind = "cgroup" if self.hierarchy.version == 1 else "cgroup2"
        return [kind, self.hierarchy.options, str(file.relative_to(self.hierarchy.account))]

    def cpu_seconds(self, name: str) -> float | None:
        """CPU seconds that a host has used, None if they are not counted."""
        file = self.account_file(name)
        if file is None or not file.exists():
            return None
        return parse_cpu_seconds(file.read_text())

    def threads(self, name: str) -> list[int]:
        """List the threads of a host's processes, none if they are not counted."""
        if self._account is None:
            return []
        file = "tasks" if self.hierarchy.version == 1 else "cgroup.threads"
        try:
            return [int(word) for word in (self._account / name / file).read_text().split()]
        except OSError:
            return []

    def make(self, name: str) -> list[Path]:
        """Make the group that counts a host's CPU time; return the files to enter it by.

        Nothing is done where groups cannot be written to.
        """
        if self._account is None:
            return []
        try:
            (self._account / name).mkdir(parents=True, exist_ok=True)
        except OSError:
            return []
        return [self._account / name / PROCS]

    def limit(self, name: str, num_cpus: float) -> list[Path]:
        """Let all processes of a host together use `num_cpus` CPUs; return the files to enter by.

        Only in version 1 is it another group than that of `make`: its groups also share the CPUs
        evenly among hosts, so hosts without a quota have none.
        """
        quota_us, period_us = _quota(num_cpus)
        try:
            if self._quota is None or self.hierarchy.quota is None:
                raise FileNotFoundError("no control group hierarchy limits CPU time")
            group = self._quota / name
            group.mkdir(parents=True, exist_ok=True)
            if self.hierarchy.version == 1:
                (group / "cpu.cfs_period_us").write_text(str(period_us))
                (group / "cpu.cfs_quota_us").write_text(str(quota_us))
            else:
                for above in (self.hierarchy.quota, self._quota):
                    (above / "cgroup.subtree_control").write_text("+cpu")
                (group / "cpu.max").write_text(f"{quota_us} {period_us}")
        except OSError as exc:
            raise LabError(
                f"cannot limit the CPU time of {name} to {num_cpus:g} CPUs: {exc}",
                "Take cpu_quota out of the topology file, or let control groups be changed here "
                "(in a container: --cgroupns=private --privileged)",
            ) from exc
        return [group / PROCS]

    def remove(self) -> None:
        """Remove all groups of the lab, whose processes must have ended; harmless if repeated."""
        for parent in {self._account, self._quota} - {None}:
            if parent is not None and parent.exists():
                for group in [*(path for path in parent.iterdir() if path.is_dir()), parent]:
                    _remove(group)


def _remove(group: Path) -> None:
    """Remove a group; one that a process has just left may still be busy for a moment."""
    reasons: list[str] = []

    def is_gone() -> bool:
        try:
            group.rmdir()
        except FileNotFoundError:
            return True
        except OSError as exc:
            reasons.append(str(exc.strerror))
            return False
        return True

    if not until(is_gone, _REMOVE_TIMEOUT_S):
        raise LabError(
            f"cannot remove the control group {group}: {reasons[-1]}",
            f"Processes are left in it: `cat {group / PROCS}`; `lab down` tries again",
        )


def _quota(num_cpus: float) -> tuple[int, int]:
    """Return quota and period, in us, that let a group use `num_cpus` CPUs: pure."""
    longest = min(_LONGEST_PERIOD_US, round(_LEAST_QUOTA_US / num_cpus))
    period_us = max(_PERIOD_US, longest)
    return max(_LEAST_QUOTA_US, round(num_cpus * period_us)), period_us
