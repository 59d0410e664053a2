"""A bench of real processes on the loopback interface (`remote.conformance.bench`)."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from remote.conformance.bench import WORKERS, OpenBench
from remote.waiting import until
from tests.helpers.ports import ADDRESS, free_port

START_TIMEOUT_S = 20.0
Command = Callable[[int, int, bool, Sequence[str]], Sequence[str]]
"""Makes the middleware's command of its port, its workers, whether it is sharded, its servers."""


def dial(port: int) -> socket.socket:
    connection = socket.create_connection((ADDRESS, port), timeout=60)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


class Process:
    """A program that listens on a port, from `start` to `close`."""

    def __init__(self, command: Sequence[str], port: int) -> None:
        self.command, self.port = command, port
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        if not until(lambda: self.process.poll() is not None or self._listens(), START_TIMEOUT_S):
            raise TimeoutError(f"{self.command} does not listen on port {self.port}")
        if self.process.poll() is not None:
            said = self.process.stderr.read().decode()
            raise RuntimeError(f"{self.command[0]} ended: {said.strip()}")

    def _listens(self) -> bool:
        try:
            dial(self.port).close()
        except OSError:
            return False
        return True

    def close(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.stderr.close()
            self.process.wait()

    def dial(self) -> socket.socket:
        return dial(self.port)

    def stop(self) -> None:
        self.close()

    def pause(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def end(self, patience_s: float) -> tuple[int | None, float]:
        began_s = time.monotonic()
        self.process.terminate()
        try:
            status = self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            return None, patience_s
        return 128 - status if status < 0 else status, time.monotonic() - began_s

    def memory_bytes(self) -> int:
        return self._status("VmRSS") << 10

    def num_threads(self) -> int:
        return self._status("Threads")

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))  # noqa: PTH208

    def _status(self, name: str) -> int:
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1])


@dataclass(frozen=True)
class LoopbackBench:
    middleware: Process
    servers: Sequence[Process]

    def dial(self) -> socket.socket:
        return self.middleware.dial()


def memcached() -> Process:
    port = free_port()
    options = f"-l {ADDRESS} -p {port} -U 0 -t 1 -m 128 -I 2m -u nobody"
    return Process(["memcached", *options.split()], port)


def on_loopback(command: Command) -> OpenBench:
    """Returns what opens benches for the middleware of `command`."""

    @contextmanager
    def open_bench(num_servers: int, *, sharded: bool = False) -> Iterator[LoopbackBench]:
        with ExitStack() as stack:
            servers = [memcached() for _ in range(num_servers)]
            port = free_port()
            addresses = [f"{ADDRESS}:{server.port}" for server in servers]
            middleware = Process(command(port, WORKERS, sharded, addresses), port)
            for process in (*servers, middleware):
                stack.callback(process.close)
                process.start()
            yield LoopbackBench(middleware, servers)

    return open_bench


def course_command(*program: str, options: Sequence[str] = ()) -> Command:
    """The command line of the course's middlewares."""

    def command(port: int, workers: int, sharded: bool, servers: Sequence[str]) -> list[str]:
        arguments = f"-l {ADDRESS} -p {port} -t {workers} -s {str(sharded).lower()} -m".split()
        return [*program, *arguments, *servers, *options]

    return command
