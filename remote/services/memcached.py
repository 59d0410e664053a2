"""memcached, the server: its command line and the text of its `stats`."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

PORT = 11211
MEMORY_MB = 512
MAX_CONNECTIONS = 8000
STATS_REQUEST = b"stats\r\n"
STATS_END = b"END\r\n"
_NOW = "date +%s.%N"
_CONNECTION_MARGIN = 192  # for `stats` and the prefill, and what memcached opens for itself


def command(address: str, *, user: str, memory_mb: int = MEMORY_MB, threads: int = 1) -> str:
    """Return the command that serves on `address` only, with `threads` worker threads."""
    account = " -u root" if user == "root" else ""
    connections = MAX_CONNECTIONS + _CONNECTION_MARGIN
    return (
        f"memcached -l {address} -p {PORT} -U 0 -t {threads} -m {memory_mb} "
        f"-c {connections} -I 2m{account}"
    )


def parse_stats(text: str) -> dict[str, str]:
    r"""Return name and value of every statistic.

    The input is the server's reply::

        STAT pid 4711
        STAT cmd_get 1021
        END
    """
    rows = (line.split(" ", 2) for line in text.splitlines())
    return {row[1]: row[2] for row in rows if row[0] == "STAT" and len(row) == 3}


def pause_command(pid_file: str, pauses: Sequence[tuple[float, float]]) -> str:
    """Return the command that stops and continues the server at the given epoch seconds.

    It prints a line for each pause, when it began and when it ended: ``1795000000.5 1795000001.5``.
    However it ends, short of SIGKILL, the server goes on.

    Parameters
    ----------
    pid_file : holds the process whose only child is the server.
    pauses : when each one begins and ends, ascending.
    """
    steps = [
        f"until_epoch {start_s:.3f}; kill -STOP $pid; began=$({_NOW}); "
        f"until_epoch {end_s:.3f}; kill -CONT $pid; echo $began $({_NOW})"
        for start_s, end_s in pauses
    ]
    script = "; ".join(
        [
            f"pid=$(pgrep -P $(cat {shlex.quote(pid_file)})) || exit 1",
            "trap 'kill -CONT $pid' EXIT",
            "trap 'exit 143' INT TERM",
            "until_epoch() { sleep $(awk -v t=$1 -v now=$("
            + _NOW
            + ") 'BEGIN { print (t > now) ? t - now : 0 }'); }",
            *steps,
        ]
    )
    return shlex.join(["sh", "-c", script])


def parse_pauses(text: str) -> list[tuple[float, float]]:
    """Return when each pause began and ended, from what `pause_command` has printed."""
    rows = (line.split() for line in text.splitlines())
    return [(float(row[0]), float(row[1])) for row in rows if len(row) == 2]
