"""The bench of a middleware that runs already, and the judge of a program that shows a fault.

Programs that show a fault hold this module (`fault_program`), so it uses the standard library only,
and Python 3.10.
"""

from __future__ import annotations

import atexit
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from remote.conformance.trial import Answer, CannotTell, Trial, Verdict, ask_on
from remote.conformance.wire import Client, Misbehaviour
from remote.waiting import until

PASSES, FAILS, CANNOT_TELL = 0, 1, 2
_SHELL = ("sh", "-c")
_DIAL_TIMEOUT_S = 5.0
_START_TIMEOUT_S = 20.0
_KIB = 1024
_ADDRESS = re.compile(r"([\w.-]+):(\d{2,5})\b")
_LISTENS = "0A"
_ZOMBIE = "Z"

Ask = Callable[[Trial], Answer]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Addresses of a middleware and its servers, and how to reach and start them.

    Parameters
    ----------
    servers : ``address:port`` of each server behind it.
    through : command words of the `ssh` that leads to the middleware's host, if this machine does
        not reach it directly.
    shells : for each server the words before a shell command that shall run on its host.
    files : names of the middleware's own files, by which its process is known.
    signal : name of the signal that ends the middleware.
    how_to_start : command that starts servers and middleware.
    """

    address: str
    port: int
    servers: Sequence[str] = ()
    through: Sequence[str] = ()
    shells: Sequence[Sequence[str]] = ()
    files: Sequence[str] = ()
    signal: str = "TERM"
    how_to_start: str = ""


@dataclass
class _Server:
    """A memcached that runs already; see `remote.conformance.bench.Server`."""

    address: str
    port: int
    shell: Sequence[str] = _SHELL
    _pid: int = 0
    _command: Sequence[str] = field(default=())

    def dial(self) -> socket.socket:
        return dial(self.address, self.port)

    def pause(self) -> None:
        self._pid = self._known_pid()
        self._run(f"kill -STOP {self._pid}")

    def resume(self) -> None:
        self._run(f"kill -CONT {self._pid}")

    def stop(self) -> None:
        self._pid = self._known_pid()
        self._command = self._run(f"cat /proc/{self._pid}/cmdline").rstrip("\0").split("\0")
        self._run(f"kill -KILL {self._pid}")
        until(lambda: not self.pid(), _DIAL_TIMEOUT_S)

    def start(self) -> None:
        """Start it again with the command line that it had."""
        self._run(f"cd /; setsid {shlex.join(self._command)} > /dev/null 2>&1 < /dev/null &")
        if not until(lambda: bool(self.pid()), _START_TIMEOUT_S):
            raise CannotTell(f"{self.address}:{self.port} did not start again")
        self._pid = self.pid()
        atexit.register(self._end)

    def pid(self) -> int:
        """Return the number of its process, 0 if no memcached answers."""
        with suppress(OSError, Misbehaviour, ValueError):
            client = Client(self.dial(), "the server", patience_s=_DIAL_TIMEOUT_S)
            try:
                client.send(b"stats\r\n")
                while (line := client.line()) != b"END":
                    if line.startswith(b"STAT pid "):
                        return int(line.rpartition(b" ")[2])
            finally:
                client.close()
        return 0

    def empty(self) -> None:
        client = Client(self.dial(), "the server", patience_s=_DIAL_TIMEOUT_S)
        client.send(b"flush_all\r\n")
        client.expect_line(b"OK")
        client.close()

    def _known_pid(self) -> int:
        if pid := self.pid():
            return pid
        raise CannotTell(f"no memcached answers at {self.address}:{self.port}")

    def _end(self) -> None:
        with suppress(CannotTell):
            self._run(f"kill -KILL {self._pid}")

    def _run(self, command: str) -> str:
        done = subprocess.run(
            [*self.shell, command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            said = done.stderr.strip()
            raise CannotTell(f"`{shlex.join([*self.shell, command])}` failed: {said}")
        return done.stdout


@dataclass(frozen=True)
class _Middleware:
    """A middleware's process on this machine; see `remote.conformance.bench.Middleware`."""

    place: Place

    def end(self, patience_s: float) -> tuple[int | None, float]:
        """Send it the signal that ends it; its exit status is unknown and told as 0."""
        began_s = time.monotonic()
        pid = self._pid()
        os.kill(pid, getattr(signal, f"SIG{self.place.signal}"))
        is_over = until(lambda: _state(pid) in ("", _ZOMBIE), patience_s)
        return (0 if is_over else None), time.monotonic() - began_s

    def memory_bytes(self) -> int:
        return _KIB * self._sum("VmRSS")

    def num_threads(self) -> int:
        return self._sum("Threads")

    def open_files(self) -> int:
        return sum(len(list(Path(f"/proc/{pid}/fd").iterdir())) for pid in self._tree())

    def server_words(self) -> list[tuple[str, int]]:
        """Return each ``address:port`` of its command line where a memcached answers."""
        words = _ADDRESS.findall(" ".join(_command_line(self._pid())))
        found = [(address, int(port)) for address, port in words]
        own = self.place.address, self.place.port
        return [one for one in found if one != own and _Server(*one).pid()]

    def _pid(self) -> int:
        """Return the process that was started: it listens, or its descendant does."""
        pid = _listener(self.place.port)
        while (parent := int(_stat(pid)[1])) > 1:
            names = {Path(word).name for word in _command_line(parent)}
            is_same = _command_line(parent) == _command_line(pid)
            if not is_same and names.isdisjoint(self.place.files):
                break
            pid = parent
        return pid

    def _tree(self) -> list[int]:
        pids, parents = [self._pid()], {}
        for pid in _all_pids():
            with suppress(OSError):
                parents[pid] = int(_stat(pid)[1])
        for pid in pids:
            pids += [child for child, parent in parents.items() if parent == pid]
        return pids

    def _sum(self, name: str) -> int:
        texts = [Path(f"/proc/{pid}/status").read_text() for pid in self._tree()]
        found = [re.search(rf"^{name}:\s*(\d+)", text, re.MULTILINE) for text in texts]
        return sum(int(match[1]) for match in found if match)


@dataclass
class _Bench:
    """See `remote.conformance.bench.Bench`."""

    place: Place
    servers: Sequence[_Server]
    has_accepted: bool = False

    @property
    def middleware(self) -> _Middleware:
        return _Middleware(self.place)

    def dial(self) -> socket.socket:
        connection = dial(self.place.address, self.place.port)
        self.has_accepted = True
        return connection


def dial(address: str, port: int) -> socket.socket:
    """Connect without Nagle's delay."""
    connection = socket.create_connection((address, port), timeout=_DIAL_TIMEOUT_S)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def show(
    questions: Sequence[tuple[str, Ask, float]],
    place: Place,
    *,
    patience_s: float,
    stops_servers: bool = False,
    times: int = 1,
) -> int:
    """Ask the questions of a program that shows a fault; print the result, return the exit status.

    Parameters
    ----------
    questions : text, function and time limit in seconds of each, asked in this order.
    place : where the middleware was when the fault was found; the command line may name another.
    patience_s : how long a single reply may take.
    stops_servers : the questions pause or end servers.
    times : how often all questions are asked until one finds a fault.
    """
    try:
        bench = _open_bench(_asked_for(place, sys.argv[1:]))
        if not bench.servers:
            itself = _Server(bench.place.address, bench.place.port)
            if stops_servers and itself.pid():
                print("passes: this is a memcached, with no servers behind it")
                return PASSES
            if stops_servers:
                raise CannotTell("name the servers behind the middleware, as ADDRESS:PORT ...")
            bench = replace(bench, servers=[itself])
        else:
            for server in bench.servers:
                server.empty()
        for _ in range(times):
            for text, ask, time_s in questions:
                answer = ask_on(ask, bench, patience_s=patience_s, time_s=time_s)
                if answer.verdict is Verdict.FAULT:
                    print(f"fails: {text}: {answer.sentence}\n{answer.difference}".rstrip())
                    if not bench.has_accepted:
                        print(f"To start everything: {place.how_to_start}")
                    return FAILS
                if answer.verdict is Verdict.UNKNOWN:
                    raise CannotTell(answer.sentence)
    except (CannotTell, Misbehaviour, OSError) as exc:
        print(f"cannot tell: {exc}\nTo start everything: {place.how_to_start}", file=sys.stderr)
        return CANNOT_TELL
    print(f"passes: {answer.text}")
    return PASSES


def _asked_for(place: Place, words: Sequence[str]) -> Place:
    """Return the place that the words ``[HOST [PORT [SERVER ...]]]`` name.

    Without words it is the place of the trial. Servers that are not named are those of the trial
    at its address, if they are up, and otherwise those on the command line of the process that
    listens on PORT; a memcached has none.
    """
    if not words:
        if down := [server for server in place.servers if not _Server(*_end(server)).pid()]:
            raise CannotTell(f"no memcached answers at {', '.join(down)}")
        return place
    address = words[0]
    port = int(words[1]) if len(words) > 1 else place.port
    is_trial = (address, port) == (place.address, place.port)
    if not is_trial:
        place = replace(place, address=address, port=port, shells=())
    if len(words) > 2:
        return replace(place, servers=words[2:], shells=())
    if is_trial and all(_Server(*_end(server)).pid() for server in place.servers):
        return place
    place = replace(place, servers=(), shells=())
    with suppress(CannotTell, OSError):
        found = _Middleware(place).server_words()
        return replace(place, servers=[f"{host}:{number}" for host, number in found])
    return place


def _open_bench(place: Place) -> _Bench:
    ends = map(_end, place.servers)
    shells = place.shells or [_SHELL] * len(place.servers)
    servers = [_Server(*end, shell) for end, shell in zip(ends, shells, strict=True)]
    return _Bench(place, servers)


def _end(server: str) -> tuple[str, int]:
    address, _, port = server.rpartition(":")
    return address.strip("[]"), int(port)


def tunnelled(place: Place) -> Place:
    """Let ports of this machine lead to a place, unless the arguments name another place."""
    if sys.argv[1:]:
        return place
    ours = [_free_port() for _ in (place, *place.servers)]
    ends = [(place.address, place.port), *map(_end, place.servers)]
    options = [
        option
        for port, (address, number) in zip(ours, ends, strict=True)
        for option in ("-L", f"127.0.0.1:{port}:[{address}]:{number}")
    ]
    words = [place.through[0], "-N", "-o", "ExitOnForwardFailure=yes", *options, *place.through[1:]]
    ssh = subprocess.Popen(words, stdin=subprocess.DEVNULL)
    atexit.register(ssh.wait)
    atexit.register(ssh.terminate)
    if not until(
        lambda: ssh.poll() is not None or _accepts("127.0.0.1", ours[-1]), _START_TIMEOUT_S
    ):
        print(f"cannot tell: `{shlex.join(words)}` is not ready", file=sys.stderr)
        sys.exit(CANNOT_TELL)
    servers = [f"127.0.0.1:{port}" for port in ours[1:]]
    return replace(place, address="127.0.0.1", port=ours[0], servers=servers)


def _accepts(address: str, port: int) -> bool:
    with suppress(OSError):
        dial(address, port).close()
        return True
    return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _listener(port: int) -> int:
    inodes = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for row in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
                words = row.split()
                if words[3] == _LISTENS and int(words[1].rpartition(":")[2], 16) == port:
                    inodes.add(f"socket:[{words[9]}]")
    for pid in _all_pids():
        with suppress(OSError):
            if any(str(file.readlink()) in inodes for file in Path(f"/proc/{pid}/fd").iterdir()):
                return pid
    raise CannotTell(f"no process that this user sees listens on port {port} of this machine")


def _all_pids() -> list[int]:
    return sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit())


def _command_line(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").rstrip("\0").split("\0")


def _stat(pid: int) -> list[str]:
    """Return the columns of /proc/PID/stat after the name: state, parent, ..."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _state(pid: int) -> str:
    with suppress(OSError):
        return _stat(pid)[0]
    return ""
