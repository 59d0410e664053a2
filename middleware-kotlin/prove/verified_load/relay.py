"""A TCP relay between the middleware and a server that makes the ways of both worse on request."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress

CHUNK_BYTES = 64 * 1024


class Link:
    """One connection of the middleware (near) to the server (far), through the relay."""

    def __init__(self, near: asyncio.StreamWriter, far: asyncio.StreamWriter):
        self.near = near
        self.far = far

    def cut(self) -> None:
        """Reset both halves; what they have not sent yet is lost."""
        for writer in (self.near, self.far):
            connection = writer.get_extra_info("socket")
            if connection is not None and connection.fileno() >= 0:
                reset_on_close(connection)
            writer.transport.abort()


# Gets the bytes, whether they come from the server, and their link; returns the bytes to pass on.
Treatment = Callable[[bytes, bool, Link], Awaitable[bytes]]


def reset_on_close(connection: socket.socket) -> None:
    """Let the closing of `connection` be a reset instead of an orderly end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


class Relay:
    """Passes bytes on between a port of its own and `server_port`, as `treatment` leaves them."""

    def __init__(self, server_port: int):
        self._server_port = server_port
        self._listener: asyncio.Server | None = None
        self._links: set[Link] = set()
        self._held = 0
        self.port = 0
        self.treatment: Treatment | None = None

    async def open(self) -> None:
        """Accept connections, on the same port each time."""
        self._listener = await asyncio.start_server(
            self._serve, "127.0.0.1", self.port, reuse_address=True
        )
        self.port = self._listener.sockets[0].getsockname()[1]

    async def close(self) -> None:
        """Refuse connections, and reset those that there are."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None
        self.cut_all()

    def cut_all(self) -> None:
        """Reset all connections that there are."""
        for link in list(self._links):
            link.cut()

    @property
    def is_drained(self) -> bool:
        """Whether nothing that was received is still to be passed on."""
        return self._held == 0

    async def _serve(self, reader: asyncio.StreamReader, near: asyncio.StreamWriter) -> None:
        try:
            far_reader, far = await asyncio.open_connection("127.0.0.1", self._server_port)
        except OSError:
            near.close()
            return
        link = Link(near, far)
        self._links.add(link)
        try:
            await asyncio.gather(
                self._pump(reader, far, link, from_server=False),
                self._pump(far_reader, near, link, from_server=True),
            )
        finally:
            self._links.discard(link)

    async def _pump(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        link: Link,
        *,
        from_server: bool,
    ) -> None:
        with suppress(OSError):
            while data := await reader.read(CHUNK_BYTES):
                self._held += 1
                try:
                    if self.treatment is not None:
                        data = await self.treatment(data, from_server, link)
                    if data:
                        writer.write(data)
                        await writer.drain()
                finally:
                    self._held -= 1
        writer.close()
