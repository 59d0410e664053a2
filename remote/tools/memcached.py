"""memcached, the server: its command line and the text of its `stats`."""

from __future__ import annotations

PORT = 11211
STATS_REQUEST = b"stats\r\n"
STATS_END = b"END\r\n"


def command(address: str, *, user: str, memory_mb: int = 512, threads: int = 1) -> str:
    """Return the command that serves on `address` only, with `threads` worker threads."""
    account = " -u root" if user == "root" else ""
    return (
        f"memcached -l {address} -p {PORT} -U 0 -t {threads} -m {memory_mb} -c 8192 -I 2m{account}"
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
