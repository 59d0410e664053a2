"""What this machine must have before a lab can be built."""

from __future__ import annotations

import shutil
import subprocess
import sys

from remote.errors import LabError
from remote.programs import SEARCH_PATH
from remote.providers.common import account
from remote.providers.local_lab.links import congestion
from remote.providers.local_lab.rootless.holder import is_rootless, unshare_command
from remote.providers.local_lab.topology import Topology

# Program -> Debian package.
PROGRAMS = {
    "ip": "iproute2",
    "tc": "iproute2",
    "sshd": "openssh-server",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "taskset": "util-linux",
    "unshare": "util-linux",
    "setsid": "util-linux",
    "mount": "mount",
    "hostname": "hostname",
}

# What the lab is made of, made for a moment in namespaces that end with the trial.
_TRIAL = """
mount -t proc proc /proc
ip link add name mwlab-a type veth peer name mwlab-b
ip link add name mwlab-c type bridge
"""
_TRIAL_WITHOUT_ROOT = """
mount -t tmpfs mwlab /run
ip netns add mwlab-a
ip netns exec mwlab-a unshare --user --map-user=1 --map-group=1 true
"""
_NAMESPACES = ("--net", "--pid", "--mount", "--uts", "--ipc", "--fork")


def check_linux() -> None:
    """Raise a LabError unless this is Linux."""
    if not sys.platform.startswith("linux"):
        raise LabError("the local lab needs Linux", "Use an inventory of real hosts instead")


def check_all() -> None:
    """Raise one LabError that names everything that is missing and how to get it."""
    check_linux()
    missing = [name for name in PROGRAMS if shutil.which(name, path=SEARCH_PATH) is None]
    if missing:
        packages = sorted({PROGRAMS[name] for name in missing})
        raise LabError(
            f"the local lab needs programs that are not installed: {', '.join(missing)}",
            f"On Debian: apt-get install -y {' '.join(packages)}",
        )
    congestion.check_available()
    if is_rootless():
        account()
        if reason := refusal():
            raise LabError(
                "the local lab needs root, or a kernel that lets users make namespaces of their "
                f"own, and this one does not: {reason}",
                "Run the command as root (`sudo .venv/bin/lab ...`) or let users make them "
                "(`sysctl user.max_user_namespaces`, kernel.unprivileged_userns_clone or "
                "kernel.apparmor_restrict_unprivileged_userns, whichever there is), or use "
                "`--fleet loopback` or an inventory of real hosts",
            )


def check_quotas(topology: Topology) -> None:
    """Raise a LabError if a topology limits CPU time and this user may not."""
    limited = [host.name for host in topology.hosts if host.cpu_quota is not None]
    if limited and is_rootless():
        raise LabError(
            f"topology `{topology.name}` limits the CPU time of {', '.join(limited)}, which only "
            "root may",
            "Run this as root (`sudo .venv/bin/lab ...`), or take cpu_quota out of a copy of the "
            "topology file",
        )


def refusal() -> str:
    """Try what the lab is made of, and return why it cannot be made, or nothing."""
    script = _TRIAL + (_TRIAL_WITHOUT_ROOT if is_rootless() else "")
    trial = subprocess.run(
        [*unshare_command(*_NAMESPACES), "sh", "-ec", script],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": SEARCH_PATH},
    )
    return trial.stderr.strip() or "it does not say why" if trial.returncode else ""
