"""The system under test of one episode: the middleware, its servers, a relay before one of them."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import stand  # noqa: F401
from processes import JAR, free_port, running

from verified_load.relay import Relay

NUM_SERVERS = 3
# One compiler and a simple collector: an episode is short, and so should its start be.
JAVA_OPTIONS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xshare:auto -Xmx256m"
START_TIMEOUT_S = 30
STOP_TIMEOUT_S = 15
ATTEMPTS = 3


@dataclass(frozen=True, kw_only=True)
class Setup:
    """How the middleware is to work."""

    routing: str
    replicas: int | None
    dispatch: str
    is_sharded: bool
    has_failover: bool
    net_threads: int
    depth: int

    def options(self) -> list[str]:
        """Return the middleware's options."""
        replicas = f"--replicas {self.replicas}" if self.replicas else ""
        return (
            f"--routing {self.routing} {replicas} --dispatch {self.dispatch} -t 4 "
            f"-s {str(self.is_sharded).lower()} --failover {'on' if self.has_failover else 'off'} "
            f"--net-threads {self.net_threads} --depth {self.depth}"
        ).split()

    @property
    def copies(self) -> int:
        """How many servers hold a key."""
        return self.replicas or NUM_SERVERS


class Memcached:
    """One server, which can be killed and started again on its port."""

    def __init__(self, stack: ExitStack, options: str = "-m 64"):
        self._stack = stack
        self._options = options
        self.port = 0
        self.pid = 0

    def start(self) -> None:
        """Start it, empty; on another port only if it had none yet."""
        for attempt in range(ATTEMPTS):
            port = self.port or free_port()
            command = f"memcached -u nobody -l 127.0.0.1 -p {port} -U 0 -t 1 {self._options}"
            try:
                self.pid = self._stack.enter_context(running(command.split(), port))
                self.port = port
                return
            except SystemExit:  # somebody was faster to take the port
                if attempt == ATTEMPTS - 1:
                    raise

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        os.kill(self.pid, number)


class Middleware:
    """The middleware; started again, it has its old port and another folder for its results."""

    def __init__(self, options: list[str], folder: Path):
        self._options = options
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0
        self.port = 0

    @property
    def results(self) -> Path:
        """Where the process that was started last writes its results."""
        return self._folder / f"results-{self._starts}"

    @property
    def log(self) -> Path:
        """What the process that was started last has printed."""
        return self._folder / f"log-{self._starts}"

    def start(self) -> None:
        """Return once it listens."""
        self._starts += 1
        command = ["java", *JAVA_OPTIONS.split(), "-jar", str(JAR), "-p", str(self.port)]
        command += ["--stats-dir", str(self.results), *self._options]
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
        deadline = time.monotonic() + START_TIMEOUT_S
        while not self.said().startswith("listening on ") or not self.said().endswith("\n"):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"{' '.join(command)} does not listen:\n{self.said()}")
            time.sleep(0.02)
        self.port = int(self.said().split()[2].rpartition(":")[2])

    def said(self) -> str:
        """Return what it has printed."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the process."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self) -> int | None:
        """Return the exit status; None if it does not end in time and had to be killed."""
        assert self._process is not None
        try:
            return self._process.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self.end()
            return None

    def end(self) -> None:
        """Kill it if it still runs."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class System:
    """All of it; `faulty` is the index of the server that faults befall."""

    def __init__(self, setup: Setup, faulty: int, server_options: str):
        self.setup = setup
        self.faulty = faulty
        self._stack = ExitStack()
        self.servers = [
            Memcached(self._stack, server_options if index == faulty else "-m 64")
            for index in range(NUM_SERVERS)
        ]
        self.relay: Relay | None = None
        self.addresses: list[str] = []
        self.middleware: Middleware

    async def start(self, options: list[str], folder: Path, *, has_relay: bool) -> None:
        """Start the servers, then the relay if there is one, then the middleware."""
        await asyncio.gather(*(asyncio.to_thread(server.start) for server in self.servers))
        ports = [server.port for server in self.servers]
        if has_relay:
            self.relay = Relay(ports[self.faulty])
            await self.relay.open()
            ports[self.faulty] = self.relay.port
        self.addresses = [f"127.0.0.1:{port}" for port in ports]
        options = [*self.setup.options(), *options, "-m", *self.addresses]
        self.middleware = Middleware(options, folder)
        self._stack.callback(self.middleware.end)
        await asyncio.to_thread(self.middleware.start)

    @property
    def faulty_server(self) -> Memcached:
        """The server that faults befall."""
        return self.servers[self.faulty]

    @property
    def faulty_address(self) -> str:
        """The name by which the middleware knows that server."""
        return self.addresses[self.faulty]

    def end(self) -> None:
        """End everything that runs."""
        self._stack.close()
