"""Processes on loopback that are started for a bench, watched, and ended with it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

JAR = Path(__file__).parents[1] / "target" / "middleware.jar"
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
PACKAGES = {
    "memcached": "memcached",
    "memcaslap": "libmemcached-tools",
    "nutcracker": "nutcracker",
    "java": "openjdk-17-jre-headless",
    "gcc": "gcc libc6-dev",
    "jcmd": "openjdk-17-jdk-headless",
    "perf": "linux-perf",
}
STOP_TIMEOUT_S = 10
Address = int | Path
"""Where a server listens: a port of loopback, or a Unix domain socket."""


def require_programs(*programs: str) -> None:
    """Exit with the Debian packages to install if one of the programs is missing."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    missing = [PACKAGES[program] for program in programs if shutil.which(program) is None]
    if missing:
        sys.exit(f"missing programs; as root: apt-get install {' '.join(missing)}")


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


def connect(address: Address) -> socket.socket:
    """Connect to a server; one on a port sends without delay."""
    if isinstance(address, Path):
        opened = socket.socket(socket.AF_UNIX)
        try:
            opened.connect(str(address))
        except BaseException:
            opened.close()
            raise
        return opened
    opened = socket.create_connection(("127.0.0.1", address))
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


@contextmanager
def running(command: Sequence[str], address: Address, log: Path | None = None) -> Iterator[int]:
    """Run a server until the block ends; yields its process id once `address` accepts."""
    with (log or Path(os.devnull)).open("w", encoding="utf-8") as output:
        # A session of its own: Ctrl-C reaches the bench, which ends its servers in order.
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        _await_listening(process, address, log)
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _await_listening(
    process: subprocess.Popen[bytes], address: Address, log: Path | None, timeout_s: float = 20
) -> None:
    deadline = time.monotonic() + timeout_s
    while process.poll() is None and time.monotonic() < deadline:
        try:
            connect(address).close()
            return
        except OSError:
            time.sleep(0.02)
    said = log.read_text(encoding="utf-8") if log else ""
    raise SystemExit(f"{process.args!r} does not listen on {address}\n{said}")


@contextmanager
def memcached(port: int | None = None) -> Iterator[tuple[int, int]]:
    """Run a memcached with one thread, on any free port by default; yields port and process id."""
    port = port or free_port()
    with running(memcached_command(port), port) as pid:
        yield port, pid


def memcached_command(address: Address, program: str = "memcached") -> list[str]:
    """Command line of a memcached with one thread."""
    at = ["-s", str(address), "-a", "0777"]
    if isinstance(address, int):
        at = f"-l 127.0.0.1 -p {address} -U 0".split()
    return [program, *["-u", "nobody", "-t", "1", "-m", "1024", "-c", "12000", "-b", "4096"], *at]


def cpu_s(pids: Sequence[int]) -> float:
    """User and system CPU time that the processes have used so far."""
    return sum(_cpu_ticks(pid) for pid in pids) / TICKS_PER_S


def _cpu_ticks(pid: int) -> int:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12])


def machine_cpu_s() -> float:
    """CPU time that the whole machine has used so far, by whatever."""
    cpu = Path("/proc/stat").read_text(encoding="utf-8").split("\n", 1)[0].split()[1:]
    user, nice, system, _, _, irq, soft_irq, steal = map(int, cpu[:8])
    return (user + nice + system + irq + soft_irq + steal) / TICKS_PER_S


def rss_mib(pids: Sequence[int]) -> float:
    """Resident memory of the processes together."""
    return sum(_rss_kib(pid) for pid in pids) / 1024


def _rss_kib(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1])


def end_on_signals() -> None:
    """Let SIGTERM and Ctrl-C end the bench in order, so that it takes its servers with it."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    for number in (
        signal.SIGTERM,
        signal.SIGINT,
    ):  # shells let what runs in the background ignore SIGINT
        signal.signal(number, interrupt)
