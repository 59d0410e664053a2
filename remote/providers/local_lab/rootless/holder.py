"""The namespaces in which an ordinary user has a lab: one process holds them, programs enter them.

In them the user is root: over the lab's network and mounts, and over nothing else. The holder is
the first process of a PID namespace, so that all which was started to stay ends with it, and links
too.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from remote.errors import LabError
from remote.programs import SEARCH_PATH, find
from remote.providers.common import log_tail, start_detached
from remote.providers.local_lab import processes
from remote.providers.local_lab.files import LabFiles
from remote.providers.local_lab.processes import Process
from remote.waiting import until

WITHOUT_ROOT = (
    "Without root a lab neither counts nor limits CPU time of single hosts, so that message queues "
    "cannot be measured, and lets processors sleep."
)
_SCRIPT = Path(__file__).with_name("holder.sh")
_NAMESPACE = Path(__file__).with_name("namespace.sh")
_DIAL = Path(__file__).with_name("dial.py")
_MARK = "MWLAB_HOLDER_OF"
_START_TIMEOUT_S = 10.0


def is_rootless() -> bool:
    """Whether this process may make namespaces only in a namespace of its user."""
    return os.geteuid() != 0


def unshare_command(*kinds: str) -> list[str]:
    """Give the `unshare` command that makes namespaces, such as ``--net``, and becomes another."""
    user = ["--user", "--map-root-user"] if is_rootless() else []
    return [find("unshare"), *user, *kinds]


def start(files: LabFiles) -> None:
    """Start the holder and return when its namespaces can be entered."""
    log = files.directory / "holder.log"
    spaces = unshare_command("--net", "--mount", "--pid", "--fork", "--kill-child")
    command = [find("setsid"), "--fork", *spaces, "sh", str(_SCRIPT), str(files.holder)]
    start_detached(command, log, {"PATH": SEARCH_PATH, _MARK: str(files.directory)})
    until(lambda: files.holder.exists() or log.stat().st_size > 0, _START_TIMEOUT_S)
    if processes.read_noted(files.holder) is None:
        raise LabError(
            f"the namespaces of the lab could not be made: {log_tail(log)}",
            "Mend that, or bring the lab up as root; nothing was left behind",
        )


def find_processes(files: LabFiles) -> list[Process]:
    """List the holder, noted or not, and what began it."""
    return processes.with_environment(f"{_MARK}={files.directory}\0")


def inside(command: Sequence[str], *, stays: bool = False) -> list[str]:
    """Return what runs a command in the lab's network; as root, the command itself.

    Parameters
    ----------
    stays : whether it leaves processes behind, which are to end with the lab.
    """
    if not is_rootless():
        return list(command)
    holder = processes.read_noted(LabFiles().holder)
    if holder is None:
        raise LabError("the local lab is not up", "Bring it up: `lab up`")
    spaces = ["--user", "--preserve-credentials", "--net", "--mount", *(["--pid"] if stays else [])]
    entering = [find("nsenter"), f"--target={holder.pid}", *spaces, "--"]
    return [*entering, find(command[0]), *command[1:]]


def namespace_command(user: str) -> tuple[str, ...]:
    """Give what makes the network namespace of a host that is of `user`; its name follows."""
    return "sh", str(_NAMESPACE), user


def connect_command() -> str | None:
    """Return the ProxyCommand (with ProxyUseFdpass) that passes on a socket; None as root."""
    if not is_rootless():
        return None
    words = inside([sys.executable, "-I", "-S", str(_DIAL)])
    return f"{shlex.join(words).replace('%', '%%')} %h %p"
