"""What the fleets that this machine can have share: an account, a lock, sshd's settings, states."""

from __future__ import annotations

import os
import pwd
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from records.files.locks import locked
from remote.errors import LabError
from remote.programs import run

COMMON_SSHD_CONFIG = """\
AuthenticationMethods publickey
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
UseDNS no
PrintLastLog no
PrintMotd no
MaxSessions 200
MaxStartups 200
LoginGraceTime 20
Subsystem sftp internal-sftp"""
"""Lines of sshd_config(5): keys only; no PAM and no DNS, so that a connection takes milliseconds;
room for one connection per program that an experiment starts."""
_LOG_TAIL_CHARACTERS = 500
_NO_SHELLS = ("nologin", "false")
_LOCK_TIMEOUT_S = 60.0


class Lab(ABC):
    """Hosts on this machine; as a context manager they are up inside the block."""

    @abstractmethod
    def up(self, progress: Callable[[str], None] | None = None) -> Path:
        """Bring all hosts up and return the path of their inventory.

        Parameters
        ----------
        progress : called with a line of text at each step.
        """

    @abstractmethod
    def down(self) -> None:
        """End all processes of the hosts and remove their files."""

    def __enter__(self) -> Self:
        self.up()
        return self

    def __exit__(self, *_: object) -> None:
        self.down()


@dataclass(frozen=True, kw_only=True)
class HostState:
    """State of one host of a fleet on this machine; `pid` is None if it does not run."""

    name: str
    role: str
    address: str
    pid: int | None
    answers_ssh: bool

    @property
    def is_up(self) -> bool:
        """Whether the host can be used."""
        return self.pid is not None and self.answers_ssh


def account() -> str:
    """Return the name of this process's account, into which an sshd must be able to log in."""
    try:
        entry = pwd.getpwuid(os.geteuid())
    except KeyError:
        raise LabError(
            f"the account {os.geteuid()} has no entry in /etc/passwd, so sshd lets nobody into it",
            "Add one: `echo lab:x:$(id -u):$(id -g)::$HOME:/bin/sh >> /etc/passwd`",
        ) from None
    if Path(entry.pw_shell).name in _NO_SHELLS:
        raise LabError(
            f"the account {entry.pw_name} has the login shell {entry.pw_shell}, so sshd can run "
            "nothing in it",
            "Use an account with a shell, or give it one: "
            f"`usermod --shell /bin/sh {entry.pw_name}`",
        )
    return entry.pw_name


def alone(directory: Path) -> AbstractContextManager[None]:
    """Let one process at a time change a lab; `directory` is made if it is missing, and stays."""
    directory.mkdir(parents=True, exist_ok=True)
    busy = LabError(
        "another process is bringing the lab up or down", "Wait for it, or end it, and try again"
    )
    return locked(directory, timeout_s=_LOCK_TIMEOUT_S, busy=busy)


def make_key(path: Path, comment: str = "middleware-lab") -> None:
    """Make a key pair without a passphrase; the public key gets the suffix .pub."""
    run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(path)])


def start_detached(command: Sequence[str], log: Path, env: Mapping[str, str] | None = None) -> None:
    """Run what leaves a process behind in a session of its own; what it says goes to `log`."""
    with log.open("ab") as stream:
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            check=True,
            cwd="/",
            env=env,
        )


def log_tail(log: Path) -> str:
    """Return the end of a log for an error message."""
    return log.read_text(errors="replace").strip()[-_LOG_TAIL_CHARACTERS:] or "(nothing)"
