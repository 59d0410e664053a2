"""What watches a middleware from outside: tcpdump beside it, and the program that reads for us.

tcpdump writes what passes some addresses; `remote.packets` makes tables of it on the same host
afterwards, and what was captured is deleted there.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

JOB = "capture"
CAPTURE = "capture.pcap"
TABLES = "packets"
"""The folder of the tables, in that of the host's results."""
READY_LINE = "capturing"
READY_TIMEOUT_S = 10.0
LARGEST_CAPTURE_BYTES = 2 << 30
WHOLE_PACKETS_BYTES = 262_144  # tcpdump's own default; segments not cut up yet have 64 KiB
HEADS_BYTES = 416  # headers of the link, IP and TCP with options, the longest key and its numbers
_BUFFER_KIB = 64 << 10
_MOST_WAIT_S = 1.5  # the kernel hands packets over at least once a second
_CARRIES = (
    "(ip6 or tcp[tcpflags] & (tcp-syn|tcp-fin|tcp-rst) != 0 "
    "or ip[2:2] - ((ip[0] & 0xf) << 2) - ((tcp[12] & 0xf0) >> 2) != 0)"
)
"""What is no mere acknowledgement, which half of all packets are, and which tells nothing."""


def capture_filter(endpoints: Sequence[str]) -> str:
    """Return tcpdump's filter for what goes to some ``address:port`` or comes from them."""
    addresses = []
    for endpoint in endpoints:
        host, _, port = endpoint.rpartition(":")
        address = host.strip("[]")
        addresses.append(f"(host {address} and tcp port {port})")
    return f"({' or '.join(addresses)}) and {_CARRIES}"


def capture_command(
    endpoints: Sequence[str],
    *,
    limit_bytes: int = LARGEST_CAPTURE_BYTES,
    snap_bytes: int = WHOLE_PACKETS_BYTES,
) -> str:
    """Return the command that captures packets of `endpoints` until TERM or INT.

    It prints `READY_LINE` when no packet will be missed any more, and waits before it ends until
    the kernel has handed over what it has. tcpdump's counts go to standard error. A capture that
    reaches its limit ends there, with an exit status that is not 0.

    Parameters
    ----------
    endpoints : each ``address:port`` of a middleware and its servers, or of one server.
    snap_bytes : bytes kept of each packet. `HEADS_BYTES` suffice where no packet has more than one
        value, and nothing behind it: sets and gets of one key that are not sent ahead. Elsewhere
        connections are abandoned, and counted, at the first value that hides what follows.
    """
    words = [f"prlimit --fsize={limit_bytes}", "tcpdump -i any -n -Z root"]
    words.append(f"-s {snap_bytes} -B {_BUFFER_KIB} --time-stamp-precision=nano")
    words.append(f"-w {CAPTURE} {shlex.quote(capture_filter(endpoints))}")
    file = CAPTURE
    script = (
        f"rm -f {file}; {' '.join(words)} & pid=$!; "
        f"trap 'sleep {_MOST_WAIT_S}; kill -TERM $pid; wait $pid; exit $?' INT TERM; "
        # it makes the file when it has begun to capture
        f"until [ -e {file} ]; do kill -0 $pid 2>/dev/null || break; sleep 0.02; done; "
        f"[ ! -e {file} ] || echo {READY_LINE}; wait $pid"
    )
    return f"sh -c {shlex.quote(script)}"


def tables_command(
    program: str,
    *,
    listen: str,
    servers: Sequence[str] = (),
    follow: int | None = None,
    calls: str = "",
) -> str:
    """Return the command that makes tables of a capture and deletes the capture in any case.

    Parameters
    ----------
    program : path of `remote.packets.bundle.PROGRAM` on the host.
    listen, servers : where requests come in and, of a middleware, where it asks: ``address:port``.
    follow : one of so many requests of each connection is written down by itself.
    calls : file with the requests that a server is to follow; it is deleted, too.
    """
    words = ["python3", program, CAPTURE, "--listen", listen]
    words += ["--servers", *servers] if servers else []
    words += ["--output", TABLES]
    words += ["--follow", str(follow)] if follow else []
    words += ["--calls", calls] if calls else []
    needless = shlex.join([CAPTURE, *([calls] if calls else [])])
    script = f"{shlex.join(words)}; status=$?; rm -f {needless}; exit $status"
    return f"sh -c {shlex.quote(script)}"
