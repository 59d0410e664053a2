"""Commands that end on their host, too, when nobody waits for them any more."""

from __future__ import annotations

import math
import shlex

_HOST_MARGIN_S = 5


def bounded(command: str, timeout_s: float, *, reads_stdin: bool = False) -> str:
    """Return `command` for the user's shell, whichever it is, so that it ends on the host, too.

    Nobody waits for it any more when its time is over or this process has died; then `timeout`
    ends it and what it started in its process group. It is run by ``sh``.

    A command that is sent nothing has an empty standard input of its own. It must not be ended from
    here: paramiko decides under a lock and sends without it, so that the end of the input may
    follow the closing of a channel whose command has ended meanwhile, and sshd then closes the
    whole connection ("ieof packet referred to nonexistent channel").
    """
    limit_s = math.ceil(timeout_s + _HOST_MARGIN_S)
    bound = f"exec timeout -k {_HOST_MARGIN_S} {limit_s} sh -c {shlex.quote(command)}"
    return bound if reads_stdin else f"{bound} < /dev/null"
