"""The account of who runs this, into which an sshd of its own must be able to log in."""

from __future__ import annotations

import os
import pwd
from pathlib import Path

from remote.errors import LabError

_NO_SHELLS = ("nologin", "false")


def account() -> str:
    """Return the name of this account.

    Raises
    ------
    LabError
        Nobody can log in to it.
    """
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
