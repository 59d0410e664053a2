"""Commands and channels that end in time, on their host too, whatever it does."""

from __future__ import annotations

import contextlib
import math
import shlex
import threading
from collections.abc import Iterator

import paramiko

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


@contextlib.contextmanager
def limited(channel: paramiko.Channel, timeout_s: float) -> Iterator[paramiko.Channel]:
    """Close `channel` when it is not used any more, and in any case after `timeout_s` seconds.

    paramiko waits without bound in places, and a host that sends a byte now and then keeps every
    other wait from ending.
    """
    watchdog = threading.Timer(max(0.0, timeout_s), _close, [channel])
    watchdog.daemon = True
    watchdog.start()
    try:
        yield channel
    finally:
        watchdog.cancel()
        _close(channel)


def _close(channel: paramiko.Channel) -> None:
    with contextlib.suppress(paramiko.SSHException, OSError, EOFError):  # the connection is gone
        channel.close()
