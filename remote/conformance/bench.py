"""What questions are asked on: a middleware, the servers behind it, and new clients.

On loopback and on the lab's hosts these are other things; questions know these protocols only.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

WORKERS = 8


class Connection(Protocol):
    """What is needed of a socket; an SSH channel has it, too."""

    def sendall(self, data: bytes, /) -> object:
        """Send all of `data`; TimeoutError or OSError if that fails."""

    def recv(self, size: int, /) -> bytes:
        """Return what comes first, ``b""`` at the end; TimeoutError or OSError."""

    def settimeout(self, seconds: float, /) -> object:
        """Bound the calls above."""

    def close(self) -> object:
        """End the connection."""


class Server(Protocol):
    """A memcached behind the middleware."""

    def dial(self) -> Connection:
        """Connect to it past the middleware; OSError if that fails."""

    def stop(self) -> None:
        """End it at once, as kill -9 does."""

    def start(self) -> None:
        """Start it again, empty, on the same port; return when it accepts clients."""

    def pause(self) -> None:
        """Let it keep its connections, but do nothing."""

    def resume(self) -> None:
        """Let it go on."""


class Middleware(Protocol):
    """The process of the middleware."""

    def end(self, patience_s: float) -> tuple[int | None, float]:
        """Send it SIGTERM; return its exit status, as a shell's, and the seconds that it took.

        The status is None if it still runs when the patience is over.
        """

    def memory_bytes(self) -> int:
        """Return its resident memory."""

    def open_files(self) -> int:
        """Return the number of its open files, connections included."""

    def num_threads(self) -> int:
        """Return the number of its threads."""


class Bench(Protocol):
    """A middleware that accepts clients, with its servers, made for questions."""

    @property
    def servers(self) -> Sequence[Server]:
        """The servers, as many as were asked for."""

    @property
    def middleware(self) -> Middleware:
        """The process of the middleware."""

    def dial(self) -> Connection:
        """Connect a new client to the middleware, without Nagle's delay; OSError if that fails."""


class OpenBench(Protocol):
    """Makes benches."""

    def __call__(self, num_servers: int, *, sharded: bool = False) -> AbstractContextManager[Bench]:
        """Start empty servers and a middleware; end whatever of them is left at the end."""
