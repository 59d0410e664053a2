"""What this machine must have before a lab can be built."""

from __future__ import annotations

import os
import shutil
import sys

from remote.errors import LabError
from remote.programs import SEARCH_PATH
from remote.providers.local_lab.links import congestion

# Program -> Debian package.
PROGRAMS = {
    "ip": "iproute2",
    "tc": "iproute2",
    "sshd": "openssh-server",
    "ssh": "openssh-client",
    "ssh-keygen": "openssh-client",
    "unshare": "util-linux",
    "setsid": "util-linux",
    "mount": "mount",
    "hostname": "hostname",
}


def check_root() -> None:
    """Raise a LabError unless this process may make namespaces."""
    if not sys.platform.startswith("linux"):
        raise LabError("the local lab needs Linux", "Use an inventory of real hosts instead")
    if os.geteuid() != 0:
        raise LabError(
            "the local lab needs root: it makes network namespaces and starts sshd",
            "Run the command with sudo, or use an inventory of real hosts",
        )


def check_all() -> None:
    """Raise one LabError that names everything that is missing and how to get it."""
    check_root()
    missing = [name for name in PROGRAMS if shutil.which(name, path=SEARCH_PATH) is None]
    if missing:
        packages = sorted({PROGRAMS[name] for name in missing})
        raise LabError(
            f"the local lab needs programs that are not installed: {', '.join(missing)}",
            f"On Debian: apt-get install -y {' '.join(packages)}",
        )
    congestion.check_available()
