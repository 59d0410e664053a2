"""A stand-in for the memcached program: starts the real one, and the middleware before it.

The middleware listens on the port that is asked for with `-p`, memcached on another one. What ends
memcached, a signal or a command, ends both; the exit status is memcached's. With `--alone` as its
first argument it only becomes the real one, on the loopback interface.

    REAL_MEMCACHED=/usr/bin/memcached python memcached_behind.py -p 11311 -m 64
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from types import FrameType

import stand  # noqa: F401  it makes `processes` importable
from processes import JAR, free_port

MEMCACHED = os.environ.get("REAL_MEMCACHED", "/usr/bin/memcached")
OPTIONS = os.environ.get("MIDDLEWARE_OPTIONS", "-t 4 --admin-commands on --server-timeout 20s")
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-jar", str(JAR)]
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP)
RELAXED = "-o relaxed_privileges"
UNITS = {"k": 1 << 10, "m": 1 << 20}


def main() -> None:
    """Run memcached with the arguments of this program until it ends."""
    arguments = " ".join(sys.argv[1:])
    if arguments.endswith("-h"):
        return print_help()
    if not re.search(r"(^| )-[ls] ", arguments):
        arguments += " -l 127.0.0.1"
    if not knows(RELAXED):
        arguments = arguments.replace(RELAXED, "")
    if arguments.startswith("--alone"):
        os.execv(MEMCACHED, [MEMCACHED, *arguments.split()[1:]])
    memcached_arguments, middleware_arguments, port = split(arguments, free_port())
    memcached = subprocess.Popen([MEMCACHED, *memcached_arguments])
    forward_signals(memcached)
    if not listens(memcached, port):
        sys.exit(memcached.wait())
    middleware = subprocess.Popen(
        [*JAVA, *middleware_arguments, *OPTIONS.split()], stdout=subprocess.DEVNULL
    )
    status = memcached.wait()
    middleware.kill()
    middleware.wait()
    sys.exit(status)


def print_help() -> None:
    """Print memcached's help; without the line on Unix sockets, which its scripts would use."""
    told = subprocess.run([MEMCACHED, "-h"], check=True, capture_output=True, text=True).stdout
    print("\n".join(line for line in told.splitlines() if "unix-socket" not in line))


def knows(option: str) -> bool:
    """Whether the program takes an option; some are known to a build for debugging only."""
    trial = [MEMCACHED, *option.split(), "-V"]
    return subprocess.run(trial, check=False, capture_output=True).returncode == 0


def split(arguments: str, port: int) -> tuple[list[str], list[str], int]:
    """Return what memcached on `port` is told, what the middleware, and the port.

    Sizes of values and numbers of connections are the middleware's to limit, since its clients are
    those that are meant; datagrams do not pass through it.
    """
    text = re.sub(r"(^| )-U \S+", "", arguments)
    outer = re.search(r"(?:^| )-p (\d+)", text)
    if outer is None:
        sys.exit("memcached_behind.py: only TCP can be put behind the middleware: -p is missing")
    middleware = ["-l", "127.0.0.1", "-p", outer[1], "-m", f"127.0.0.1:{port}"]
    text = text.replace(outer[0], f" -p {port} -U 0", 1)
    if size := re.search(r"(?:^| )-I ?(\d+)([km]?)", text):
        value_bytes = int(size[1]) * UNITS.get(size[2], 1)
        middleware += ["--max-value-bytes", str(value_bytes)]
    if clients := re.search(r"(?:^| )-c (\d+)", text):
        middleware += ["--max-clients", clients[1]]
        text = text.replace(clients[0], "", 1)
    return text.split(), middleware, port


def forward_signals(process: subprocess.Popen[bytes]) -> None:
    """Send memcached what is sent to this program."""

    def forward(number: int, _: FrameType | None) -> None:
        process.send_signal(number)

    for number in FORWARDED:
        signal.signal(number, forward)


def listens(process: subprocess.Popen[bytes], port: int, timeout_s: float = 20) -> bool:
    """Wait until `port` accepts, and say so; False if the process has ended instead."""
    deadline = time.monotonic() + timeout_s
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return True
        except OSError:
            time.sleep(0.02)
    return False


if __name__ == "__main__":
    main()
