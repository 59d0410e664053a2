"""The disk image of the machines: built once by image.sh, and again when that has changed."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from records.paths import PROJECT
from remote.errors import LabError
from remote.hosts.provision.tools import all_tools
from remote.programs import SEARCH_PATH, find

FOLDER = PROJECT / "build" / "vm"
SCRIPT = Path(__file__).with_name("image.sh")
ROOT_DISK, KERNEL, INITRD = "root.ext4", "vmlinuz", "initrd.img"
PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "apt-ftparchive": "apt-utils",
    "chronyd": "chrony",
    "sshd": "openssh-server",
    "nsenter": "util-linux",
    "ip": "iproute2",
}
"""What the fleet needs on this machine, and Debian's packages that have it."""
_MADE_FROM = "made-from"
_LOG = "image.log"


def packages() -> list[str]:
    """Return the packages that provisioning may ask for: of each tool the first of its list."""
    return [*dict.fromkeys(tool.packages[0] for tool in all_tools()), "libcap2-bin"]


def require_programs() -> None:
    """Raise LabError for the first program that this machine lacks."""
    needed = " ".join(sorted(set(PROGRAMS.values())))
    for program in PROGRAMS:
        find(program, remedy=f"On Debian: apt-get install --no-install-recommends {needed}")


def ensure(report: Callable[[str], None]) -> Path:
    """Build the image unless it stands there as it would be built; return its folder."""
    made_from = hashlib.sha256(" ".join([SCRIPT.read_text(), *packages()]).encode()).hexdigest()
    mark = FOLDER / _MADE_FROM
    if mark.exists() and mark.read_text() == made_from:
        return FOLDER
    report("Building the disk image from Debian's packages, which takes some minutes ...")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    log = FOLDER / _LOG
    with log.open("wb") as file:
        built = subprocess.run(
            [str(SCRIPT), str(FOLDER), *packages()],
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            check=False,
            env={"PATH": SEARCH_PATH, "LC_ALL": "C.UTF-8"},
        )
    if built.returncode != 0:
        tail = log.read_text(errors="replace").strip()[-500:]
        raise LabError(f"the disk image could not be built: {tail}", f"See {log}, and repeat this")
    mark.write_text(made_from)
    return FOLDER
